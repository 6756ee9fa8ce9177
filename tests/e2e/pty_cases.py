#!/usr/bin/env python3
"""pty_cases.py - drives snug on a terminal of its own, one case a run

usage: pty_cases.py CASE, in an empty directory, with $SNUG; prints the dialogue and exits 1 where a case fails

Nothing here waits for a fixed time to let something happen: every step waits for what it needs, at most LIMIT seconds.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import tty

LIMIT = float(os.environ.get("PTY_LIMIT", 30))
SNUG = os.environ.get("SNUG", "snug")


def fail(text):
    sys.exit(f"FAILED: {text}")


def until(what, probe):
    end = time.time() + LIMIT
    while time.time() < end:
        got = probe()
        if got:
            return got
        time.sleep(0.02)
    fail(f"{what}: not in {LIMIT} s")


class Terminal:
    """A new terminal with a program on it, as a terminal emulator starts one."""

    def __init__(self, *argv, lead=True, size=(24, 80), prepare=None):
        self.master, slave = pty.openpty()
        self.out, self.seen, self.ended = b"", 0, False
        self.resize(*size)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.master)
            os.setsid()
            if lead:
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in 0, 1, 2:
                os.dup2(slave, fd)
            if slave > 2:
                os.close(slave)
            for sig in range(1, 32):
                if sig not in (signal.SIGKILL, signal.SIGSTOP):
                    signal.signal(sig, signal.SIG_DFL)
            if prepare:
                prepare()
            os.execvp(argv[0], argv)
        os.close(slave)

    def resize(self, rows, cols):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def modes(self):
        """iflag, oflag, lflag and the control characters: what stty would change"""
        m = termios.tcgetattr(self.master)
        return m[0], m[1], m[3], m[6]

    def is_raw(self):
        return not self.modes()[2] & (termios.ICANON | termios.ECHO | termios.ISIG)

    def more(self, wait):
        """read what comes; False when nothing does"""
        if self.ended or not select.select([self.master], [], [], wait)[0]:
            return False
        try:
            got = os.read(self.master, 65536)
        except OSError:
            got = b""
        self.ended = not got
        self.out += got
        return bool(got)

    def expect(self, regex):
        end = time.time() + LIMIT
        while True:
            hit = re.search(regex.encode(), self.out[self.seen:], re.S)
            if hit:
                self.seen += hit.end()
                return hit
            if self.ended or time.time() > end:
                fail(f"no {regex!r} {'before the end' if self.ended else 'in time'} in:\n{self.rest()}\n{processes(self.pid)}")
            self.more(0.5)

    def rest(self):
        return self.out[self.seen:][-4000:].decode(errors="replace")

    def type(self, text):
        data = text if isinstance(text, bytes) else text.encode("latin-1")
        while data:
            data = data[os.write(self.master, data):]

    def drain(self):
        while not self.ended:
            if not self.more(LIMIT):
                break
        return self.out

    def wait(self):
        """the program's exit code as a shell says it; its output is read meanwhile"""
        end = time.time() + LIMIT
        while time.time() < end:
            self.more(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.more(0):
                    pass
                self.pid = 0
                return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        fail(f"it does not end; output:\n{self.rest()}")

    def child(self):
        """snug, below a shell of ours; 0 where it is not there (yet)"""
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as f:
            return next((int(p) for p in f.read().split() if comm(p) == "snug"), 0)

    def close(self):
        if self.pid:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.master >= 0:
            os.close(self.master)
        if self.pid:
            os.waitpid(self.pid, 0)


def processes(pid):
    """what ps would show of all below @pid, for a message"""
    lines = []
    for p in sorted(below(pid)):
        try:
            with open(f"/proc/{p}/stat", encoding="utf-8", errors="replace") as f:
                lines.append(" ".join(f.read().split()[:8]))
            with open(f"/proc/{p}/status", encoding="utf-8", errors="replace") as f:
                lines += ["  " + line.strip() for line in f if line.startswith(("Shd", "Sig"))]
        except OSError:
            pass
    return "\n".join(lines)


def state(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def dead(pid):
    """also where nobody has reaped it: that is up to this host's first process"""
    return state(pid) in ("Z", "X", "gone")


def ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        fields = f.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def below(pid):
    """all processes below @pid"""
    found, parents = set(), {pid}
    while parents:
        heads = set()
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                    above = int(f.read().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            if above in parents and int(name) not in found:
                heads.add(int(name))
        found |= heads
        parents = heads
    return found


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return ""


def guards(pid):
    """snug's helper that puts the terminal's modes back when snug is killed"""
    return {p for p in below(pid) if comm(p) == "snug-terminal"}


def without_offer(out):
    """what the command has printed: after a failure snug offers --denials, on its own last line"""
    at = out.rfind(b"snug: ")
    return out[:at] if at >= 0 else out


def confined(*argv, opts=(), **how):
    return Terminal(SNUG, "run", *opts, "--", *argv, **how)


def py(text):
    return "python3", "-c", text


def shell():
    os.environ["PS1"] = "OUTER> "
    t = Terminal("bash", "--norc", "--noprofile", "--noediting", "-i")
    t.expect("OUTER> ")
    return t


CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


@case
def names():
    """ttyname(3), /dev/tty and /dev/pts/N name one terminal, which is a controlling one with a foreground"""
    t = confined(*py("""
import os
for fd in 0, 1, 2:
    assert os.ttyname(fd) == "/dev/pts/0", os.ttyname(fd)
    assert os.readlink(f"/proc/self/fd/{fd}") == "/dev/pts/0"
assert os.ctermid() == "/dev/tty"
for name in "/dev/tty", "/dev/pts/0", "/proc/self/fd/0":
    fd = os.open(name, os.O_RDWR)
    os.write(fd, b"by name\\n")
    assert os.tcgetpgrp(fd) == os.getpgrp() == os.getpid()
    os.close(fd)
assert os.getsid(0) == 1
assert sorted(os.listdir("/dev/pts")) == ["0", "ptmx"]
a, b = os.openpty()
assert os.ttyname(b) == "/dev/pts/1"
print("all", "well")
"""))
    t.expect("(by name\r\n){3}all well\r\n")
    assert t.wait() == 0


@case
def size():
    """the size at the start, and each change with its signal"""
    t = confined(*py("""
import os, signal
def show(*_):
    size = os.get_terminal_size(0)
    os.write(1, b"size %d %d\\n" % (size.lines, size.columns))
signal.signal(signal.SIGWINCH, show)
show()
while True:
    signal.pause()
"""), size=(33, 99))
    t.expect("size 33 99\r\n")
    for rows, cols in (40, 120), (10, 20), (24, 80):
        t.resize(rows, cols)
        t.expect(f"size {rows} {cols}\r\n")
    t.type("\x03")
    assert t.wait() == 130


@case
def interrupt():
    """P06 ^C reaches the whole job inside, and leaves nobody behind"""
    t = confined("sh", "-c", "echo up; sleep 1000; echo after")
    t.expect("up\r\n")
    until("sleep", lambda: "sleep" in map(comm, below(t.pid)))
    tree = below(t.pid)
    t.type("\x03")
    assert t.wait() == 130
    assert b"after" not in t.out
    assert all(dead(p) for p in tree)


@case
def interrupt_raw():
    """P07 ^C is a byte where the program says so, and one SIGINT where not"""
    t = confined(*py("""
import os, signal, sys, termios, tty
n = 0
def count(*_):
    global n
    n += 1
signal.signal(signal.SIGINT, count)
old = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"raw>")
os.write(1, b"byte %d\\r\\n" % os.read(0, 1)[0])
termios.tcsetattr(0, termios.TCSADRAIN, old)
os.write(1, b"cooked>")
while sys.stdin.readline() != "end\\n":
    pass
print("signals", n)
"""))
    t.expect("raw>")
    t.type("\x03")
    t.expect("byte 3\r\n.*cooked>")
    t.type("\x03")
    t.expect(r"\^C")
    t.type("end\n")
    t.expect("signals 1\r\n")
    assert t.wait() == 0


@case
def quit_key():
    """^\\ is SIGQUIT"""
    t = confined("sh", "-c", "ulimit -c 0; echo up; exec sleep 1000")
    t.expect("up\r\n")
    until("exec", lambda: "sleep" in map(comm, below(t.pid)))
    t.type("\x1c")
    assert t.wait() == 131


@case
def hold():
    """^S holds the output, ^Q lets it go on"""
    t = confined(*py("""
import sys
for line in sys.stdin:
    print("got", line, end="", flush=True)
"""))
    t.type("one\n")
    t.expect("got one\r\n")
    t.type("\x13two\n")
    end = time.time() + 1
    while time.time() < end:
        t.more(0.1)
    if b"got two" in t.out:
        fail("^S does not hold the output")
    t.type("\x11")
    t.expect("got two\r\n")
    t.type("\x04")
    assert t.wait() == 0


@case
def bytes8():
    """all 256 bytes pass both ways, at once"""
    t = confined(*py("""
import os, tty
tty.setraw(0)
os.write(1, b"go>")
got = b""
while len(got) < 1024:
    got += os.read(0, 1024)
while got:
    got = got[os.write(1, got):]
"""))
    t.expect("go>")
    data = bytes(range(256)) * 4
    t.type(data)
    assert t.wait() == 0
    if t.out[t.seen:] != data:
        fail(f"other bytes: {t.out[t.seen:]!r}")


@case
def flood():
    """a fast writer: every byte arrives, with its status"""
    t = confined("sh", "-c", "stty -opost; echo up; seq 500000; exit 7")
    t.expect("up\n")
    assert t.wait() == 7
    want = "".join(f"{i}\n" for i in range(1, 500001)).encode()
    got = without_offer(t.out[t.seen:])
    if got != want:
        fail(f"{len(got)} bytes, wanted {len(want)}")


@case
def slow_reader():
    """nobody takes the output: the writer waits, snug sleeps, and all is there later"""
    t = confined("sh", "-c", "stty -opost; seq 100000; exit 3")
    until("the writer is stuck", lambda: sum(state(p) == "S" for p in below(t.pid)) >= 2)
    time.sleep(0.5)
    before = ticks(t.pid)
    time.sleep(1)
    spent = ticks(t.pid) - before
    if spent > 10:
        fail(f"{spent} ticks in a second with nothing to do")
    assert t.wait() == 3
    if without_offer(t.out) != "".join(f"{i}\n" for i in range(1, 100001)).encode():
        fail(f"{len(t.out)} bytes")


@case
def slow_reader_term():
    """nobody takes the output: TERM ends the run all the same"""
    t = confined("sh", "-c", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done")
    until("running", lambda: len(below(t.pid)) >= 2)
    time.sleep(0.3)
    tree = below(t.pid)
    assert len(guards(t.pid)) == 1
    os.kill(t.pid, signal.SIGTERM)
    until("inside ended", lambda: all(dead(p) for p in tree - guards(t.pid)))
    os.kill(t.pid, signal.SIGTERM)  # and do not wait for the terminal
    until("snug ended", lambda: state(t.pid) == "Z")
    assert t.wait() == 143


@case
def last_words():
    """what is written just before the end arrives, each time"""
    for i in range(30):
        t = confined("sh", "-c", f"printf 'words of {i}'; exit {i}")
        assert t.wait() == i, i
        if without_offer(t.out) != f"words of {i}".encode():
            fail(f"{i}: {t.out!r}")
        t.close()


@case
def end_of_file():
    """^D ends the input of a program that reads lines"""
    t = confined("cat")
    until("raw", t.is_raw)
    t.type("a\n\x04")
    assert t.wait() == 0
    assert t.out == b"a\r\na\r\n", t.out
    t = confined("sh", "-c", "cat; echo once; cat; echo twice")  # typed before anybody is there to read
    t.type("b\n\x04\x04")
    assert t.wait() == 0
    assert t.out.endswith(b"b\r\nonce\r\ntwice\r\n"), t.out


@case
def stop_and_go():
    """P05 ^Z stops the job, the shell's terminal is as it was; fg goes on, again and again"""
    t = shell()
    before = t.modes()
    t.type(f"{SNUG} -- cat\n")
    until("raw", t.is_raw)
    for i in range(5):
        t.type(f"line {i}\n")
        t.expect(f"line {i}\r\nline {i}\r\n")
        t.type("\x1a")
        t.expect("Stopped.*OUTER> ")
        snug = t.child()
        assert state(snug) == "T", state(snug)
        assert {state(p) for p in below(snug)} == {"S", "T"}  # pid 1 waits
        if t.modes() != before:
            fail(f"modes {t.modes()}, before {before}")
        t.type(f"echo for the shell {i}\n")
        t.expect(f"\nfor the shell {i}\r\n.*OUTER> ")
        t.type("fg\n")
        t.expect("-- cat\r\n")
        until("raw", t.is_raw)
    t.type("\x04")
    t.expect("OUTER> ")
    assert t.modes() == before
    assert not t.child()


@case
def stop_ignored():
    """P05 a command that ignores every stop is not stopped, as on any terminal; all that is typed is still its own"""
    with open("deaf.py", "w", encoding="ascii") as f:
        f.write("""
import signal, sys
for s in signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU:
    signal.signal(s, signal.SIG_IGN)
print("ready", "now", flush=True)
for line in iter(sys.stdin.readline, ""):
    print("inside:", line, end="", flush=True)
""")
    t = shell()
    t.type(f"{SNUG} -- python3 deaf.py\n")
    t.expect("ready now")
    for i in range(20):
        t.type("\x1a")
        t.expect(r"\^Z")
        t.type(f"{i}\n")
        t.expect(f"inside: {i}\r\n")
    assert "Stopped" not in t.rest()
    t.type("\x04")
    t.expect("OUTER> ")


@case
def one_reader():
    """P05 nothing inside reads what is typed to the shell while snug is stopped, whatever it ignores"""
    with open("steal.py", "w", encoding="ascii") as f:
        f.write("""
import os, signal
for s in signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGHUP:
    signal.signal(s, signal.SIG_IGN)
for i in range(20):
    if os.fork() == 0:
        os.write(1, b"tak" + b"en:" + os.read(os.open("/dev/tty", os.O_RDWR), 100))
        os._exit(0)
print("ready", "now", flush=True)
while True:
    signal.pause()
""")
    t = shell()
    before = t.modes()
    t.type(f"{SNUG} -- python3 steal.py\n")
    t.expect("ready now")
    snug = until("snug", t.child)
    os.kill(snug, signal.SIGSTOP)
    t.expect("Stopped.*OUTER> ")
    assert t.modes() == before  # bash puts them right
    t.type('read -r pw; echo "outer:[$pw]"\n')
    t.type("hunter2\n")
    t.expect(r"outer:\[hunter2\]\r\n.*OUTER> ")
    assert b"taken:" not in t.out
    t.type("fg\n")
    t.expect("steal.py\r\n")
    until("raw", t.is_raw)
    t.type("mine\n")
    t.expect("taken:mine\r\n")
    t.type("\x03")
    t.expect("OUTER> ")
    assert t.modes() == before


@case
def one_reader_piped():
    """P05 the same where stdin is none and stdout is: in front it reads what is typed, behind and stopped nothing"""
    with open("steal.py", "w", encoding="ascii") as f:
        f.write("""
import os, signal
for s in signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU:
    signal.signal(s, signal.SIG_IGN)
tty = os.open("/dev/tty", os.O_RDWR)
try:
    os.read(tty, 100)
except OSError:  # in the background, where it does not stop for it
    pass
signal.signal(signal.SIGTTIN, signal.SIG_DFL)
for i in range(20):
    if os.fork() == 0:
        os.write(1, b"tak" + b"en:" + os.read(tty, 100))
        os._exit(0)
print("ready", "now", flush=True)
while True:
    signal.pause()
""")
    t = shell()
    before = t.modes()
    t.type(f"{SNUG} -- python3 steal.py </dev/null\n")
    t.expect("ready now")
    until("raw", t.is_raw)
    for i in range(3):
        os.kill(until("snug", t.child), signal.SIGSTOP)
        t.expect("Stopped.*OUTER> ")
        assert t.modes() == before
        t.type('read -r pw; echo "outer:[$pw]"\n')
        t.type("hunter2\n")
        t.expect(r"outer:\[hunter2\]\r\n.*OUTER> ")
        t.type("fg\n")
        t.expect("steal.py < ?/dev/null\r\n")
        until("raw", t.is_raw)
        t.type(f"mine {i}\n")
        t.expect(f"taken:mine {i}\r\n")
    t.type("\x03")
    t.expect("OUTER> ")
    assert t.out.count(b"taken:") == 3
    assert t.modes() == before


@case
def no_terminal_given():
    """where none of 0 to 2 is a terminal there is none inside, in the background or not: nothing to read, no foreground to take"""
    with open("steal.py", "w", encoding="ascii") as f:
        f.write("""
import errno, os, signal, sys
for s in signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU:
    signal.signal(s, signal.SIG_IGN)
try:
    os.open("/dev/tty", os.O_RDWR)
    said = "opened"
except OSError as e:
    said = errno.errorcode[e.errno]
print(said, os.getsid(0) == os.getpgrp() == os.getpid(), flush=True)
signal.pause()
""")
    t = shell()
    for end, back in (" &", "kill %1"), ("", ""):
        t.type(f"{SNUG} -- python3 steal.py </dev/null >said 2>&1{end}\n")

        def said():
            if not os.path.exists("said"):
                return ""
            with open("said", encoding="ascii") as f:
                return f.read()
        assert until("its word", said) == "ENXIO True\n", said()
        os.unlink("said")
        t.type(f"{back}\n" if back else "\x03")
        t.expect("OUTER> ")
        until("gone", lambda: not t.child())


@case
def keys_without_terminal():
    """P05 P06 ^C and ^\\ typed to a run in front that has no terminal reach all of its group; ^Z stops it, fg goes on"""
    text = 'for s in INT QUIT; do trap "echo $s >>got; exit" $s; done; sh -c "trap \\"echo child >>got; exit\\" INT QUIT; ' \
           'while :; do echo >>ticks; sleep 0.02; done"; while :; do sleep 0.02; done'
    with open("job.sh", "w", encoding="ascii") as f:
        f.write(text)

    def count():
        return os.path.getsize("ticks") if os.path.exists("ticks") else 0
    t = shell()
    for key, name in ("\x03", "INT"), ("\x1c", "QUIT"):
        t.type(f"{SNUG} -- sh job.sh </dev/null >o 2>&1\n")
        until("ticks", count)
        for _ in range(3):
            t.type("\x1a")
            t.expect("Stopped.*OUTER> ")
            now = count()
            time.sleep(0.2)
            assert count() == now, "it runs while it is stopped"
            t.type("fg\n")
            t.expect("job.sh[^\n]*\n")
            until("it goes on", lambda: count() > now)
        t.type(key)
        t.expect("OUTER> ")
        until("gone", lambda: not t.child())
        with open("got", encoding="ascii") as f:
            assert sorted(f.read().split()) == [name, "child"]
        os.unlink("got")
        os.unlink("ticks")


@case
def pager():
    """CMD | snug -- pager: it takes its keys from /dev/tty; before it does, ^C reaches both, ^Z stops both"""
    with open("pager.py", "w", encoding="ascii") as f:
        f.write("""
import os, sys, termios, tty
n = sum(1 for line in sys.stdin)
keys = os.open("/dev/tty", os.O_RDWR)
assert os.ttyname(1) == os.ttyname(keys) == "/dev/pts/0" or os.ttyname(keys) == "/dev/tty"
old = termios.tcgetattr(keys)
tty.setcbreak(keys)
os.write(1, b"lines %d>" % n)
while True:
    key = os.read(keys, 1)
    os.write(1, b"key %s\\n" % key)
    if key == b"q":
        break
termios.tcsetattr(keys, termios.TCSADRAIN, old)
""")
    t = shell()
    before = t.modes()
    t.type(f"seq 50000 | {SNUG} -- python3 pager.py\n")
    t.expect("lines 50000>")
    for key in "ab":
        t.type(key)
        t.expect(f"key {key}\r\n")
    t.type("\x1a")
    t.expect("Stopped.*OUTER> ")
    assert t.modes() == before
    t.type("fg\n")
    until("raw", t.is_raw)
    for key in "cq":
        t.type(key)
        t.expect(f"key {key}\r\n")
    t.expect("OUTER> ")
    assert t.modes() == before
    t.type(f"sleep 1000 | {SNUG} -- sh -c 'echo u''p; exec cat'\n")
    t.expect("up\r+\n")
    until("cat", lambda: "cat" in map(comm, below(t.pid)))
    assert not t.is_raw()
    t.type("\x1a")
    t.expect("Stopped.*OUTER> ")
    t.type("fg\n")
    t.expect("cat'\r\n")
    until("running", lambda: {state(p) for p in below(t.pid)} == {"S"})
    t.type("\x03")
    t.expect("OUTER> ")
    until("gone", lambda: not below(t.pid))


@case
def stop_sent():
    """TSTP sent to snug stops the command, and then snug; what ignores it goes on"""
    t = shell()
    t.type(f"{SNUG} -- cat\n")
    until("raw", t.is_raw)
    os.kill(until("snug", t.child), signal.SIGTSTP)
    t.expect("Stopped.*OUTER> ")
    t.type("fg\n")
    t.expect("-- cat\r\n")
    t.type("x\n")
    t.expect("x\r\nx\r\n")
    t.type("\x04")
    t.expect("OUTER> ")


@case
def stop_below_script():
    """^Z stops a script that waits for snug too, and fg continues both"""
    t = shell()
    t.type(f"sh -c '{SNUG} -- cat; echo script goes on'\n")
    until("raw", t.is_raw)
    t.type("\x1a")
    t.expect("Stopped.*OUTER> ")
    t.type("fg\n")
    until("raw", t.is_raw)
    t.type("x\n")
    t.expect("x\r\nx\r\n")
    t.type("\x04")
    t.expect("script goes on\r\n.*OUTER> ")


@case
def stop_without_shell():
    """where nobody could continue snug, ^Z stops nothing for good"""
    t = confined("cat")
    until("raw", t.is_raw)
    t.type("\x1a")
    t.expect(r"\^Z")
    t.type("on\n")
    t.expect("on\r\non\r\n")
    t.type("\x04")
    assert t.wait() == 0


@case
def shell_inside():
    """P05 P06 an interactive shell inside has job control of its own: its ^Z and ^C stay inside"""
    t = shell()
    t.type(f"{SNUG} --env PS1='INN''ER> ' -- bash --norc --noprofile --noediting -i\n")
    t.expect("INNER> ")
    assert "no job control" not in t.out.decode(errors="replace")
    for _ in range(3):
        t.type("\x1a\x03\n")  # nothing to stop
        t.expect("INNER> ")
    t.type("echo st''ill here\n")
    t.expect("still here\r\n.*INNER> ")
    t.type("cat\n")
    t.type("to cat\n")
    t.expect("to cat\r\nto cat\r\n")
    t.type("\x1a")
    t.expect("Stopped.*INNER> ")
    t.type("jobs; sleep 1000 &\n")
    t.expect("Stopped +cat.*INNER> ")
    t.type("fg %1\n")
    t.expect("\ncat\r\n")
    t.type("more\n")
    t.expect("more\r\nmore\r\n")
    t.type("\x03")
    t.expect("INNER> ")
    t.type("cat &\n")
    t.expect("INNER> ")
    t.type("jobs\n")
    t.expect("Stopped +cat|Running.*INNER> ")
    t.type("suspend\n")  # a stop of the command itself
    t.expect("Stopped.*OUTER> ")
    t.type("fg\n")
    t.expect("INNER> ")
    t.type("echo back in''side\n")
    t.expect("back inside\r\n")
    t.type("exit 5\n")
    t.type("exit 5\n")  # the first one only warns of stopped jobs
    t.expect("OUTER> ")
    t.type("echo code $?\n")
    t.expect("code 5\r\n")


@case
def modes_inside():
    """P08 S14 modes are set, and kept over a stop, inside; outside they are as before, also after KILL"""
    t = shell()
    before = t.modes()
    t.type(f"{SNUG} -- sh -c 'stty intr f -echo; stty -a >modes1; echo up; read x; stty -a >modes2; kill -KILL $$'\n")
    t.expect("\nup\r\n")
    t.type("\x1a")
    t.expect("Stopped.*OUTER> ")
    assert t.modes() == before
    t.type("fg\n")
    until("raw", t.is_raw)
    t.type("x\n")
    t.expect("OUTER> ")
    assert t.modes() == before
    with open("modes1", encoding="ascii") as a, open("modes2", encoding="ascii") as b:
        one, two = a.read(), b.read()
    assert "intr = f;" in one and " -echo " in one, one
    assert one == two
    t.type("echo code $?\n")
    t.expect("code 137\r\n")


@case
def modes_of_caller():
    """modes that the caller had set are found inside"""
    def prepare():
        m = termios.tcgetattr(0)
        m[3] &= ~termios.ECHO
        m[6][termios.VINTR] = b"f"
        termios.tcsetattr(0, termios.TCSANOW, m)
    t = confined("stty", "-a", prepare=prepare)
    t.expect("intr = f;.* -echo ")
    assert t.wait() == 0


@case
def killed():
    """snug is killed: nothing inside lives on, and the terminal's modes are put back"""
    for sig in signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT:
        t = Terminal("sh", "-c", f"ulimit -c 0; {SNUG} -- sh -c 'stty raw -echo; echo up; sleep 1000 & setsid sleep 1000'; exec cat")
        before = t.modes()
        t.expect("up")
        snug = until("snug", t.child)
        until("the tree", lambda: len(below(snug)) >= 4)
        tree = below(snug)
        assert t.is_raw()
        os.kill(snug, sig)
        until("nobody inside", lambda: all(dead(p) for p in tree))
        until("modes", lambda: t.modes() == before)
        t.type("to cat\n")
        t.expect("to cat\r\n.*to cat\r\n")  # with what sh says of it between
        t.close()


@case
def terminated():
    """TERM and HUP sent to snug reach the command, and the modes are put back"""
    for sig, code in (signal.SIGTERM, 143), (signal.SIGHUP, 129):
        t = Terminal("sh", "-c", f"{SNUG} -- sh -c 'echo up; sleep 1000'; echo code $?; exec cat")
        before = t.modes()
        t.expect("up\r\n")
        os.kill(until("snug", t.child), sig)
        t.expect(f"code {code}\r\n")
        assert t.modes() == before
        t.close()


@case
def hang_up():
    """the terminal goes away: the command gets SIGHUP, and everything ends"""
    t = confined(*py("""
import os, signal, sys
def gone(*_):
    open("hup", "w").close()
    os._exit(3)
signal.signal(signal.SIGHUP, gone)
print("up", flush=True)
while True:
    signal.pause()
"""))
    t.expect("up\r\n")
    tree = below(t.pid) | {t.pid}
    os.close(t.master)
    t.master = -1
    until("the signal", lambda: os.path.exists("hup"))
    until("the end", lambda: os.waitpid(t.pid, os.WNOHANG)[0])
    t.pid = 0
    until("nobody left", lambda: all(dead(p) for p in tree))


@case
def hang_up_ignored():
    """what ignores SIGHUP goes on without a terminal, and snug sleeps"""
    t = confined("sh", "-c", "trap '' HUP; echo up; until [ -e end ]; do sleep 0.1; done; echo gone || :; touch ended")
    t.expect("up\r\n")
    os.close(t.master)
    t.master = -1
    time.sleep(0.5)
    before = ticks(t.pid)
    time.sleep(1)
    spent = ticks(t.pid) - before
    if spent > 10:
        fail(f"{spent} ticks in a second with nothing to do")
    open("end", "w", encoding="ascii").close()
    until("the end", lambda: os.waitpid(t.pid, os.WNOHANG)[0])
    t.pid = 0
    assert os.path.exists("ended")


@case
def background():
    """a background job prints, is stopped when it reads, and goes on in the foreground"""
    t = shell()
    t.type(f"{SNUG} -- sh -c 'echo from be''hind; read x; echo \"got [$x]\"' &\n")
    t.expect("\nOUTER> from behind\r\n|\nfrom behind\r\n")
    snug = until("snug", t.child)
    until("stopped", lambda: state(snug) == "T")
    t.type("echo for the sh''ell\n")
    t.expect("for the shell\r\n")
    t.type("bg\n")
    t.expect("&\r\n")
    until("stopped again", lambda: state(snug) == "T")
    t.type("fg\n")
    until("raw", t.is_raw)
    t.type("word\n")
    t.expect(r"got \[word\]\r\n.*OUTER> ")


@case
def background_running():
    """a job that runs in the background and reads only once it is in front"""
    t = shell()
    t.type(f"{SNUG} -- sh -c 'until [ -e go ]; do sleep 0.05; done; stty -a >modes; read x; echo \"got [$x]\"' &\n")
    t.expect("OUTER> ")
    t.type("fg\n")
    t.expect("got.*\r\n")
    open("go", "w", encoding="ascii").close()
    until("raw", t.is_raw)
    t.type("word\n")
    t.expect(r"got \[word\]\r\n.*OUTER> ")
    with open("modes", encoding="ascii") as f:
        text = f.read()
    assert " icanon " in text and " echo " in text, text


@case
def tostop():
    """with tostop a background job is stopped when it prints"""
    t = shell()
    t.type(f"stty tostop; {SNUG} -- sh -c 'echo from be''hind' &\n")
    snug = until("snug", t.child)
    until("stopped", lambda: state(snug) == "T")
    assert b"from behind" not in t.out
    t.type("fg\n")
    t.expect("from behind\r\n.*OUTER> ")


@case
def pipeline():
    """CMD | pager: the pager has the terminal, ^C reaches both, ^Z stops both"""
    with open("pager.py", "w", encoding="ascii") as f:
        f.write("""
import os, sys, termios, tty
keys = os.open("/dev/tty", os.O_RDWR)
old = termios.tcgetattr(keys)
tty.setcbreak(keys)
n = 0
for line in sys.stdin:
    n += 1
os.write(1, b"lines %d>" % n)
while True:
    key = os.read(keys, 1)
    os.write(1, b"key %s\\n" % key)
    if key == b"q":
        break
termios.tcsetattr(keys, termios.TCSADRAIN, old)
""")
    t = shell()
    before = t.modes()
    t.type(f"{SNUG} -- seq 50000 | python3 pager.py\n")
    t.expect("lines 50000>")
    for key in "abcq":
        t.type(key)
        t.expect(f"key {key}\r\n")
    t.expect("OUTER> ")
    assert t.modes() == before
    # until sleep runs, what the shell does before may swallow a signal
    t.type(f"{SNUG} -- sh -c 'echo u''p >&2; exec sleep 1000' | cat\n")
    t.expect("up\r+\n")
    until("sleep", lambda: "sleep" in map(comm, below(t.pid)))
    assert not t.is_raw()
    t.type("\x1a")
    t.expect("Stopped.*OUTER> ")
    t.type("fg\n")
    t.expect("cat\r\n")
    until("running", lambda: {state(p) for p in below(t.pid)} == {"S"})
    t.type("\x03")
    t.expect("OUTER> ")
    until("gone", lambda: not t.child())


@case
def pipeline_reads():
    """CMD | filter, where CMD reads the terminal: it gets it, lines end as they should, and ^Z stops both"""
    t = shell()
    before = t.modes()
    t.type(f"{SNUG} -- sh -c 'while read x; do echo \"[$x]\"; done' | tr a-z A-Z\n")
    until("raw", lambda: not t.modes()[2] & termios.ICANON)
    t.type("one\n")
    t.expect(r"\[ONE\]\r\n")
    t.type("\x1a")
    t.expect("Stopped.*OUTER> ")
    assert t.modes() == before
    t.type("fg\n")
    t.expect("A-Z\r\n")
    t.type("two\n\x04")
    t.expect(r"\[TWO\]\r\n.*OUTER> ")
    assert t.modes() == before


@case
def substitution():
    """x=$(CMD): a program that asks on /dev/tty gets its answer there"""
    t = shell()
    t.type("x=$(%s -- python3 -c 'import getpass; print(getpass.getpass(\"ask\" + \"ing: \"))'); echo \"<$x>\"\n" % SNUG)
    t.expect("asking: ")
    t.type("secret\n")
    t.expect("<secret>\r\n")
    assert t.out.count(b"secret") == 1


@case
def files():
    """only those of 0 to 2 that are the terminal become the private one"""
    t = shell()
    t.type(f"{SNUG} -- python3 -c 'import os; print([os.isatty(i) for i in (0, 1, 2)])' >out; cat out\n")
    t.expect(r"\[True, False, True\]\r\n")
    t.expect("OUTER> ")
    t.type(f"{SNUG} -- python3 -c 'import os; print([os.isatty(i) for i in (0, 1, 2)])' 2>err\n")
    t.expect(r"\[True, True, False\]\r\n")
    t.expect("OUTER> ")
    t.type(f"{SNUG} -- sh -c 'echo out; echo err >&2' 2>err; cat err\n")
    t.expect("out\r\nerr\r\n")
    t.expect("OUTER> ")
    t.type(f"{SNUG} -- readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 2>/dev/tty >/dev/tty\n")
    t.expect("/dev/pts/0\r\n/dev/pts/0\r\n/dev/pts/0\r\n")
    t.expect("OUTER> ")
    t.type(f"{SNUG} --keep-fd=7 -- readlink /proc/self/fd/7 7</dev/tty\n")
    t.expect("/dev/pts/0\r\n")
    t.expect("OUTER> ")
    t.type(f"echo piped | {SNUG} -- python3 -c 'import os; print([os.isatty(i) for i in (0, 1)], input())'\n")
    t.expect(r"\[False, True\] piped\r\n")
    t.expect("OUTER> ")
    for handed in "</dev/null", "</dev/null >/dev/null 2>/dev/tty", "</dev/null >out 2>&1 --keep-fd=7 7</dev/tty", "2>/dev/null":
        options = "".join(w for w in handed.split() if w.startswith("--keep"))
        rest = " ".join(w for w in handed.split() if not w.startswith("--keep"))
        t.type(f"{SNUG} {options} -- sh -c 'for i in 0 1 2 7; do test -t $i && readlink /proc/self/fd/$i; done >named; :' {rest}; sort -u named\n")
        t.expect("sort -u named\r\n/dev/pts/0\r\nOUTER> ")


@case
def no_session():
    """a terminal that is not the controlling one"""
    t = confined("sh", "-c", "tty; read x; echo \"got [$x]\"; exit 4", lead=False)
    t.expect("/dev/pts/0\r\n")
    t.type("word\n")
    t.expect(r"got \[word\]\r\n")
    assert t.wait() == 4


@case
def injection():
    """S05 TIOCSTI and TIOCLINUX under a terminal: refused, and nothing is typed into the shell"""
    text = """
import fcntl, sys, ctypes
for name in "/dev/tty", "/proc/self/fd/0":
    f = open(name, "r+b", buffering=0)
    for req in 0x5412, 0x541c:
        try:
            fcntl.ioctl(f, req, b"x")
            print("CALL", hex(req), "passed")
        except PermissionError:
            pass
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(16, f.fileno(), ctypes.c_ulong(0x100005412), b"x") == 0:
        print("CALL passed")
print("tried", "all")
"""
    with open("inject.py", "w", encoding="ascii") as f:
        f.write(text)
    t = shell()
    t.type(f"{SNUG} -- python3 inject.py\n")
    t.expect("tried all\r\nOUTER> ")
    assert b"CALL" not in t.out, t.rest()
    t.type("echo cle''an\n")
    t.expect("\nclean\r\nOUTER> ")


@case
def outer_reach():
    """the caller's terminal is nowhere inside: no descriptor, no name, no session, no group"""
    t = confined(*py("""
import fcntl, glob, os, termios
for fd in os.listdir("/proc/self/fd"):
    try:
        os.ttyname(int(fd))
    except OSError:
        continue
    assert os.ttyname(int(fd)) == "/dev/pts/0"
try:
    os.open("/dev/pts/1", os.O_RDWR)
    print("another terminal")
except FileNotFoundError:
    pass
for pid in 1, os.getpid():
    assert os.getsid(pid) == 1
    assert os.getpgid(pid) == pid
for fd in 0, 1, 2:
    try:
        os.open(f"/proc/1/fd/{fd}", os.O_RDWR)
        print("pid 1 shows", fd)
    except PermissionError:
        pass
print("no", "way")
"""))
    t.expect("^no way\r\n$")
    assert t.wait() == 0


@case
def less():
    """P25 S14 less: draws, stops, goes on, follows the size"""
    with open("text", "w", encoding="ascii") as f:
        f.writelines(f"line {i} of the text\n" for i in range(1, 1001))
    os.environ["TERM"] = "xterm"
    t = shell()
    before = t.modes()
    t.type(f"{SNUG} -- less text\n")
    t.expect("line 23 of the text")
    snug = t.child()

    def stopped():  # less may overlook a signal that comes just before it reads a key
        t.type("\x1a")
        t.more(1)
        return state(snug) == "T"
    until("stopped", stopped)
    t.expect("Stopped.*OUTER> ")
    assert t.modes() == before
    t.type("fg\n")
    t.expect("line 1 of the text.*line 23 of the text")
    t.resize(12, 80)

    def drawn():  # a screen of eleven lines; less may overlook the change, or a key, once
        t.type("gG")
        while t.more(1):
            pass
        return re.search(b"(?<!line 989 of the text\r\n)line 990 of the text.*line 1000 of the text", t.out, re.S)
    until("the new size", drawn)
    t.type("q")
    t.expect("OUTER> ")
    assert t.modes() == before


@case
def vim():
    """P25 vim: stops with the screen put back, goes on, writes"""
    os.environ["TERM"] = "xterm"
    t = shell()
    before = t.modes()
    t.type(f"{SNUG} -- vim -u NONE -i NONE -n made\n")
    t.expect("\x1b\\[\\?1049h.*\x1b\\[23;1H~")  # drawn
    t.type("ifirst\x1b")
    t.expect("first")
    t.type("\x1a")
    t.expect("\x1b\\[\\?1049l.*Stopped.*OUTER> ")
    assert t.modes() == before
    t.type("fg\n")
    t.expect("\x1b\\[\\?1049h.*first")
    t.type("osecond\x1b:wq\r")
    t.expect("OUTER> ")
    with open("made", encoding="ascii") as f:
        assert f.read() == "first\nsecond\n"
    assert t.modes() == before


@case
def script():
    """S14 a terminal made inside: script(1)"""
    t = confined("script", "-qec", "tty; exit 6", "/dev/null")
    t.expect("/dev/pts/1\r\n")
    assert t.wait() == 6


@case
def tmux():
    """a terminal multiplexer inside: its own terminals, its server in /tmp"""
    os.environ["TERM"] = "xterm"
    t = confined("tmux", "-f", "/dev/null", "new-session", "sh -c 'tty; echo in tm''ux; read x; exit 0'")
    t.expect("/dev/pts/1.*in tmux")
    t.resize(30, 100)
    t.type("x\n")
    t.expect("exited")
    assert t.wait() == 0


@case
def nested():
    """snug inside a terminal of script(1), and its exit code"""
    t = Terminal("script", "-qec", f"{SNUG} -- sh -c 'tty; read x; echo \"<$x>\"; exit 9'", "/dev/null")
    t.expect("/dev/pts/0\r\n")
    t.type("deep\n")
    t.expect("<deep>\r\n")
    assert t.wait() == 9


@case
def storm():
    """P13 a storm of size changes and signals while bytes pass: none is lost"""
    t = confined(*py("""
import os, signal, sys, tty
tty.setraw(0)
signal.signal(signal.SIGUSR1, lambda *_: None)
os.write(1, b"go>")
got = 0
while got < 200000:
    got += len(os.read(0, 4096))
    os.write(1, b".")
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
os.write(1, b"all")
"""))
    t.expect("go>")
    sent = 0
    while sent < 200000:
        t.resize(20 + sent % 7, 80)
        os.kill(t.pid, signal.SIGUSR1)
        os.kill(t.pid, signal.SIGWINCH)
        t.type(b"x" * 500)
        sent += 500
        while t.more(0):
            pass
    t.expect("all")
    assert t.wait() == 0


@case
def timeout():
    """--timeout ends a command that has the terminal; the modes are put back"""
    t = Terminal("sh", "-c", f"{SNUG} --timeout=1 -- sh -c 'stty raw; sleep 1000'; echo code $?; exec cat")
    before = t.modes()
    t.expect("code 124\r\n")
    assert t.modes() == before


@case
def not_found():
    """a command that cannot be executed: the message is readable, the modes untouched"""
    t = confined("no-such-command")
    before = t.modes()
    t.expect("not found[^\n]*\r\n")
    assert t.wait() == 127
    assert t.modes() == before


@case
def progress():
    """an audit of many accesses says on a terminal what it is at, and takes the line away before its report"""
    look = "import os\nfor i in range(30000): os.path.lexists('no-%d' % i)"
    t = Terminal(SNUG, "audit", "--no-keep", "--", "python3", "-c", look)
    t.expect("snug: learning from [0-9]+ accesses\r\x1b\\[Ksnug: ")
    assert t.wait() == 0
    t = Terminal(SNUG, "audit", "-q", "--no-keep", "--", "python3", "-c", look)
    assert t.wait() == 0
    assert b"learning from" not in t.drain()


if __name__ == "__main__":
    name = sys.argv[1]
    if name == "list":
        print("\n".join(CASES))
        sys.exit(0)
    terminals = []
    start = Terminal.__init__

    def remembered(self, *args, **how):
        terminals.append(self)
        start(self, *args, **how)
    Terminal.__init__ = remembered
    try:
        CASES[name]()
    finally:
        for one in terminals:
            sys.stdout.write(one.out[-3000:].decode(errors="replace"))
            try:
                one.close()
            except OSError:
                pass
