r"""Read the edits in a model's answer.

The prompt asks for two kinds of edit. The path above a replacement may be left out if it is the same as before:

    IDEA: what is tried, in one sentence

    src/model.py
    <<<<<<< SEARCH
    width = 8
    =======
    width = 16
    >>>>>>> REPLACE

    <<<<<<< FILE src/new.py
    whole = "file"
    >>>>>>> END

Models also put code fences around either, and write a whole file as a path with a fenced block below it. All of that is
accepted. An ambiguous edit raises a problem; it is never dropped silently.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from textwrap import dedent

from fmlbench.agents.proposers.llm.definitions import names_in
from fmlbench.agents.proposers.llm.edits import Definitions, Edit, EditProblem, Replacement, WholeFile
from fmlbench.agents.proposers.llm.python import why_not_python

_SEARCH = re.compile(r" {0,3}<{5,9} ?SEARCH\b[ :]*(?P<path>\S*)\s*")
_DIVIDER = re.compile(r"={5,9}\s*")
_REPLACE = re.compile(r" {0,3}>{5,9} ?REPLACE\s*")
_FILE = re.compile(r" {0,3}<{5,9} ?FILE\b[ :]*(?P<path>\S*)\s*")
_END = re.compile(r" {0,3}>{5,9} ?END(?: OF FILE)?\s*")
_MARKER = re.compile(r" {0,3}(?:<{5,9}|>{5,9})(?: .*)?")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[^`]*")
_IDEA = re.compile(r"[\s#*>_-]*IDEA[*_]*\s*:[*_\s]*(?P<idea>.*?)[*_\s]*", re.IGNORECASE)
_HEADING = re.compile(r"(?:#+\s*)?(?:(?:file(?:name)?|path)(?:\s*:\s*|\s+))?[`*]*", re.IGNORECASE)
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_PLACEHOLDER = re.compile(r"\s*<[^<>]+>\s*")
_LONGEST_IDEA = 300


@dataclass(frozen=True)
class ParsedAnswer:
    """The idea in one line, and the edits in the order they were written."""

    idea: str
    edits: tuple[Edit, ...]


def read_answer(
    text: str, known: Collection[str] = (), *, is_complete: bool = False, defines: bool = False
) -> ParsedAnswer:
    """Read an answer, or raise EditProblem; a line may consist of any of the ``known`` paths.

    The end of an answer that is complete, not cut off, also ends its last replacement or fence. If the answer
    ``defines``, a fenced block below the path of a Python file contains definitions, else the whole file.
    """
    reader = _Reader(text.replace("\r\n", "\n").split("\n"), known, is_complete, defines)
    edits = tuple(reader.edits())
    if not edits:
        raise EditProblem("The answer contains no edit: no block, and no code below the path of a file.")
    return ParsedAnswer(_idea(reader.prose), edits)


def idea_in(text: str) -> str:
    """The idea of an answer, even if its edits cannot be read."""
    return _idea([line for line in text.split("\n") if not _FENCE.fullmatch(line) and not _MARKER.fullmatch(line)])


@dataclass
class _Reader:
    lines: Sequence[str]
    known: Collection[str]
    is_complete: bool
    defines: bool
    at: int = 0
    path: str = ""
    """The file of the following edits, until another is named."""
    is_named: bool = False
    """Whether only blank lines and fences came since the file was named."""
    prose: list[str] = field(default_factory=list[str])

    def edits(self) -> Iterator[Edit]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if found := _SEARCH.fullmatch(line):
                yield self._replacement(found["path"])
            elif found := _FILE.fullmatch(line):
                yield self._file(found["path"])
            elif _MARKER.fullmatch(line):
                raise EditProblem(f"Line {self.at + 1} of the answer, '{line.strip()}', is outside of a block.")
            elif _FENCE.fullmatch(line) and (path := self._fenced_path()):
                self.path, self.is_named = path, True
                self.at += 3 if _is_bare(self.lines[self.at + 2]) else 2
            elif _FENCE.fullmatch(line) and self.is_named and not self._fences_a_block():
                yield self._fenced_file()
            elif _FENCE.fullmatch(line) and self.defines and not self._fences_a_block() and self._holds_code():
                self.path = ""
                yield self._fenced_file()
            else:
                self._read_prose(line)

    def _read_prose(self, line: str) -> None:
        self.at += 1
        if path := self._path_in(self.at - 1):
            self.path, self.is_named = path, True
        elif line.strip() and not _FENCE.fullmatch(line):
            self.is_named = False
            self.prose.append(line)

    def _path_in(self, at: int) -> str:
        """The path that a line consists of, without decoration like quotes; else empty."""
        bare = self.lines[at].strip().strip("*")
        path = _plain(_HEADING.sub("", bare, count=1))
        if path in self.known:
            return path
        looks_like_one = _PATH.fullmatch(path) and ("/" in path or "." in path.strip("."))
        return path if looks_like_one and (path != bare or self._opens_an_edit(at)) else ""

    def _opens_an_edit(self, at: int) -> bool:
        """Whether the next line that is not blank begins an edit or a fence."""
        below = (self.lines[number] for number in range(at + 1, len(self.lines)))
        following = next((line for line in below if line.strip()), "")
        return bool(_SEARCH.fullmatch(following) or _FENCE.fullmatch(following))

    def _fenced_path(self) -> str:
        """The path between this fence and the next, if there is nothing else between them."""
        is_alone = self.at + 2 < len(self.lines) and _FENCE.fullmatch(self.lines[self.at + 2])
        path = _plain(self.lines[self.at + 1].strip()) if is_alone else ""
        return path if path in self.known else ""

    def _fences_a_block(self) -> bool:
        """Whether a fence only encloses SEARCH or FILE blocks."""
        for at in range(self.at + 1, len(self.lines)):
            line = self.lines[at]
            if _SEARCH.fullmatch(line) or _FILE.fullmatch(line):
                return True
            if line.strip() and not self._path_in(at):
                return False
        return False

    def _holds_code(self) -> bool:
        """Whether a fence without a path above it contains definitions; their names determine the file."""
        try:
            end = self._end_of_fence()
        except EditProblem:
            return False
        text = "\n".join(self.lines[self.at + 1 : end])
        return bool(names_in(dedent(text)))

    def _replacement(self, path: str) -> Replacement:
        started, self.is_named = self.at, False
        self.path = _plain(path) or self.path
        if not self.path:
            raise EditProblem(f"The SEARCH in line {started + 1} of the answer names no file: write its path above it.")
        search = self._lines_until(_DIVIDER, f"The SEARCH in line {started + 1} of the answer has no ======= below it.")
        replace = self._lines_until(
            _REPLACE, f"The SEARCH in line {started + 1} of the answer has no >>>>>>> REPLACE below it."
        )
        if any(_DIVIDER.fullmatch(line) for line in replace):
            raise EditProblem(
                f"The block in line {started + 1} of the answer has several ======= lines, so the end of its SEARCH "
                "is ambiguous: write the whole file as a FILE block."
            )
        return Replacement(self.path, tuple(search), tuple(replace))

    def _file(self, path: str) -> WholeFile:
        started = self.at
        path = _plain(path) or self.path
        if not path:
            raise EditProblem(f"The FILE in line {started + 1} of the answer names no file: write FILE and its path.")
        lines = self._lines_until(_END, f"The FILE in line {started + 1} of the answer has no >>>>>>> END below it.")
        self.path, self.is_named = path, False
        return _whole(path, _without_fence(lines))

    def _lines_until(self, end: re.Pattern[str], missing: str) -> list[str]:
        """The lines from here to a marker; a marker that begins another edit must not come first."""
        start = self.at = self.at + 1
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if end.fullmatch(line):
                found = list(self.lines[start : self.at])
                if end is not _DIVIDER:
                    self.at += 1
                return found
            if _SEARCH.fullmatch(line) or (end is _DIVIDER and _REPLACE.fullmatch(line)):
                raise EditProblem(missing)
            self.at += 1
        if self.is_complete and end is _REPLACE:
            return _without_end(self.lines[start:])
        raise EditProblem(missing)

    def _fenced_file(self) -> WholeFile | Definitions:
        """A path and a fenced block below it; the file may contain fences, too."""
        end = self._end_of_fence()
        file = _whole(self.path, self._lines_before(end))
        self.at, self.is_named = end + 1, False
        if self.defines and _is_python(file.path):
            return Definitions(file.path, dedent(file.text))
        return replace(file, is_fenced=True)

    def _end_of_fence(self) -> int:
        """For Python the first closing fence that makes the code valid, else the last closing fence."""
        opened = _fence(self.lines[self.at])
        below = range(self.at + 1, self._where_the_next_edit_begins())
        ends = [at for at in below if _is_bare(self.lines[at]) and _fence(self.lines[at]).startswith(opened)]
        if not ends and self.is_complete and below.stop == len(self.lines):
            return below.stop
        if not ends:
            raise EditProblem(f"The code block in line {self.at + 1} of the answer is not closed.")
        if not _is_python(self.path):
            return ends[-1]
        sound = (end for end in ends if not why_not_python("\n".join(self._lines_before(end))))
        return next(sound, ends[-1])

    def _lines_before(self, end: int) -> Sequence[str]:
        """The lines of a fenced block without the placeholder of the format, which small models copy."""
        lines = self.lines[self.at + 1 : end]
        return lines[1:] if lines and _is_python(self.path) and _PLACEHOLDER.fullmatch(lines[0]) else lines

    def _where_the_next_edit_begins(self) -> int:
        """Where another edit starts below a fence: a marker, or a path with a fence right below it."""
        for at in range(self.at + 1, len(self.lines)):
            line = self.lines[at]
            if _SEARCH.fullmatch(line) or _FILE.fullmatch(line):
                return at
            if self._opens_an_edit(at) and self._path_in(at) not in {"", self.path}:
                return at
        return len(self.lines)


def _is_python(path: str) -> bool:
    """Whether a file is Python; a file without a name counts as Python."""
    return not path or path.endswith(".py")


def _plain(path: str) -> str:
    return path.strip("`*: ").removeprefix("./")


def _whole(path: str, lines: Sequence[str]) -> WholeFile:
    text = "\n".join(lines)
    return WholeFile(path, text + "\n" if text and not text.endswith("\n") else text)


def _without_fence(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a FILE block without an enclosing fence."""
    is_fenced = len(lines) > 1 and _FENCE.fullmatch(lines[0]) and _is_bare(lines[-1])
    return lines[1:-1] if is_fenced else lines


def _without_end(lines: Sequence[str]) -> list[str]:
    """The lines of a block without an end marker, without blank lines and a closing fence at the end."""
    last = len(lines)
    while last and (not lines[last - 1].strip() or _is_bare(lines[last - 1])):
        last -= 1
    return list(lines[:last])


def _fence(line: str) -> str:
    found = _FENCE.fullmatch(line)
    return found["fence"] if found else ""


def _is_bare(line: str) -> bool:
    """Whether a line is a fence and nothing else, so that it can close a block."""
    return bool(line.strip()) and line.strip() == _fence(line)


def _idea(prose: Sequence[str]) -> str:
    """The line that is marked as the idea, or else the first sentence."""
    marked = (found["idea"] for line in prose if (found := _IDEA.fullmatch(line)) and found["idea"])
    plain = (line.strip(" #*>_-") for line in prose)
    idea = next(marked, "") or next((line for line in plain if line), "")
    words = " ".join(idea.split())
    return words if len(words) <= _LONGEST_IDEA else words[: _LONGEST_IDEA - 1].rstrip() + "…"
