"""The machine's secret, from which every draw's seed comes.

Recipes are public. Whoever knew a draw's seed could repeat the draw and write down which label stands where, without
looking at a single question. So seeds are derived from a secret that no sandbox sees; candidates get unrelated ones.
"""

import contextlib
import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

_BYTES = 32


@dataclass(frozen=True)
class Secret:
    """Something no candidate knows; the same secret and the same words give the same number."""

    key: bytes

    @property
    def is_whole(self) -> bool:
        """Whether it has the length of those that are made here."""
        return len(self.key) == _BYTES

    def number(self, *words: str | int) -> int:
        """A number below 2**31 that only the holder of the secret can foresee; small enough for any library's dice."""
        return int.from_bytes(self._digest(words, 4), "big") >> 1

    def seed(self, *words: str | int) -> int:
        """A seed that nobody can find by trying: candidates see what it drew, and could compare all of 2**31."""
        return int.from_bytes(self._digest(words, 16), "big")

    def _digest(self, words: tuple[str | int, ...], size: int) -> bytes:
        return hashlib.blake2b("\0".join(str(word) for word in words).encode(), key=self.key, digest_size=size).digest()

    @property
    def fingerprint(self) -> str:
        """Tells secrets apart without giving them away."""
        return hashlib.blake2b(b"fingerprint", key=self.key, digest_size=4).hexdigest()


def machine_secret(cache: Path) -> Secret:
    """The secret of this cache; made at the first call."""
    path = cache / "secret"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"secret.{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secrets.token_bytes(_BYTES))
        # Another process may have been first; then its secret counts.
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
        fresh.unlink()
    return Secret(path.read_bytes())
