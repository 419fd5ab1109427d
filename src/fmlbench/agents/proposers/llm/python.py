"""Whether a text is Python, as far as can be said without running it."""

import ast
import warnings


def why_not_python(text: str) -> str:
    """What keeps a text from being Python, in one line; nothing if it is."""
    with warnings.catch_warnings():
        # A doubtful escape in somebody's docstring is no reason to turn a change down.
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError as error:
            place = f" in line {error.lineno}: {(error.text or '').strip()}" if error.lineno else ""
            return f"{error.msg}{place}"
        except (ValueError, RecursionError, MemoryError) as error:
            return str(error) or type(error).__name__
    return ""
