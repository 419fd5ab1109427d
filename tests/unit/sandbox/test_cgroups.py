"""Control groups: where they are created, their figures, and their removal."""

from pathlib import Path

from fmlbench.core.task import Limits
from fmlbench.sandbox.cgroups import (
    CgroupParents,
    CgroupV2,
    find_parents,
)
from fmlbench.sandbox.processes import ProcessUsage

LIMITS = Limits(cpu_seconds=1, wall_seconds=1, memory_mb=100, processes=10)


def fake_proc(folder: Path, mounts: list[str], groups: list[str]) -> Path:
    """A /proc with only the mounts and groups of this process."""
    (folder / "self").mkdir(parents=True)
    (folder / "self/mountinfo").write_text("\n".join(["22 1 0:20 / / rw - ext4 /dev/sda rw", *mounts]) + "\n")
    (folder / "self/cgroup").write_text("\n".join(groups) + "\n")
    return folder


def v2_folder(path: Path, handed_down: str) -> Path:
    path.mkdir(parents=True)
    (path / "cgroup.subtree_control").write_text(handed_down + "\n")
    return path


def test_version_2_groups_are_siblings_of_our_group(tmp_path: Path) -> None:
    slice_folder = v2_folder(tmp_path / "fs" / "app.slice", "cpu memory pids")
    v2_folder(slice_folder / "terminal.scope", "")
    mounts = [f"30 22 0:26 / {tmp_path}/fs rw - cgroup2 cgroup2 rw,nsdelegate"]
    proc = fake_proc(tmp_path / "proc", mounts, ["0::/app.slice/terminal.scope"])
    assert find_parents(proc) == [CgroupParents((slice_folder,))]


def test_version_2_without_the_memory_controller_is_not_used(tmp_path: Path) -> None:
    v2_folder(tmp_path / "fs" / "app.slice" / "terminal.scope", "")
    (tmp_path / "fs" / "app.slice" / "cgroup.subtree_control").write_text("cpu pids\n")
    mounts = [f"30 22 0:26 / {tmp_path}/fs rw - cgroup2 cgroup2 rw"]
    proc = fake_proc(tmp_path / "proc", mounts, ["0::/app.slice/terminal.scope"])
    assert find_parents(proc) == []


def v1_proc(tmp_path: Path, *, limit: int) -> Path:
    own = tmp_path / "fs" / "memory" / "batch" / "job_1"
    own.mkdir(parents=True)
    (own / "memory.stat").write_text(f"cache 0\nhierarchical_memory_limit {limit}\n")
    mounts = [
        f"31 22 0:27 / {tmp_path}/fs/memory rw - cgroup cgroup rw,memory",
        f"32 22 0:28 / {tmp_path}/fs/pids rw - cgroup cgroup rw,pids",
        f"33 22 0:29 / {tmp_path}/fs/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
    ]
    return fake_proc(tmp_path / "proc", mounts, ["3:memory:/batch/job_1", "2:pids:/", "1:cpu,cpuacct:/batch"])


def test_version_1_groups_are_children_of_a_limited_group(tmp_path: Path) -> None:
    fs = tmp_path / "fs"
    (home,) = find_parents(v1_proc(tmp_path, limit=8 * 2**30))
    assert home.folders == (fs / "memory" / "batch" / "job_1", fs / "pids", fs / "cpu,cpuacct" / "batch")
    assert home.version == 1


def test_version_1_groups_are_at_the_top_without_a_limit(tmp_path: Path) -> None:
    fs = tmp_path / "fs"
    (home,) = find_parents(v1_proc(tmp_path, limit=9223372036854771712))
    assert home.folders == (fs / "memory", fs / "pids", fs / "cpu,cpuacct")


def test_a_container_sees_only_a_part_of_the_hierarchy(tmp_path: Path) -> None:
    own = v2_folder(tmp_path / "fs" / "harness", "")
    (own.parent / "cgroup.subtree_control").write_text("memory pids\n")
    mounts = [f"30 22 0:26 /docker/abc {tmp_path}/fs rw - cgroup2 cgroup2 rw"]
    proc = fake_proc(tmp_path / "proc", mounts, ["0::/docker/abc/harness"])
    assert find_parents(proc) == [CgroupParents((tmp_path / "fs",))]


def test_version_2_limits_and_figures(tmp_path: Path) -> None:
    group = CgroupV2(tmp_path / "group")
    group.limit(LIMITS)
    assert (tmp_path / "group" / "memory.max").read_text() == str(100 * 2**20)
    assert (tmp_path / "group" / "memory.swap.max").read_text() == "0"
    assert (tmp_path / "group" / "pids.max").read_text() == "14"
    for name, text in {
        "memory.stat": "anon 1000\nfile 5000\nshmem 200\n",
        "cpu.stat": "usage_usec 2500000\nuser_usec 1\n",
        "pids.current": "7\n",
        "memory.events": "low 0\noom 2\noom_kill 1\n",
        "cgroup.procs": "12\n0\n34\n",
    }.items():
        (tmp_path / "group" / name).write_text(text)
    assert group.usage() == ProcessUsage(cpu_seconds=2.5, memory_bytes=1200, processes=3)
    assert group.oom_kills() == 1
    assert group.pids() == [12, 34]
