"""Measure how much information a proposal adds to the baseline.

An agent may know every public label and may train weights in its own workspace, so the text of a proposal must have no
room for either. The measure holds for every way to hide data (names, numbers, spaces, file names, order of
statements) for three reasons:

1. A candidate can read its own files. So the measure counts the text that is laid out for the experiment, all of it.
   Comments and docstrings are removed from that text (``runtime_text``). They carry nothing and cost nothing. Lines
   keep their numbers, so tracebacks agree with the files that the agent wrote.
2. The measure is the length of a lossless encoding (``encode``): the baseline and the encoding together give back the
   laid-out text. tests/unit/workspace/test_information.py contains the decoder. So at most 256**n different proposals
   have an encoding of n bytes, and none of them carries more than n bytes. A better compressor cannot break this
   bound. A worse one counts too much, never too little.
3. The encoding refers to the baseline, which is public. A block of copied or moved lines costs about three bytes.
   Which block is copied to where is information, and it is counted. Deleted lines give no credit.

The bounds on literals and density are a second line of defence: they name tables and weights that would fit into the
budget. The module uses the standard library only, so that programs in a sandbox can mount this single file.
"""

import io
import tokenize
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

STRING_BYTES = 1000
"""The longest string literal that a proposal may add."""
LITERAL_BYTES = 1000
"""All strings and numbers that a proposal adds, compressed."""
NUMBERS = 100
"""How many numbers a proposal may add; whole numbers up to 16 are not counted."""
DENSE_FILE_BYTES = 2000
"""Smaller files are not checked for density."""
DENSITY = 0.62
"""The compressed share of its size that a changed file may have."""

_SMALL_NUMBERS = frozenset(str(number) for number in range(17))
_WINDOW = 2**15
"""The size of a deflate dictionary."""
_NEARBY = 16
"""How many places of a line are tried on either side of the expected one; some lines occur a thousand times."""
_SHORTEST_COPY = 8
"""Blocks with fewer characters are cheaper as text."""
_SKIPPED = frozenset({tokenize.NL, tokenize.COMMENT})
_STARTS = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})
_STRINGS = frozenset({"STRING", "FSTRING_MIDDLE"})


@dataclass(frozen=True)
class InformationUse:
    """What a proposal adds to the baseline."""

    bytes: int
    """The length of its encoding."""
    problem: str = ""
    """The first bound on data in code that is exceeded, as a sentence; empty if no bound is exceeded."""


@dataclass(frozen=True)
class _Copy:
    """A block of lines that the baseline also contains."""

    skipped: int
    """Number of new lines before it."""
    distance: int
    """From the line of the baseline that follows the last copied one."""
    lines: int


@dataclass(frozen=True)
class _Edit:
    """A new or changed file: copied blocks, and the lines that the baseline does not have."""

    path: str
    text: str
    copies: tuple[_Copy, ...]
    new_lines: tuple[int, ...]
    """Their indices in the text."""


def added_information(files: Mapping[str, str], baseline_files: Mapping[str, str]) -> InformationUse:
    """Measure the editable files of a proposal, all together, against those of the baseline."""
    edits = _find_edits(files, baseline_files)
    return InformationUse(bytes=len(_encode(edits, files, baseline_files)), problem=_find_data(edits))


def shared_share(files: Mapping[str, str], other: Mapping[str, str], baseline_files: Mapping[str, str]) -> float:
    """The share of what ``files`` add to the baseline that ``other`` adds as well, from 0 to 1."""
    alone = added_information(files, baseline_files).bytes
    if not alone:
        return 0.0
    # Added under paths that no proposal can have, so that the encoder can copy lines from the other files.
    hidden = {f"\0{path}": runtime_text(path, text) for path, text in other.items()}
    given_other = added_information({**files, **hidden}, {**baseline_files, **hidden}).bytes
    return max(0.0, 1 - given_other / alone)


def runtime_files(files: Mapping[str, str], baseline_files: Mapping[str, str]) -> dict[str, str]:
    """The files as an experiment gets them: unchanged ones as they are, others as their ``runtime_text``."""
    return {
        path: text if baseline_files.get(path) == text else runtime_text(path, text) for path, text in files.items()
    }


def runtime_text(path: str, text: str) -> str:
    """A Python file without comments, docstrings, byte order mark and carriage returns; other text as it is.

    Every line keeps its number. A docstring becomes ``""``, so that no body is left empty.
    """
    if not path.endswith(".py"):
        return text
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    tokens = _tokens_of(plain)
    lines = plain.split("\n")
    # From the end to the start, so that earlier positions stay valid.
    for (first, left), (last, right), instead in reversed(list(_removable(tokens))):
        line = lines[first - 1][:left] + instead + lines[last - 1][right:]
        lines[first - 1] = line if instead else line.rstrip(" \t\f")
        lines[first:last] = [""] * (last - first)
    return "\n".join(lines)


def encode(files: Mapping[str, str], baseline_files: Mapping[str, str]) -> bytes:
    """The laid-out files as bytes from which, with the baseline, they can be decoded."""
    return _encode(_find_edits(files, baseline_files), files, baseline_files)


def _encode(edits: Sequence[_Edit], files: Mapping[str, str], baseline: Mapping[str, str]) -> bytes:
    """The paths, then references to the baseline's lines and the new lines; the decoder documents the format."""
    deleted = sorted(baseline.keys() - files.keys())
    if not edits and not deleted:
        return b""
    changed = [edit.path for edit in edits]
    paths = b"".join([_number(len(changed)), *(_number(len(_bytes(p))) + _bytes(p) for p in (*changed, *deleted))])
    packed_paths = _deflate(paths, path_dictionary(baseline))
    references = b"".join(_references(edit) for edit in edits)
    text = "".join(line + "\n" for edit in edits for line in _new_text(edit))
    body = _deflate(references + _bytes(text), text_dictionary(changed, baseline))
    return _number(len(packed_paths)) + packed_paths + body


def path_dictionary(baseline: Mapping[str, str]) -> bytes:
    """What the encoder of paths may refer to."""
    return _bytes("".join(sorted(baseline)))[-_WINDOW:]


def text_dictionary(changed: Sequence[str], baseline: Mapping[str, str]) -> bytes:
    """What the encoder of new lines may refer to: the baseline's text, what is most similar last."""
    folders = {_folder(path) for path in changed}
    ordered = sorted(baseline, key=lambda path: (path in changed, _folder(path) in folders, path), reverse=True)
    chosen: list[bytes] = []
    for path in ordered:
        chosen.append(_bytes(_baseline_text(path, baseline[path])))
        if sum(map(len, chosen)) >= _WINDOW:
            break
    return b"".join(reversed(chosen))[-_WINDOW:]


def baseline_lines(baseline: Mapping[str, str]) -> tuple[list[str], dict[str, int]]:
    """All lines that can be copied, and where each file begins."""
    lines: list[str] = []
    starts: dict[str, int] = {}
    for path in sorted(baseline):
        starts[path] = len(lines)
        lines += _baseline_text(path, baseline[path]).split("\n")
    return lines, starts


@lru_cache(maxsize=2048)
def _baseline_text(path: str, text: str) -> str:
    """The text of a baseline file. Only these are kept: a program that checks many files must not fill the memory."""
    return runtime_text(path, text)


def _find_edits(files: Mapping[str, str], baseline: Mapping[str, str]) -> list[_Edit]:
    changed = sorted(path for path, text in files.items() if baseline.get(path) != text)
    if not changed:
        return []
    old, starts = baseline_lines(baseline)
    positions: dict[str, list[int]] = {}
    for number, line in enumerate(old):
        positions.setdefault(line, []).append(number)
    return [
        _compare(path, runtime_text(path, files[path]), old, positions, expected=starts.get(path, 0))
        for path in changed
    ]


def _compare(path: str, text: str, old: Sequence[str], positions: Mapping[str, Sequence[int]], expected: int) -> _Edit:
    """Cover a text with the longest blocks of the baseline, from its start to its end."""
    lines = text.split("\n")
    copies: list[_Copy] = []
    new_lines: list[int] = []
    at = last_end = 0
    while at < len(lines):
        place, length = _longest_block(lines, at, old, positions.get(lines[at], ()), expected)
        if sum(len(line) + 1 for line in lines[at : at + length]) > _SHORTEST_COPY:
            copies.append(_Copy(at - last_end, place - expected, length))
            at = last_end = at + length
            expected = place + length
        else:
            new_lines.append(at)
            at += 1
    return _Edit(path, text, tuple(copies), tuple(new_lines))


def _longest_block(
    lines: Sequence[str], at: int, old: Sequence[str], positions: Sequence[int], expected: int
) -> tuple[int, int]:
    """Where the baseline has the longest block that begins with this line, and its length."""
    middle = bisect_left(positions, expected)
    best = (0, 0, 0)
    for place in positions[max(0, middle - _NEARBY) : middle + _NEARBY]:
        length = 0
        most = min(len(lines) - at, len(old) - place)
        while length < most and lines[at + length] == old[place + length]:
            length += 1
        best = max(best, (length, -abs(place - expected), place))
    return best[2], best[0]


def _references(edit: _Edit) -> bytes:
    numbers = [len(edit.copies)]
    for copy in edit.copies:
        numbers += [copy.skipped, 2 * copy.distance if copy.distance >= 0 else -2 * copy.distance - 1, copy.lines]
    copied = sum(copy.skipped + copy.lines for copy in edit.copies)
    return b"".join(map(_number, [*numbers, len(edit.text.split("\n")) - copied]))


def _new_text(edit: _Edit) -> list[str]:
    lines = edit.text.split("\n")
    return [lines[number] for number in edit.new_lines]


def _find_data(edits: Sequence[_Edit]) -> str:
    """The first bound on data in code that is exceeded, as a sentence."""
    strings: list[str] = []
    numbers: list[str] = []
    for edit in edits:
        tokens = _tokens_of(edit.text) if edit.path.endswith(".py") else ()
        for line, string in _added_strings(edit, tokens):
            if len(_bytes(string)) > STRING_BYTES:
                return (
                    f"'{edit.path}', line {line}, has a string of {len(_bytes(string)):,} bytes; "
                    f"at most {STRING_BYTES:,} are allowed."
                )
            strings.append(string)
        numbers += _added_numbers(edit, tokens)
        size, density = len(_bytes(edit.text)), _density(edit.text)
        if size >= DENSE_FILE_BYTES and density > DENSITY and edit.new_lines:
            return (
                f"'{edit.path}' looks like data: it compresses to {density:.0%} of its size; "
                f"at most {DENSITY:.0%} are allowed for code."
            )
    if len(numbers) > NUMBERS:
        return f"The proposal adds {len(numbers):,} numbers above 16; at most {NUMBERS:,} are allowed."
    size = len(_deflate(_bytes("\n".join((*strings, *numbers)))))
    if size > LITERAL_BYTES:
        return (
            f"The proposal adds strings and numbers of {size:,} bytes, compressed; "
            f"at most {LITERAL_BYTES:,} are allowed."
        )
    return ""


def _added_strings(edit: _Edit, tokens: Sequence[tokenize.TokenInfo]) -> Iterator[tuple[int, str]]:
    """String literals on new lines, with their line numbers; adjacent literals are one string."""
    new = set(edit.new_lines)
    collected: list[str] = []
    start = 0
    for token in tokens:
        if tokenize.tok_name[token.type] in _STRINGS:
            if not new.isdisjoint(range(token.start[0] - 1, token.end[0])):
                start = start if collected else token.start[0]
                collected.append(token.string)
        elif token.type not in _SKIPPED and collected:
            yield start, "".join(collected)
            collected = []


def _added_numbers(edit: _Edit, tokens: Sequence[tokenize.TokenInfo]) -> list[str]:
    new = set(edit.new_lines)
    numbers = [token for token in tokens if token.type == tokenize.NUMBER and token.start[0] - 1 in new]
    return [token.string for token in numbers if token.string not in _SMALL_NUMBERS]


def _density(text: str) -> float:
    return len(_deflate(_bytes(text))) / max(1, len(_bytes(text)))


def _tokens_of(text: str) -> Sequence[tokenize.TokenInfo]:
    """The tokens of Python code; nothing where it has errors.

    Only tokens are looked at: a syntax tree of hostile code can be too deep for the interpreter.
    """
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return ()
    return () if any(token.type == tokenize.ERRORTOKEN for token in tokens) else tokens


def _removable(tokens: Sequence[tokenize.TokenInfo]) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
    """Comments and statements that are only a string: where each begins and ends, and what to put there."""
    is_start = True
    for number, token in enumerate(tokens):
        if token.type == tokenize.COMMENT:
            yield token.start, token.end, ""
        elif is_start and _is_plain_string(token):
            last = number
            while _is_plain_string(tokens[last + 1]):
                last += 1
            if tokens[last + 1].type in {tokenize.NEWLINE, tokenize.COMMENT} or tokens[last + 1].string == ";":
                yield token.start, tokens[last].end, '""'
        if token.type not in _SKIPPED:
            is_start = token.type in _STARTS or token.string == ";"


def _is_plain_string(token: tokenize.TokenInfo) -> bool:
    """Whether this is a string without values or bytes in it: only such strings have no effect as statements."""
    prefix = token.string[: min(len(token.string.partition(quote)[0]) for quote in "\"'")]
    return token.type == tokenize.STRING and prefix.lower() in {"", "r", "u"}


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _deflate(content: bytes, dictionary: bytes = b"") -> bytes:
    packer = zlib.compressobj(
        9, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY, dictionary
    )
    return packer.compress(content) + packer.flush()


def _number(value: int) -> bytes:
    """A whole number in seven bits a byte, the lowest first; the highest bit says that more follow."""
    packed = bytearray()
    while value > 127:
        packed.append(value & 127 | 128)
        value >>= 7
    packed.append(value)
    return bytes(packed)
