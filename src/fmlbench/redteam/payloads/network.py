"""Connect to the network, to name servers, and to sockets of this machine."""

import socket
import subprocess
import urllib.request

from prelude import TARGET, attempt, reached

socket.setdefaulttimeout(2)
ABSTRACT, PATH = "\0" + TARGET["abstract_socket"], TARGET["path_socket"]


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as link:
        link.connect(address)
        return link.recv(100)


def ask(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.sendto(b"\x12\x34\x01\0\0\1\0\0\0\0\0\0\7example\3com\0\0\1\0\1", (address, 53))
        return link.recv(100)


attempt("a port of this machine", lambda: connect(socket.AF_INET, ("127.0.0.1", TARGET["port"])))
attempt("an abstract socket", lambda: connect(socket.AF_UNIX, ABSTRACT))
attempt("a socket with a path", lambda: connect(socket.AF_UNIX, PATH))
attempt("the container engine", lambda: connect(socket.AF_UNIX, "/var/run/docker.sock"))
attempt("an address of the internet", lambda: connect(socket.AF_INET, ("1.1.1.1", 443)))
attempt("the metadata service", lambda: connect(socket.AF_INET, ("169.254.169.254", 80)))
attempt("a name server", lambda: ask("1.1.1.1"))
attempt("a name", lambda: socket.getaddrinfo("pypi.org", 443))
attempt("a page", lambda: urllib.request.urlopen("https://pypi.org/simple/", timeout=2))
attempt("a package", lambda: subprocess.run(["pip", "download", "six"], check=True, timeout=5, capture_output=True))
names = [name for _, name in socket.if_nameindex() if name != "lo"]
if names:
    reached(f"interfaces {names}")
with open("/proc/net/unix") as sockets:
    if any(TARGET["abstract_socket"] in line for line in sockets):
        reached("the list of sockets")
