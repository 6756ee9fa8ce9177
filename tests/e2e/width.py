#!/usr/bin/env python3
"""width.py - is a suggested profile tight? fails and says why where not

usage: width.py PROFILE HOME PROJECT BEFORE RUN
BEFORE lists the files that existed before the run, RUN is the stored run's directory.
"""
import json
import os
import re
import sys

profile, home, project, before, run = sys.argv[1:]
with open(before, encoding="utf-8", errors="surrogateescape") as f:
    existing = f.read().split("\n")[:-1]
used = set()
with open(f"{run}/recording.ndjson", encoding="utf-8", errors="surrogateescape") as f:
    for line in f:
        record = json.loads(line)
        if record["k"] == "ev":
            for name in ("a", "b"):
                used.add(record.get(name, {}).get("path", ""))
places = {
    "~": home, "{home}": home, "{project}": project, "{cache}": f"{home}/.cache", "{config}": f"{home}/.config",
    "{data}": f"{home}/.local/share", "{state}": os.environ["XDG_STATE_HOME"],
}
bad = 0
with open(profile, encoding="utf-8") as f:
    for line in f:
        found = re.match(r'\s*- \{ *source: *"?([^",}]*)"?', line)
        if not found:
            continue
        source = found.group(1).strip()
        path = re.sub(r"^(~|\{[a-z]+\})", lambda m: places.get(m.group(0), m.group(0)), source)
        unused = [x for x in existing if x.startswith(path + "/") and x not in used]
        if len(unused) > 50:
            print(f"width: {source} exposes {len(unused)} files the run did not use, such as {unused[0]}")
            bad = 1
        if path == home or (os.path.isdir(path) and os.path.dirname(path) == home):
            print(f"width: {source} is all of home or a directory right below it")
            bad = 1
        if path.count("/") < 2 and os.path.isdir(path):
            print(f"width: {source} is a directory at the top of the tree")
            bad = 1
sys.exit(bad)
