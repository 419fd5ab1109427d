"""Delimit data and files in a prompt so that their content cannot end the delimited part."""

import hashlib
import re

_FENCES = re.compile(r"^\s*(`{3,})", re.MULTILINE)


def fence_of(text: str) -> str:
    """A delimiter that the data cannot contain: the data's hash."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def fenced(path: str, text: str) -> str:
    """Lines of a file in a fence that is longer than any fence in them."""
    longest = max((len(fence) for fence in _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    language = "python" if path.endswith(".py") else ""
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def headed(path: str, text: str) -> str:
    """A file below its path."""
    return f"### {path}\n\n{fenced(path, text)}"


def tail_of(text: str, size_bytes: int) -> str:
    """The end of a text, in whole lines where possible; the important part of an output is at its end."""
    if len(text.encode("utf-8", "replace")) <= size_bytes:
        return text.strip("\n")
    kept = text.encode("utf-8", "replace")[-size_bytes:].decode("utf-8", "ignore") if size_bytes > 0 else ""
    _, newline, whole = kept.partition("\n")
    return (whole if newline and whole.strip() else kept).strip("\n")


def head_of(text: str, size_bytes: int) -> str:
    """The beginning of a text, in whole lines."""
    kept = text.encode("utf-8", "replace")[: max(0, size_bytes)].decode("utf-8", "ignore")
    return kept if len(kept) == len(text) else kept.rpartition("\n")[0]
