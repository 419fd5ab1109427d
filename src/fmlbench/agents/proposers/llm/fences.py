"""Put text into a prompt so that it stays what it is: data, or a file, whatever it holds."""

import hashlib
import re

_FENCES = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def fence_of(text: str) -> str:
    """A mark for the end of some data that the data cannot hold: nobody can write down its own hash."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def fenced(path: str, text: str) -> str:
    """Lines of a file, in a fence that is longer than any within."""
    longest = max((len(fence) for fence in _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    language = "python" if path.endswith(".py") else ""
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def headed(path: str, text: str) -> str:
    """A file below its path."""
    return f"### {path}\n\n{fenced(path, text)}"


def tail_of(text: str, size_bytes: int) -> str:
    """The end of a text, in whole lines where that is possible: what matters of an output stands at its end."""
    if len(text.encode("utf-8", "replace")) <= size_bytes:
        return text.strip("\n")
    kept = text.encode("utf-8", "replace")[-size_bytes:].decode("utf-8", "ignore") if size_bytes > 0 else ""
    _, newline, whole = kept.partition("\n")
    return (whole if newline and whole.strip() else kept).strip("\n")


def head_of(text: str, size_bytes: int) -> str:
    """The beginning of a text, in whole lines."""
    kept = text.encode("utf-8", "replace")[: max(0, size_bytes)].decode("utf-8", "ignore")
    return kept if len(kept) == len(text) else kept.rpartition("\n")[0]
