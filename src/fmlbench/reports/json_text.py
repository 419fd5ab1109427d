"""Reports for programs: JSON that any parser reads and no terminal stumbles over."""

import json

from pydantic_core import to_jsonable_python


def to_json(value: object) -> str:
    """Records, dataclasses, paths and what they are made of, as JSON in plain ASCII; NaN becomes null."""
    return json.dumps(to_jsonable_python(value, inf_nan_mode="null"), indent=2, allow_nan=False)
