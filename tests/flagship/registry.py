#!/usr/bin/env python3
"""registry.py - a small npm registry and a few plain web hosts, for tests; nothing leaves the machine

usage: registry.py --packages DIR [--generate N] --registry ADDR:PORT [--host ADDR:PORT]... [--ready FILE]

Packages are the directories below DIR, plus N generated ones (gen-01 needs gen-02 and so on in a tree).
Tarballs are made on the fly and are the same bytes every time. Each --host answers GET /PATH with
"ADDR served /PATH". With --ready, the file is made once all listen.
"""
import argparse
import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import tarfile
import threading


def tarball(files):
    """The bytes of package/... for {name: (bytes, mode)}: no time, no owner."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            data, mode = files[name]
            info = tarfile.TarInfo("package/" + name)
            info.size, info.mode, info.mtime = len(data), mode, 499162500
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), mtime=0)


def read_package(path):
    files = {}
    for top, _, names in os.walk(path):
        for name in names:
            full = os.path.join(top, name)
            with open(full, "rb") as f:
                files[os.path.relpath(full, path)] = (f.read(), 0o755 if os.access(full, os.X_OK) else 0o644)
    return files


def generated(n):
    for i in range(1, n + 1):
        deps = {f"gen-{k:02}": "^1.0.0" for k in (2 * i, 2 * i + 1) if k <= n}
        meta = {"name": f"gen-{i:02}", "version": "1.0.0", "main": "index.js", "dependencies": deps}
        body = "".join(f"exports.f{k} = () => {i * k};\n" for k in range(40))
        files = {"package.json": json.dumps(meta).encode(), "index.js": body.encode()}
        for k in range(8):
            files[f"lib/part{k}.js"] = body.encode()
        yield {name: (data, 0o644) for name, data in files.items()}


def load(path, n):
    found = {}
    sets = [read_package(os.path.join(path, d)) for d in sorted(os.listdir(path))] if path else []
    for files in sets + list(generated(n)):
        meta = json.loads(files["package.json"][0])
        found[meta["name"]] = (meta, tarball(files))
    return found


class Registry(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    packages = {}

    def reply(self, code, body, kind="application/json"):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        name = self.path.split("?")[0].strip("/")
        if "/-/" in name:
            found = self.packages.get(name.split("/-/")[0])
            return self.reply(200, found[1], "application/octet-stream") if found else self.reply(404, b"{}")
        found = self.packages.get(name)
        if not found:
            return self.reply(404, b'{"error":"not found"}')
        meta, tar = found
        version = dict(meta)
        version["dist"] = {
            "tarball": f"http://{self.headers['Host']}/{meta['name']}/-/{meta['name']}-{meta['version']}.tgz",
            "integrity": "sha512-" + base64.b64encode(hashlib.sha512(tar).digest()).decode(),
            "shasum": hashlib.sha1(tar).hexdigest(),
        }
        scripts = meta.get("scripts", {})
        if any(k in scripts for k in ("preinstall", "install", "postinstall")):
            version["hasInstallScript"] = True
        doc = {"name": meta["name"], "dist-tags": {"latest": meta["version"]}, "versions": {meta["version"]: version}}
        return self.reply(200, json.dumps(doc).encode())

    def do_POST(self):  # the advisories npm asks for after an install
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.reply(200, b"{}")

    def log_message(self, *_):
        pass


class Plain(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"{self.server.server_address[0]} served {self.path}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def listen(where, handler):
    addr, port = where.rsplit(":", 1)
    server = http.server.ThreadingHTTPServer((addr, int(port)), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--packages")
    p.add_argument("--generate", type=int, default=0)
    p.add_argument("--registry", required=True)
    p.add_argument("--host", action="append", default=[])
    p.add_argument("--ready")
    a = p.parse_args()
    Registry.packages = load(a.packages, a.generate)
    server = listen(a.registry, Registry)
    for where in a.host:
        listen(where, Plain)
    if a.ready:
        with open(a.ready + ".tmp", "w", encoding="ascii") as f:
            f.write(f"{os.getpid()} {server.server_address[1]}\n")
        os.rename(a.ready + ".tmp", a.ready)
    threading.Event().wait()


if __name__ == "__main__":
    main()
