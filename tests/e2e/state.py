#!/usr/bin/env python3
"""state.py - what a copy of a round trip looks like, without its own name: names, types, the user's mode bits, contents

The bits of others are left out: what is made before the start (create:) is for the user alone.

usage: state.py COPY [REGEX of files whose contents may differ]
"""
import hashlib
import os
import re
import stat
import sys

copy = sys.argv[1]
differs = re.compile(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else None
name = os.path.basename(copy)
own = [(os.fsencode(f"{copy}/people/{name}"), b"HOME"), (os.fsencode(f"{copy}/work"), b"WORK"), (os.fsencode(copy), b"COPY")]


def mode(st):
    return stat.filemode(st.st_mode & ~0o077)


def neutral(data):
    for text, word in own:
        data = data.replace(text, word)
    return data


for top, dirs, files in os.walk(copy):
    dirs.sort()
    if top == copy:
        dirs[:] = [d for d in dirs if d != "state"]
    # what `create: dir` of the built-in profiles makes, used or not
    dirs[:] = [d for d in dirs if d not in (".npm", "node-gyp") and not (d == "pip" and top.endswith("/.cache"))]
    for entry in sorted(dirs + files):
        path = f"{top}/{entry}"
        shown = neutral(os.fsencode(path)).decode(errors="backslashreplace")
        st = os.lstat(path)
        if differs and differs.search(path):
            print(shown, stat.filemode(st.st_mode)[0])
        elif stat.S_ISLNK(st.st_mode):
            print(shown, "->", neutral(os.fsencode(os.readlink(path))))
        elif stat.S_ISREG(st.st_mode):
            with open(path, "rb") as f:
                print(shown, mode(st), hashlib.sha256(neutral(f.read())).hexdigest()[:16])
        else:
            print(shown, mode(st))
