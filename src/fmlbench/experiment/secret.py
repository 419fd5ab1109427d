"""The machine's secret, from which the seed of every sample is derived.

Dataset builders are public. With a known seed, anyone could repeat a sample and list its labels in order, without
reading a question. So seeds are derived from a secret that is mounted in no sandbox; candidates get unrelated seeds.
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
    """A key that no candidate can read; the same key and words give the same number."""

    key: bytes

    @property
    def is_whole(self) -> bool:
        """Whether it has the full length."""
        return len(self.key) == _BYTES

    def number(self, *words: str | int) -> int:
        """A number below 2**31 that is unpredictable without the secret; a valid seed for every library."""
        return int.from_bytes(self._digest(words, 4), "big") >> 1

    def seed(self, *words: str | int) -> int:
        """A 128-bit seed, too large for a search: candidates see the sample and could try all of 2**31 seeds."""
        return int.from_bytes(self._digest(words, 16), "big")

    def _digest(self, words: tuple[str | int, ...], size: int) -> bytes:
        return hashlib.blake2b("\0".join(str(word) for word in words).encode(), key=self.key, digest_size=size).digest()

    @property
    def fingerprint(self) -> str:
        """Identifies the secret without revealing it."""
        return hashlib.blake2b(b"fingerprint", key=self.key, digest_size=4).hexdigest()


def machine_secret(cache: Path) -> Secret:
    """The secret of this cache; created at the first call."""
    path = cache / "secret"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"secret.{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secrets.token_bytes(_BYTES))
        # If another process was first, its secret is used.
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
        fresh.unlink()
    return Secret(path.read_bytes())
