"""Write bytes that are not an array, or that harm their reader."""

import io
import os
import pickle
import zipfile

import numpy as np
from prelude import TARGET, write_answers


def header(text):
    padded = text.encode("latin1") + b" " * (63 - (len(text) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded


def claim(shape, descr="'<i8'"):
    return header(f"{{'descr': {descr}, 'fortran_order': False, 'shape': ({shape},), }}") + b"\0" * 64


class Bomb:
    def __reduce__(self):
        return os.system, (f"touch {TARGET['canary_folder']}/{TARGET['mark']}",)


def pickled():
    buffer = io.BytesIO()
    np.save(buffer, np.array([Bomb()], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def archive():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        zipped.writestr("answers.npy", claim(1))
    return buffer.getvalue()


CONTENT = {
    "array of pickles": pickled,
    "bare pickle": lambda: pickle.dumps(Bomb()),
    "four terabytes": lambda: claim(2**39),
    "more than can be counted": lambda: claim(2**70),
    "negative size": lambda: claim(-1),
    "giant items": lambda: claim(4, "'S2000000000'"),
    "archive": archive,
    "zero division": lambda: claim(3, "'<M8[s/0]'"),
    "broken archive": lambda: b"PK\x03\x04" + b"x" * 100,
    "endless header": lambda: header("-" * 9000 + "1"),
    "open header": lambda: header("{'descr': '''"),
    "words": lambda: b'{"score": true, "accuracy": "1.0"}',
    "nothing": lambda: b"",
}


def write(target, answers):
    content = CONTENT[VARIANT]()
    target.write(content) if hasattr(target, "write") else target.write_bytes(content)


write_answers(write)
