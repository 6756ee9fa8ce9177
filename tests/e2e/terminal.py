#!/usr/bin/env python3
"""terminal.py - types into an interactive shell on a new terminal, and prints what comes out

usage: terminal.py STEP..., each `expect:REGEX` (10 s at most) or `type:TEXT` with Python's escapes
"""
import os
import pty
import re
import select
import signal
import sys
import time

pid, fd = pty.fork()
if pid == 0:
    os.environ["PS1"] = "OUTER> "
    os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
WAIT = 30  # seconds; long, for machines with much else to do
out, seen = b"", 0


def expect(regex):
    global out, seen
    end = time.time() + WAIT
    while True:
        hit = re.search(regex.encode(), out[seen:])
        if hit:
            seen += hit.end()
            return
        if time.time() > end or not select.select([fd], [], [], end - time.time())[0]:
            sys.exit(f"no {regex!r} in {WAIT} s after:\n{out.decode(errors='replace')}")
        try:
            out += os.read(fd, 4096)
        except OSError:
            sys.exit(f"the terminal ended before {regex!r}:\n{out.decode(errors='replace')}")


try:
    for step in sys.argv[1:]:
        kind, text = step.split(":", 1)
        if kind == "expect":
            expect(text)
        else:
            os.write(fd, text.encode().decode("unicode_escape").encode("latin-1"))
    sys.stdout.write(out.decode(errors="replace"))
finally:
    os.kill(pid, signal.SIGKILL)
    os.close(fd)
    os.waitpid(pid, 0)
