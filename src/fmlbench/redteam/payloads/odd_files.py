"""Create something other than a regular file in place of the answers."""

import os
import socket

import numpy as np
from prelude import IS_EXAM, OUT, TARGET, write_answers


def link_to_labels(path, _):
    path.symlink_to(f"{TARGET['samples'][0]}/validation/labels/labels.npy")


def link_through_folder(path, _):
    """Make a folder in the path a link; the file itself is a regular one."""
    (OUT / "elsewhere").symlink_to(TARGET["samples"][0])
    path.symlink_to("elsewhere/test/labels/labels.npy")


def hard_link(path, answers):
    np.save(OUT / "other.npy", answers)
    os.link(OUT / "other.npy", path)


def sparse(path, _):
    with path.open("wb") as file:
        for gigabytes in (50, 1, 0.02):
            try:
                file.truncate(int(gigabytes * 2**30))
                return
            except OSError as error:
                print(error)


def listening(path, _):
    os.chdir(OUT)
    socket.socket(socket.AF_UNIX).bind(path.name)


def locked(path, answers):
    np.save(path, answers)
    path.chmod(0)


FILES = {
    "link to the labels": link_to_labels,
    "link through a folder": link_through_folder,
    "hard link": hard_link,
    "pipe": lambda path, _: os.mkfifo(path),
    "folder": lambda path, _: (path / "answers.npy").mkdir(parents=True),
    "socket": listening,
    "sparse file": sparse,
    "locked file": locked,
    "device": lambda path, _: path.symlink_to("/dev/zero"),
}

if IS_EXAM:
    write_answers(FILES[VARIANT])
