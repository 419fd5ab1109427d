"""Turn disk errors into errors with a hint."""

import errno
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.core.errors import InfraTrouble

_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR}


@contextmanager
def disk_trouble_explained(folder: Path) -> Generator[None]:
    """Turn a full disk or a missing permission below ``folder`` into an InfraTrouble with a hint."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise InfraTrouble(
                f"The disk is full: there is no space left in '{folder}'.",
                hint="Free some space or choose another folder, then try again; no incomplete files were kept.",
            ) from error
        if error.errno in _FORBIDDEN:
            raise InfraTrouble(
                f"'{error.filename or folder}' cannot be used: {error.strerror}.",
                hint=f"Check the permissions of '{folder}' or choose another folder.",
            ) from error
        raise
