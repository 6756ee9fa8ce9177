#!/usr/bin/env python3
"""grow.py - fuzz one target for a while and add to its corpus the few inputs that reach new lines

usage: tests/fuzz/grow.py NAME [SECONDS] [DIR of built targets]
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

name, seconds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "30"
built = sys.argv[3] if len(sys.argv) > 3 else "build/plain/fuzz"
program = f"{built}/{name}_fuzz"
corpus = f"tests/fuzz/corpus/{name}"
with open(f"tests/fuzz/{name}_fuzz.c", encoding="utf-8") as f:
    files = re.search(r"covers: *([\w./ -]*[\w./])", f.read()).group(1).split()


def reached(tmp, path):
    """Lines of the covered files that this input reaches."""
    raw, prof = f"{tmp}/one.raw", f"{tmp}/one.prof"
    subprocess.run([program, "-runs=1", path], env={**os.environ, "LLVM_PROFILE_FILE": raw}, capture_output=True, check=False)
    if subprocess.run(["llvm-profdata", "merge", "-o", prof, raw], capture_output=True, check=False).returncode:
        return set()
    out = subprocess.run(["llvm-cov", "export", "-format=lcov", program, f"-instr-profile={prof}", *files], capture_output=True, check=True)
    got, source = set(), ""
    for line in out.stdout.decode().splitlines():
        if line.startswith("SF:"):
            source = line[3:]
        elif line.startswith("DA:"):
            at, count = line[3:].split(",")[:2]
            if int(count):
                got.add((source, int(at)))
    return got


with tempfile.TemporaryDirectory() as tmp:
    os.mkdir(f"{tmp}/new")
    quiet = {**os.environ, "LLVM_PROFILE_FILE": "/dev/null"}
    subprocess.run([program, f"-max_total_time={seconds}", "-max_len=16384", "-verbosity=0", f"-artifact_prefix={tmp}/", f"{tmp}/new", corpus],
                   env=quiet, capture_output=True, check=False)
    for crash in os.listdir(tmp):
        if re.match("crash-|timeout-|oom-|leak-", crash):
            sys.exit(f"{name}: {crash}: run make fuzz-smoke")
    have = set()
    for old in sorted(os.listdir(corpus)):
        have |= reached(tmp, f"{corpus}/{old}")
    sizes = sorted((os.path.getsize(f"{tmp}/new/{n}"), n) for n in os.listdir(f"{tmp}/new"))
    lines = {n: reached(tmp, f"{tmp}/new/{n}") for _, n in sizes}
    added = 0
    while lines:
        best = max(sizes, key=lambda s: (len(lines[s[1]] - have), -s[0]))[1]
        if not lines[best] - have:
            break
        have |= lines[best]
        with open(f"{tmp}/new/{best}", "rb") as f:
            data = f.read()
        with open(f"{corpus}/{hashlib.sha1(data).hexdigest()[:10]}", "wb") as f:
            f.write(data)
        added += 1
print(json.dumps({"added": added, "lines": len(have)}))
