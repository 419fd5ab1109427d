"""fml: the benchmark's command line inside an agent's sandbox.

    fml brief                show the task, the editable files and the metric
    fml status               show all steps and the remaining budget
    fml log                  same as status
    fml diff STEP            show what a step changed
    fml checkout STEP        restore the editable files of a step
    fml check                show how much information the files add and the limit (free)
    fml try                  train and score on practice questions (takes time, but no step)
    fml submit -m "IDEA"     score the current editable files (takes one step)
    fml done                 end the session; nothing more can be submitted

Add --json for machine-readable output. 'submit --print-metric' also prints a last line 'NAME: VALUE'.
Exit codes: 0 success, 1 the code under test failed, 2 the request was rejected, 3 the budget is spent.
"""

import argparse
import difflib
import json
import os
import socket
import sys
from pathlib import Path

OK, FAILED, REFUSED, SPENT = 0, 1, 2, 3
LAB = Path(os.environ.get("FML_LAB", "/lab"))
WORK = LAB / "work"
SKIPPED = {".git", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache"}


def main():
    """Run the command; return the exit code."""
    options = read_arguments()
    if options.command in {"brief", "status", "log", "done"}:
        return show(ask({"ask": "status" if options.command == "log" else options.command}), options)
    if options.command == "diff":
        answer = ask({"ask": "diff", "step": options.step})
        if answer["ok"]:
            answer["text"] = difference(answer["data"]["before"], answer["data"]["after"])
        return show(answer, options)
    if options.command == "checkout":
        answer = ask({"ask": "checkout", "step": options.step})
        if answer["ok"]:
            restore(answer["data"]["files"])
        return show(answer, options)
    files, left_out = collect()
    if options.command == "check":
        answer = ask({"ask": "check", "files": files})
        return show(answer, options, outcome="rejected" if answer["data"].get("violation") else "ok")
    if options.command == "try":
        answer = ask({"ask": "try", "files": files})
        return show(answer, options, outcome=answer["data"].get("outcome"))
    return submit(files, left_out, options)


def read_arguments():
    """Parse the command line."""
    parser = argparse.ArgumentParser("fml", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in ("brief", "status", "log", "diff", "checkout", "check", "try", "submit", "done"):
        command = commands.add_parser(name)
        command.add_argument("--json", action="store_true", help="print machine-readable output")
        if name in {"diff", "checkout"}:
            command.add_argument("step", type=int)
        if name == "submit":
            command.add_argument("-m", "--idea", required=True, help="the idea in one sentence")
            command.add_argument("--print-metric", action="store_true", help="print 'NAME: VALUE' as the last line")
    return parser.parse_args()


def submit(files, left_out, options):
    """Submit the files and print the result."""
    if left_out:
        print("Not submitted, because they are not editable:", ", ".join(left_out), file=sys.stderr)
    answer = ask({"ask": "submit", "idea": options.idea, "files": files, "left_out": left_out})
    if not answer["ok"]:
        print(answer["text"], file=sys.stderr)
        return SPENT if answer["data"].get("steps_left") == 0 else REFUSED
    last = answer["data"]["last"]
    code = show(answer, options, outcome=last["outcome"])
    if options.print_metric:
        print(f"{answer['data']['metric']}: {last['score'] if last['score'] is not None else 'none'}")
    return code


def show(answer, options, outcome="ok"):
    """Print an answer; return the exit code."""
    if not answer["ok"]:
        print(answer["text"], file=sys.stderr)
        return REFUSED
    print(json.dumps(answer["data"], indent=2) if options.json else answer["text"])
    return OK if outcome == "ok" else FAILED


def collect():
    """Return the editable files, and the paths of other files that were changed."""
    paths = sorted(
        (Path(folder) / name).relative_to(WORK).as_posix() for folder, _, names in walk(WORK) for name in names
    )
    editable = set(ask({"ask": "sort", "paths": paths})["data"]["editable"])
    files = {}
    for path in sorted(editable):
        try:
            files[path] = (WORK / path).read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            sys.exit(fail(f"{path} cannot be read as text: {error}"))
    return files, [path for path in paths if path not in editable and is_changed(path)]


def walk(top):
    """Walk all folders except caches and .git."""
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in SKIPPED]
        yield folder, folders, names


def is_changed(path):
    """Whether a file differs from the original repository; of new files only Python counts."""
    untouched = LAB / "repository" / path
    try:
        if not untouched.is_file():
            return path.endswith(".py")
        return untouched.read_bytes() != (WORK / path).read_bytes()
    except OSError:
        return True


def restore(files):
    """Write these editable files and delete all others."""
    present, _ = collect()
    for path in present.keys() - files.keys():
        (WORK / path).unlink()
    for path, text in files.items():
        (WORK / path).parent.mkdir(parents=True, exist_ok=True)
        (WORK / path).write_bytes(text.encode("utf-8"))


def difference(before, after):
    """The changes as a unified diff."""
    lines = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, "").splitlines(True), after.get(path, "").splitlines(True)
        lines += difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    return "".join(lines) or "No changes."


def ask(request):
    """Send a request to the submission server and return its answer."""
    folder = os.open(LAB / "server", os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.connect(f"/proc/self/fd/{folder}/socket")
            server.sendall(json.dumps(request).encode() + b"\n")
            with server.makefile("rb") as answers:
                line = answers.readline()
    except (FileNotFoundError, ConnectionRefusedError):
        sys.exit(fail("The submission server is not running: the run has ended or was stopped."))
    except OSError as error:
        sys.exit(fail(f"The submission server cannot be reached: {error}"))
    if not line:
        sys.exit(fail("The submission server sent no answer: the time limit is reached."))
    return json.loads(line)


def fail(reason):
    """Print an error; return the exit code."""
    print(reason, file=sys.stderr)
    return REFUSED


if __name__ == "__main__":
    sys.exit(main())
