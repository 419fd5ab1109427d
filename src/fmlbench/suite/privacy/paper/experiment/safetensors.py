"""Read and write weights in the safetensors format: a length, a header in JSON, and raw numbers.

Nothing in such a file can execute. The format is simple enough not to need the package: eight bytes with the header's
length, the header, which names every array with its kind, shape and place, and the arrays one after the other.
"""

import json

import numpy as np

KIND = "F32"


def write(path, arrays, facts):
    """Write float32 arrays by name, with facts about them."""
    header, place = {"__metadata__": {name: str(value) for name, value in facts.items()}}, 0
    blobs = [np.ascontiguousarray(array, dtype="<f4").tobytes() for array in arrays.values()]
    for (name, array), blob in zip(arrays.items(), blobs, strict=True):
        header[name] = {"dtype": KIND, "shape": list(array.shape), "data_offsets": [place, place + len(blob)]}
        place += len(blob)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blobs))


def read(path):
    """The arrays by name, and the facts about them."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header, blobs = json.loads(content[8 : 8 + length]), memoryview(content)[8 + length :]
    facts = header.pop("__metadata__", {})
    arrays = {}
    for name, entry in header.items():
        if entry["dtype"] != KIND:
            raise ValueError(f"{name} is {entry['dtype']}; {KIND} is expected")
        first, last = entry["data_offsets"]
        arrays[name] = np.frombuffer(blobs[first:last], dtype="<f4").reshape(entry["shape"])
    return arrays, facts
