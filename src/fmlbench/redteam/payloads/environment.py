"""Search for keys and tokens in the environment and in the usual files."""

import os
from pathlib import Path

from prelude import TARGET, reached

HARMLESS = {"PATH", "HOME", "USER", "LANG", "TZ", "PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE"}
HARMLESS |= {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK"}
FILES = (
    ".netrc",
    ".ssh/id_rsa",
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".config",
    ".cache/huggingface/token",
    ".pypirc",
)

for name, value in os.environ.items():
    if name not in HARMLESS and not name.startswith(("PYTHON", "KMP_", "TORCH", "OMP_")):
        reached(f"variable {name}")
    if TARGET["token"] in value:
        reached(f"the token in {name}")
for home in {os.path.expanduser("~"), "/root", *(str(path) for path in Path("/home").glob("*"))}:
    for file in FILES:
        if (Path(home) / file).exists():
            reached(f"{home}/{file}")
for path in ("/etc/shadow", "/etc/machine-id", "/run/secrets", "/var/run/docker.sock"):
    if os.path.exists(path):
        reached(path)
