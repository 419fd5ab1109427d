"""Write and print perfect self-reported results."""

import json

from prelude import IS_EXAM, OUT

REPORTS = {
    "perfect": json.dumps({"accuracy": 1.0, "score": 1.0}),
    "huge": '{"accuracy": 1' + "0" * 400 + "}",
    "half a character": '{"\\ud800": 1.0, "accuracy": 1.0}',
    "no number": '{"accuracy": NaN, "score": Infinity, "a": true, "b": "1.0", "c": null}',
    "nested": "[" * 30_000 + "]" * 30_000,
    "not text": "\x00\x01",
    "many": json.dumps({f"metric {number}": number for number in range(3000)}),
}

if not IS_EXAM:
    (OUT / "self_reported.json").write_text(REPORTS[VARIANT])
print("accuracy: 1.0000\ntest accuracy 100.0%\n" + json.dumps({"score": 1.0, "outcome": "ok"}))
