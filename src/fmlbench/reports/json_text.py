"""Reports as JSON."""

import json

from pydantic_core import to_jsonable_python


def to_json(value: object) -> str:
    """Serialise records, dataclasses and paths as ASCII JSON; NaN becomes null."""
    return json.dumps(to_jsonable_python(value, inf_nan_mode="null"), indent=2, allow_nan=False)
