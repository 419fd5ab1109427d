"""Ways to hide data in the text of a proposal, for tests and benchmarks/information.py.

Each function takes a payload and returns the files of a proposal. ``BASELINE`` is the codebase they are laid over.
"""

from base64 import b64encode
from collections.abc import Callable, Iterator
from itertools import islice, permutations

Files = dict[str, str]
Carrier = Callable[[bytes], Files]

BASELINE: Files = {
    "model/net.py": "".join(f"layer_{number} = build_layer({number})\n" for number in range(256)),
    "model/steps.py": "".join(f"import step_{number}\n" for number in range(6800)),
    "model/many.py": "".join(f"value_{number} = {number}\n" for number in range(8000)),
}


def in_identifiers(payload: bytes) -> Files:
    return _module("".join(f"n{part} = 0\n" for part in _hex_parts(payload, 16)))


def in_base32_names(payload: bytes) -> Files:
    """Letters of five bits each, the best case for a Huffman code."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEF"
    return _module("".join(f"{name}\n" for name in _grouped(_signs(payload, letters, ""), 2000)))


def in_argument_names(payload: bytes) -> Files:
    return _module("".join(f"def f(n{part}): ...\n" for part in _hex_parts(payload, 16)))


def in_attribute_names(payload: bytes) -> Files:
    return _module("".join(f"x.n{part}\n" for part in _hex_parts(payload, 16)))


def in_lookalikes(payload: bytes) -> Files:
    """Eight Unicode alphabets whose letters are normalized to "a" (NFKC)."""
    letters = [chr(code) for code in (0x61, 0x1D41A, 0x1D44E, 0x1D482, 0x1D4EA, 0x1D51E, 0x1D552, 0xFF41)]
    names = _grouped("".join(letters[digit] for digit in _digits(payload, 3)), 64)
    return _module("".join(f"{name} = 0\n" for name in names))


def in_indentation(payload: bytes) -> Files:
    return _module("".join(f"if x:\n{' ' * (1 + digit)}y\n" for digit in _digits(payload, 5)))


def in_spaces(payload: bytes) -> Files:
    return _module("".join(f"x{' ' * (1 + digit)}= 0\n" for digit in _digits(payload, 5)))


def in_trailing_spaces(payload: bytes) -> Files:
    return _module("".join(f"x{' ' * digit}\n" for digit in _digits(payload, 5)))


def in_tabs_and_form_feeds(payload: bytes) -> Files:
    return _module("".join("\f" if bit else "\t" for bit in _digits(payload, 1)) + "\n")


def in_blank_lines(payload: bytes) -> Files:
    return _module("".join(f"x{chr(10) * (1 + digit)}" for digit in _digits(payload, 3)))


def in_line_continuations(payload: bytes) -> Files:
    return _module("x = 0" + "".join(f"+{(chr(92) + chr(10)) * digit}0" for digit in _digits(payload, 2)) + "\n")


def in_lines_of_comments(payload: bytes) -> Files:
    """The words of a comment are removed, but its lines stay."""
    return _module("".join(f"x\n{('#' + chr(10)) * digit}" for digit in _digits(payload, 3)))


def in_lines_of_docstrings(payload: bytes) -> Files:
    return _module("".join(f'"""{chr(10) * digit}"""\n' for digit in _digits(payload, 3)))


def in_decimal_numbers(payload: bytes) -> Files:
    return _module(f"x = [{', '.join(str(byte) for byte in payload)}]\n")


def in_one_number(payload: bytes) -> Files:
    return _module(f"x = 0x{payload.hex()}\n")


def in_spellings_of_numbers(payload: bytes) -> Files:
    """One number in eight spellings."""
    spellings = ("1.0", "1.", "1e0", "1E0", "01.", "1_0e-1", ".1e1", "10e-1")
    return _module("x = (" + "".join(f"{spellings[digit]},\n" for digit in _digits(payload, 3)) + ")\n")


def in_one_string(payload: bytes) -> Files:
    return _module(f"x = '{payload.hex()}'\n")


def in_base64_string(payload: bytes) -> Files:
    return _module(f"x = '{b64encode(payload).decode('ascii')}'\n")


def in_short_strings(payload: bytes) -> Files:
    return _module("x = (" + "\n+ ".join(f"'{part}'" for part in _hex_parts(payload, 8)) + ")\n")


def in_adjacent_strings(payload: bytes) -> Files:
    return _module("x = (" + "\n".join(f"'{part}'" for part in _hex_parts(payload, 8)) + ")\n")


def in_quotes(payload: bytes) -> Files:
    return _module(
        "x = ("
        + "".join(("''", '""', "r''", 'r""', "R''", 'R""', "u''", 'u""')[digit] for digit in _digits(payload, 3))
        + ")\n"
    )


def in_operators(payload: bytes) -> Files:
    return _module("".join(f"x{part}x\n" for part in _grouped(_signs(payload, "+-*/%@|&", "x"), 60)))


def in_nested_calls(payload: bytes) -> Files:
    calls = _grouped(_signs(payload, "abcdefghijklmnop", "("), 60)
    return _module("".join(f"{part}{')' * part.count('(')}\n" for part in calls))


def in_kinds_of_statements(payload: bytes) -> Files:
    kinds = ("pass", "x", "del x", "break", "raise", "assert x", "return", "import x")
    return _module("".join(f"{kinds[digit]}\n" for digit in _digits(payload, 3)))


def in_annotations(payload: bytes) -> Files:
    return _module("".join(f"x: n{part}\n" for part in _hex_parts(payload, 16)))


def in_decorators(payload: bytes) -> Files:
    return _module("".join(f"@n{part}\ndef f(): ...\n" for part in _hex_parts(payload, 16)))


def in_order_of_imports(payload: bytes) -> Files:
    """A permutation of the baseline's lines."""
    lines = BASELINE["model/steps.py"].splitlines(keepends=True)
    number = int.from_bytes(payload, "big")
    ordered: list[str] = []
    while lines:
        number, place = divmod(number, len(lines))
        ordered.append(lines.pop(place))
    assert not number, "the payload does not fit"
    return {**BASELINE, "model/steps.py": "".join(ordered)}


def in_order_of_new_statements(payload: bytes) -> Files:
    orders = list(islice(permutations("abcdefgh"), 2**15))
    return _module("".join("".join(f"{name}\n" for name in orders[digit]) for digit in _digits(payload, 15)))


def in_copied_lines(payload: bytes) -> Files:
    """Every byte is a line of the baseline."""
    lines = BASELINE["model/net.py"].splitlines(keepends=True)
    return _module("".join(lines[byte] for byte in payload))


def in_moved_lines(payload: bytes) -> Files:
    """The same, with the baseline's files deleted."""
    return {"model/new.py": in_copied_lines(payload)["model/new.py"]}


def in_deleted_lines(payload: bytes) -> Files:
    """A bit for every line: kept or deleted. There is room for 1,000 bytes."""
    lines = BASELINE["model/many.py"].splitlines(keepends=True)
    kept = [line for line, bit in zip(lines, _digits(payload, 1), strict=False) if bit]
    return {**BASELINE, "model/many.py": "".join(kept)}


def in_file_names(payload: bytes) -> Files:
    return {**BASELINE, **{f"model/{part}.py": "" for part in _hex_parts(payload, 50)}}


def in_folder_names(payload: bytes) -> Files:
    return {**BASELINE, **{f"model/{'/'.join(_grouped(part, 10))}/x.py": "" for part in _hex_parts(payload, 50)}}


def in_many_files(payload: bytes) -> Files:
    parts = list(_hex_parts(payload, 50))
    return {**BASELINE, **{f"model/part_{number}.py": f"x = '{part}'\n" for number, part in enumerate(parts)}}


def in_text_files(payload: bytes) -> Files:
    return {**BASELINE, "model/table.txt": payload.hex()}


def in_broken_code(payload: bytes) -> Files:
    """Comments of a file that has no tokens are not removed, so they count."""
    return _module(f"x = (\n# {payload.hex()}\n")


def in_hidden_comments(payload: bytes) -> Files:
    """A "#" in a string does not start a comment."""
    return _module("".join(f"x = '# {part}'\n" for part in _hex_parts(payload, 32)))


def in_comments(payload: bytes) -> Files:
    return _module("".join(f"x = 0  # {part}\n" for part in _hex_parts(payload, 32)))


def in_docstrings(payload: bytes) -> Files:
    return _module(f'"""{payload.hex()}"""\n' + "".join(f"def f():\n  '{part}'\n" for part in _hex_parts(payload, 32)))


def in_coding_cookie(payload: bytes) -> Files:
    return _module(f"# coding: {payload.hex()}\nx = 0\n")


def in_byte_order_mark(payload: bytes) -> Files:
    return _module("\ufeff" * (payload[0] % 2) + "x = 0\n")


def in_carriage_returns(payload: bytes) -> Files:
    return _module("".join(("x\n", "x\r\n")[digit] for digit in _digits(payload, 1)))


def in_order_of_files(payload: bytes) -> Files:
    names = sorted((f"model/{number}.py" for number in range(100)), key=lambda name: hash((name, payload)))
    return {**BASELINE, **dict.fromkeys(names, "x = 0\n")}


COUNTED: tuple[Carrier, ...] = (
    in_identifiers,
    in_base32_names,
    in_argument_names,
    in_attribute_names,
    in_lookalikes,
    in_indentation,
    in_spaces,
    in_trailing_spaces,
    in_tabs_and_form_feeds,
    in_blank_lines,
    in_line_continuations,
    in_lines_of_comments,
    in_lines_of_docstrings,
    in_decimal_numbers,
    in_one_number,
    in_spellings_of_numbers,
    in_one_string,
    in_base64_string,
    in_short_strings,
    in_adjacent_strings,
    in_quotes,
    in_operators,
    in_nested_calls,
    in_kinds_of_statements,
    in_annotations,
    in_decorators,
    in_order_of_imports,
    in_order_of_new_statements,
    in_copied_lines,
    in_moved_lines,
    in_deleted_lines,
    in_file_names,
    in_folder_names,
    in_many_files,
    in_text_files,
    in_broken_code,
    in_hidden_comments,
)
"""The payload is in the files of the experiment, so every bit must be counted."""

REMOVED: tuple[Carrier, ...] = (
    in_comments,
    in_docstrings,
    in_coding_cookie,
    in_byte_order_mark,
    in_carriage_returns,
    in_order_of_files,
)
"""The payload is not in the files of the experiment."""


def room_of(carrier: Carrier) -> int:
    """The size of the payload with which a carrier is tested."""
    return 1000 if carrier in {in_deleted_lines, in_carriage_returns} else 8192


def _module(text: str) -> Files:
    return {**BASELINE, "model/new.py": text}


def _hex_parts(payload: bytes, size: int) -> Iterator[str]:
    return (payload[at : at + size].hex() for at in range(0, len(payload), size))


def _grouped(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _signs(payload: bytes, alphabet: str, between: str) -> str:
    width = len(alphabet).bit_length() - 1
    return "".join(alphabet[digit] + between for digit in _digits(payload, width))


def _digits(payload: bytes, bits: int) -> Iterator[int]:
    """The payload as digits of ``bits`` bits each, padded with zeros."""
    stream = (byte >> shift & 1 for byte in payload for shift in range(7, -1, -1))
    while chunk := list(islice(stream, bits)):
        yield int("".join(map(str, chunk)).ljust(bits, "0"), 2)
