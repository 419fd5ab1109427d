"""Write typical training output: checkpoints, curves, reports, temporary files."""

import json
import tempfile

import numpy as np
from prelude import CARRY, IS_EXAM, OUT

if not IS_EXAM:
    (OUT / "checkpoints" / "epoch-1").mkdir(parents=True)
    np.savez(OUT / "checkpoints" / "epoch-1" / "weights.npz", weights=np.zeros(1000))
    (OUT / "history.json").write_text(json.dumps([{"epoch": 1, "loss": 0.5}]))
    (OUT / "log.txt").write_text("training went well\n")
    (OUT / "self_reported.json").write_text(json.dumps({"loss": 0.5, "train_accuracy": 0.6}))
    np.save(CARRY / "statistics.npy", np.zeros((400, 100)))
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(20 * 2**20))
else:
    assert (CARRY / "statistics.npy").stat().st_size > 300_000
