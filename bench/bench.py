#!/usr/bin/env python3
"""bench.py - interleaved timings of real commands: bare, audited, under strace; and of a confined start

Every round runs each variant of a workload once, in turn, so that a busy machine slows all of them; the figure
is median(variant) / median(bare) of the same run. An audit whose recording is incomplete refuses the run: a
recorder that misses calls is fast.
"""
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SNUG = os.environ["SNUG"]
HERE = os.path.dirname(os.path.abspath(__file__))
# the ratios that the project wants to stay below; see docs/performance.md
GOALS = {"npm": 1.20, "git": 1.15, "make": 1.5, "python": 1.3, "find": 3.5}


def sh(script, cwd, env, **more):
    subprocess.run(["sh", "-ec", script], cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL, **more)


class Workload:
    """command: what is timed; prepare: shell script before every run; setup: once."""

    def __init__(self, name, command, setup="", prepare="true", needs=()):
        self.name, self.command, self.setup, self.prepare, self.needs = name, command, setup, prepare, needs


WORKLOADS = [
    Workload("npm", ["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error"],
             setup="""
python3 "$FLAGSHIP/registry.py" --packages "$FLAGSHIP/packages" --generate 60 --registry 127.0.0.1:0 --ready ready & pid=$!
while [ ! -e ready ]; do sleep 0.1; done
port=$(cut -d' ' -f2 ready)
echo '{"name":"app","version":"1.0.0","dependencies":{"gen-01":"^1.0.0","acme-plain":"^1.0.0"}}' >package.json
echo "registry=http://127.0.0.1:$port/" >.npmrc
npm install --no-audit --no-fund --loglevel=error
kill $pid""", prepare="rm -rf node_modules", needs=["npm"]),
    Workload("make", ["make", "-s"], setup="""
mkdir base
cp "$FLAGSHIP"/../../base/*.[ch] base/
printf 'O := $(patsubst %%.c,%%.o,$(wildcard base/*.c))\nlib.a: $(O)\n\tar rcs $@ $^\n%%.o: %%.c\n\tgcc -O2 -g -D_GNU_SOURCE -I. -c -o $@ $<\n' >Makefile
""", prepare="rm -f base/*.o lib.a", needs=["make", "gcc"]),
    Workload("git", ["git", "clone", "-q", "--no-local", "origin", "copy"], setup="""
git init -q origin && cd origin
i=0
while [ $i -lt 1500 ]; do mkdir -p d$((i % 40)); seq $i $((i + 200)) >d$((i % 40))/f$i; i=$((i + 1)); done
git add . && git -c user.name=b -c user.email=b@example.org commit -qm all""", prepare="rm -rf copy", needs=["git"]),
    Workload("python", ["python3", "-c", "import json, argparse, asyncio"], needs=["python3"]),
    Workload("find", ["find", "/usr", "-xdev", "-newer", "/usr", "-name", "nothing"]),
]


def variants(tmp, have_strace):
    yield "bare", []
    yield "audit", [SNUG, "audit", "-q", "--no-keep", "--format=json", f"--report={tmp}/report.json", "--force", "--"]
    if have_strace:
        yield "strace -f", ["strace", "-f", "-o", f"{tmp}/trace"]
        yield "strace bpf", ["strace", "--seccomp-bpf", "-f", "-e", "trace=%file,%network,%process", "-o", f"{tmp}/trace"]


def timed(argv, cwd, env):
    start = time.perf_counter()
    rc = subprocess.run(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE, check=False)
    took = time.perf_counter() - start
    if rc.returncode:
        sys.exit(f"bench: {' '.join(argv)} ended with {rc.returncode}:\n{rc.stderr.decode(errors='replace')[-2000:]}")
    return took


def refuse_incomplete(report):
    with open(report, encoding="utf-8") as f:
        got = json.load(f)
    if got["incomplete"]:
        sys.exit(f"bench: refused, the recording is incomplete: {got['incomplete']}")


def workload(w, rounds, tmp, env):
    cwd = f"{tmp}/{w.name}"
    os.mkdir(cwd)
    sh(w.setup or "true", cwd, env, stderr=subprocess.DEVNULL)
    times = {}
    ways = list(variants(tmp, shutil.which("strace")))
    for turn in range(rounds + 1):
        for name, prefix in ways:
            sh(w.prepare, cwd, env)
            if os.path.exists(f"{tmp}/report.json"):
                os.unlink(f"{tmp}/report.json")
            took = timed(prefix + w.command, cwd, env)
            if name == "audit":
                refuse_incomplete(f"{tmp}/report.json")
            if turn:  # the first round warms the caches
                times.setdefault(name, []).append(took)
    bare = statistics.median(times["bare"])
    row = {name: statistics.median(t) / bare for name, t in times.items()}
    goal = GOALS[w.name]
    cells = "".join(f"{row.get(n, float('nan')):12.2f}" for n in ("audit", "strace -f", "strace bpf"))
    print(f"{w.name:8} {bare * 1000:8.0f} ms{cells}   goal {goal:.2f} {'met' if row['audit'] <= goal else 'MISSED'}", flush=True)


def launch(rounds, env, tmp):
    true = shutil.which("true")
    ways = {"bare": [true], "snug run": [SNUG, "run", "--", true]}
    if shutil.which("bwrap"):
        ways["bwrap"] = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin",
                         "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev",
                         "--tmpfs", "/tmp", true]
    cwd = f"{tmp}/launch"
    os.mkdir(cwd)
    times = {name: [] for name in ways}
    for turn in range(rounds * 10 + 5):
        for name, argv in ways.items():
            took = timed(argv, cwd, env)
            if turn >= 5:
                times[name].append(took)
    bare = statistics.median(times["bare"])
    print("\nstart of a confined `true`")
    for name, t in times.items():
        print(f"{name:10} {statistics.median(t) * 1000:7.2f} ms   {statistics.median(t) / bare:5.2f} x bare")


def main():
    args = sys.argv[1:]
    rounds = int(args.pop(0)) if args and args[0].isdigit() else 5
    # not below /tmp or /var/tmp, which are private in a confined view
    base = next((d for d in ("/srv", "/opt", os.path.expanduser("~/.cache")) if os.access(d, os.W_OK)), None)
    with tempfile.TemporaryDirectory(prefix="snug-bench.", dir=base) as tmp:
        env = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TERM", "USER", "LOGNAME")}
        env |= {"HOME": f"{tmp}/home", "XDG_STATE_HOME": f"{tmp}/state", "FLAGSHIP": f"{HERE}/../tests/flagship"}
        os.mkdir(env["HOME"])
        print(f"{platform.machine()}, Linux {platform.release()}, {os.cpu_count()} cpus, uid {os.getuid()}, {rounds} rounds, interleaved medians")
        print(f"{'':8} {'bare':>11}{'audit':>12}{'strace -f':>12}{'strace bpf':>12}")
        for w in WORKLOADS:
            if args and w.name not in args:
                continue
            if all(shutil.which(p) for p in w.needs):
                workload(w, rounds, tmp, env)
            else:
                print(f"{w.name:8} skipped: needs {', '.join(w.needs)}")
        if not args or "launch" in args:
            launch(rounds, env, tmp)


if __name__ == "__main__":
    main()
