"""Request what the sandbox forbids: namespaces, mounts, another root, devices."""

import ctypes
import os
import socket

from prelude import SCRATCH, attempt

libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, NEW_MOUNT, NEW_NET = 0x10000000, 0x00020000, 0x40000000
REMOUNT, BIND = 32, 4096
READ_BY_HANDLE = 304


def call(function, *arguments):
    if getattr(libc, function)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def in_child(deed):
    """Runs in a child, so that success does not affect this process."""

    def done():
        pid = os.fork()
        if pid == 0:
            try:
                deed()
            except BaseException:
                os._exit(1)
            os._exit(0)
        if os.waitpid(pid, 0)[1] != 0:
            raise PermissionError

    return done


attempt("a user namespace", in_child(lambda: call("unshare", NEW_USER)))
attempt("a mount namespace", in_child(lambda: call("unshare", NEW_MOUNT)))
attempt("a network namespace", in_child(lambda: call("unshare", NEW_NET)))
attempt("a writable root", in_child(lambda: call("mount", None, b"/", None, REMOUNT | BIND, None)))
attempt("a mount", in_child(lambda: call("mount", b"none", os.fsencode(SCRATCH), b"tmpfs", 0, None)))
attempt("an unmount", in_child(lambda: call("umount2", b"/proc", 2)))
attempt("another root", in_child(lambda: os.chroot(SCRATCH)))
attempt("a device", in_child(lambda: os.mknod(SCRATCH / "disk", 0o60600, os.makedev(8, 0))))
attempt("root", in_child(lambda: os.setuid(0)))
attempt("another user", in_child(lambda: os.setuid(65534)))
attempt("the host's name", in_child(lambda: socket.sethostname("pwned")))
attempt("raw packets", in_child(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)))
attempt("a control group", in_child(lambda: open("/sys/fs/cgroup/cgroup.procs", "w").close()))
attempt("the namespaces of the first process", in_child(lambda: call("setns", os.open("/proc/1/ns/mnt", 0), 0)))
attempt("a higher priority", in_child(lambda: os.nice(-5)))
attempt("a real-time scheduler", in_child(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))))
attempt("which program runs at a crash", in_child(lambda: open("/proc/sys/kernel/core_pattern", "w").close()))
