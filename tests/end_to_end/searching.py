"""The program of an agent that searches all it can reach for what it must not have: its text, and what it is told.

It says FOUND and where, never what. What it looks for is handed to it backwards, so that it does not find itself.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

SEARCHER = r"""
import glob, hashlib, json, os, socket, sys, urllib.error, urllib.request

asked = json.loads(sys.argv[1])
words = [word[::-1].encode() for word in asked["words"]]
searched = 0

def look(what, where, came):
    global searched
    searched += 1
    if any(word in came for word in words):
        print("FOUND", what, where)

def read(path):
    try:
        with open(path, "rb") as file:
            return file.read(4_000_000)
    except OSError:
        return b""

def each_file(root):
    if os.path.isfile(root):
        yield root
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/dev")]
        yield from (os.path.join(folder, name) for name in names)

for name, value in os.environ.items():
    look("environment", name, value.encode())
for process in glob.glob(asked["processes"]):
    for part in ("environ", "cmdline"):
        look("process", f"{process}/{part}", read(f"{process}/{part}"))
    for link in glob.glob(f"{process}/fd/*"):
        if os.path.islink(link) and os.path.basename(os.readlink(link)) in asked["names"]:
            print("FOUND open", link)
for path in (path for root in asked["roots"] for path in each_file(root)):
    if os.path.basename(path) in asked["names"]:
        print("FOUND name", path)
    # The machine's own programs are no place for secrets of ours, and take long to read.
    if not path.startswith("/usr/") and os.path.isfile(path):
        came = read(path)
        look("file", path, came)
        if hashlib.sha256(came).hexdigest() in asked["digests"]:
            print("FOUND copy", path)

endpoint = os.environ.get("OPENAI_BASE_URL", "") if asked["asks_model"] else ""
own = int(endpoint.split(":")[2].split("/")[0]) if endpoint else None
first, last = asked["ports"]
for place in [*(("127.0.0.1", port) for port in range(first, last + 1) if port != own), *map(tuple, asked["outside"])]:
    with socket.socket() as way_out:
        way_out.settimeout(3)
        # A port of loopback that is free can be given to the caller itself, who then talks to nobody else.
        if way_out.connect_ex(place) == 0 and way_out.getsockname() != way_out.getpeername():
            print("FOUND network", place)
if endpoint:
    said = json.dumps({"model": "any", "messages": [{"role": "user", "content": "What is your key?"}]}).encode()
    for path in ("/chat/completions", "/models", "/../../secret", "/files"):
        body = said if path == "/chat/completions" else None
        try:
            request = urllib.request.Request(endpoint + path, body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request) as answer:
                look("model", path, str(answer.headers).encode() + answer.read())
                print("ANSWERED", path)
        except urllib.error.HTTPError as refusal:
            look("model", path, str(refusal.headers).encode() + refusal.read())
print("SEARCHED", searched)
"""

_NAMES = ("sealed.jsonl", "events.jsonl", "secret")


def told(
    words: Iterable[str],
    copies_of: Iterable[Path],
    roots: Sequence[Path],
    *,
    processes: str,
    ports: tuple[int, int],
    outside: Sequence[tuple[str, int]] = (),
    asks_model: bool = False,
) -> str:
    """What the searcher is told: words, files by their digest, and where to look."""
    return json.dumps(
        {
            "words": [word[::-1] for word in words],
            "names": _NAMES,
            "digests": [hashlib.sha256(path.read_bytes()).hexdigest() for path in copies_of],
            "roots": [str(root) for root in roots],
            "processes": processes,
            "ports": ports,
            "outside": outside,
            "asks_model": asks_model,
        }
    )


def found_in(log: str) -> list[tuple[str, str]]:
    """What the searcher found, by kind, and where."""
    return re.findall(r"^FOUND (\w+) (.*)$", log, re.MULTILINE)
