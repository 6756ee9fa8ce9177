# relay_cases.py - raw clients and origins around tests/tools/relayd, in a network of their own (see relay.bats)
#
# usage: python3 relay_cases.py RELAYD CASE
# 203.0.113.5, 203.0.113.6, 10.9.9.9, 2001:db8::5 lie on loopback; names come from a private /etc/hosts.
import base64
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

RELAYD = sys.argv[1]
PUBLIC, OTHER, INNER, PUBLIC6 = "203.0.113.5", "203.0.113.6", "10.9.9.9", "2001:db8::5"
OK = b"HTTP/1.1 200 Connection established\r\n\r\n"


class Relay:
    def __init__(self, *args, env=None):
        full = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}
        full.update(env or {})
        self.p = subprocess.Popen([RELAYD, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=full, text=True)
        words = self.p.stdout.readline().split()
        self.port, self.pid = int(words[1]), int(words[3])

    def connect(self, timeout=10):
        s = socket.create_connection(("127.0.0.1", self.port))
        s.settimeout(timeout)
        return s

    def rows(self):
        """End the relay; its rows as dicts."""
        out, _ = self.p.communicate()
        assert self.p.returncode == 0, f"relayd ended with {self.p.returncode}"
        keys = "host port connect allowed status err sent received by_proxy addr".split()
        rows = [dict(zip(keys, line.split()[1:])) for line in out.splitlines() if line.startswith("row ")]
        for r in rows:
            r.update({k: int(r[k]) for k in keys[1:-1]})
        return rows


class Origin:
    """Calls handler(socket, number) in a thread for each connection."""

    def __init__(self, handler, addr=PUBLIC, port=0, backlog=512):
        self.s = socket.socket(socket.AF_INET6 if ":" in addr else socket.AF_INET)
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.s.bind((addr, port))
        self.s.listen(backlog)
        self.addr, self.port, self.seen, self.handler = addr, self.s.getsockname()[1], 0, handler
        self.heads = []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            c, _ = self.s.accept()
            self.seen += 1
            threading.Thread(target=self.one, args=(c, self.seen), daemon=True).start()

    def one(self, c, n):
        c.settimeout(20)
        try:
            self.handler(c, n, self)
        except OSError:
            pass
        finally:
            c.close()

    @property
    def at(self):
        return f"{self.addr}:{self.port}"


def head(s, origin=None):
    """One head, byte by byte so that nothing behind it is taken."""
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        b = s.recv(1)
        if not b:
            break
        data += b
    if origin:
        origin.heads.append(data)
    return data


def exactly(s, n):
    data = b""
    while len(data) < n:
        b = s.recv(n - len(data))
        if not b:
            break
        data += b
    return data


def rest(s):
    data = b""
    while True:
        b = s.recv(65536)
        if not b:
            return data
        data += b


def hello(c, n, o):
    head(c, o)
    c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")


def echo(c, n, o):
    while True:
        b = c.recv(65536)
        if not b:
            return
        c.sendall(b)


def get(at, path="/", extra=""):
    return f"GET http://{at}{path} HTTP/1.1\r\nHost: {at}\r\n{extra}\r\n".encode()


def connect(at, extra=""):
    return f"CONNECT {at} HTTP/1.1\r\nHost: {at}\r\n{extra}\r\n".encode()


def ask(relay, data, shut=False):
    with relay.connect() as s:
        s.sendall(data)
        if shut:
            s.shutdown(socket.SHUT_WR)
        return rest(s)


def status(data):
    m = re.match(rb"HTTP/1\.1 (\d{3}) ", data)
    return int(m.group(1)) if m else None


def first_status(relay, data):
    with relay.connect() as s:
        s.sendall(data)
        return status(head(s))


def same(got, want, what=""):
    assert got == want, f"{what}: got {got!r}, wanted {want!r}"


def replies(data):
    return re.findall(rb"HTTP/1\.1 (\d{3}) ", data)


# ---- the cases -----------------------------------------------------------------------------------


def client_hello(name, alpn=None):
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ctx.check_hostname, ctx.verify_mode = False, ssl.CERT_NONE
    if alpn:
        ctx.set_alpn_protocols(alpn)
    out = ssl.MemoryBIO()
    try:
        ctx.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def in_records(hello, size):
    body = hello[5:]
    return b"".join(b"\x16\x03\x01" + struct.pack(">H", len(body[i:i + size])) + body[i:i + size]
                    for i in range(0, len(body), size))


def n07():
    """The name inside TLS has to be granted as the tunnel's own; without one the address has to be."""
    alert = b"\x15\x03\x01\x00\x02\x02\x70"
    o = Origin(echo, port=8443)
    def try_one(r, data, segments=1):
        with r.connect() as s:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            s.sendall(connect("good.test:8443"))
            same(head(s), OK)
            step = max(1, -(-len(data) // segments))
            for i in range(0, len(data), step):
                s.sendall(data[i:i + step])
                if segments > 1:
                    time.sleep(0.02)
            s.shutdown(socket.SHUT_WR)
            return rest(s)

    good, evil, none = client_hello("good.test"), client_hello("evil.test"), client_hello(None)
    large = client_hello("good.test", ["%0200d" % i for i in range(20)])
    assert len(large) > 4000, len(large)
    r = Relay("--sni-check", "good.test:8443", "also.test:8443")
    through = [good, good.replace(b"good.test", b"GOOD.Test"), large, in_records(good, 100), in_records(large, 1), client_hello("also.test"),
               b"\0not TLS", b"SSH-2.0-x\r\n", b"", good + b"more"]
    refused = [evil, none, in_records(evil, 50), client_hello("good.test.evil.test"), client_hello("xgood.test"), good[:-1],
               good.replace(b"good.test", b"good\0test"), good.replace(b"good.test", b"127.0.0.1"),
               good[:5] + b"\x02" + good[6:], b"\x16\x03\x01\x00\x00", b"\x16\x03\x01\x00\x04\x01\xff\xff\xff"]
    for data in through:
        for n in (1, 10):
            same(try_one(r, data, n) == data, True, data[:80])
    for data in refused:
        for n in (1, 10):
            same(try_one(r, data, n), alert, data[:80])
    rows = r.rows()
    hidden = [(x["host"], x["allowed"], x["status"]) for x in rows if x["host"] in ("evil.test", "also.test", PUBLIC)]
    same(sorted(set(hidden)), [("203.0.113.5", 0, 403), ("also.test", 1, 0), ("evil.test", 0, 403)])
    r = Relay("--sni-check", "good.test:8443", f"{PUBLIC}:8443")
    same(try_one(r, none) == none, True, "no name, address granted")
    r.rows()
    r = Relay("--sni-report", "good.test:8443")
    for data in (good, evil, none, good[:-1]):
        same(try_one(r, data) == data, True, "audit")
    same([x["host"] for x in r.rows() if x["host"] != "good.test"], ["evil.test", PUBLIC], "reported")


def n08():
    """A name that points inside is refused, and of mixed answers only the outside is dialled."""
    o = Origin(hello, port=8080)
    inner = Origin(hello, INNER, port=8080)
    lo = Origin(hello, "127.0.0.1", port=8080)
    r = Relay("inner.test:8080", "mixed.test:8080", "loop6.test:8080", "good.test:8080")
    same(first_status(r, get("good.test:8080")), 200, "public")
    same(first_status(r, get("inner.test:8080")), 403, "private")
    same(first_status(r, get("mixed.test:8080")), 200, "mixed")
    same(first_status(r, get("loop6.test:8080")), 403, "::1")
    body = ask(r, connect("inner.test:8080"), shut=True)
    assert b"10.9.9.9 (a private network)" in body and b"--allow-net=10.9.9.9:8080" in body, body
    rows = r.rows()
    same([x["addr"] for x in rows if x["status"] == 0], [PUBLIC, PUBLIC], "dialled")
    same((o.seen, inner.seen, lo.seen), (2, 0, 0), "connections")
    r = Relay("inner.test:8080", "10.9.0.0/16:8080")
    same(first_status(r, get("inner.test:8080")), 200, "private, granted by address")
    r.rows()
    r = Relay("good.test:8080", "--", "203.0.113.0/24:8080")
    same(first_status(r, get("good.test:8080")), 403, "name granted, address denied")
    r.rows()


def n09():
    """One verdict per address, however it is spelled."""
    o = Origin(hello, "127.0.0.1")
    spelled = ["127.0.0.1", "127.0.0.1.", "[::ffff:7f00:1]", "[::ffff:127.0.0.1]"]
    refused = ["0x7f.1", "2130706433", "0177.0.0.1", "127.1", "[fe80::1%lo]", "", "0x7f000001", "127.0.0.0x1"]
    for grants, want in [((), 403), (("127.0.0.1:*",), 200)]:
        r = Relay(*grants)
        for host in spelled:
            same(first_status(r, connect(f"{host}:{o.port}")), want, f"CONNECT {host}")
            same(first_status(r, get(f"{host}:{o.port}")), want, f"GET {host}")
        for host in refused:
            same(first_status(r, connect(f"{host}:{o.port}")), 400, f"CONNECT {host}")
            same(first_status(r, get(f"{host}:{o.port}")), 400, f"GET {host}")
        same(first_status(r, connect(f"[64:ff9b::7f00:1]:{o.port}")), 403, "NAT64")
        r.rows()
    r = Relay("localhost:*")
    for host in ["localhost", "localhost.", "LOCALHOST"]:
        same(first_status(r, connect(f"{host}:{o.port}")), 200, host)
    same(first_status(r, connect(f"127.0.0.1:{o.port}")), 403, "the address, where the name is granted")
    r.rows()


def n10():
    """CONNECT takes host:port and nothing else."""
    o = Origin(echo, "::1", port=4443)
    r = Relay("[::1]:4443", "h:*")
    for target in ["::1:443", "[::1]", ":443", "h:0", "h:65536", "h:443x", "h:+443", "h", "h:", "http://h:443", "h:443/",
                   "u@h:443", "[::1:443", "h:443 x"]:
        data = ask(r, connect(target), shut=True)
        same(replies(data), [b"400"], target)
        assert b"Connection: close" in data, data
    same(first_status(r, connect("[::1]:4443")), 200, "[::1]:4443")
    r.rows()
    same(o.seen, 1, "connections")


def n11():
    """What could be read in two ways is refused, closed, and never forwarded."""
    o = Origin(hello)
    r = Relay(f"{PUBLIC}:*")
    at = o.at
    post = f"POST http://{at}/ HTTP/1.1\r\nHost: {at}\r\n".encode()
    bad = [
        post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        post + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        post + b"Transfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n",
        post + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        post + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        post + b"X: 1\r\n folded\r\n\r\n",
        post + b"X: 1\nY: 2\r\n\r\n",
        post + b"X: 1\rY: 2\r\n\r\n",
        post + b"X: \0\r\n\r\n",
        post + b"Host: evil.test\r\n\r\n",
        post + b"X: " + b"a" * 70000 + b"\r\n\r\n",
        post + b"Connection: Host\r\n\r\n",
        f"GET http://{at}/ HTTP/1.1\r\n\r\n".encode(),
        f"GET http://{at}/ HTTP/1.1\nHost: {at}\n\n".encode(),
        f"GET http://u:p@{at}/ HTTP/1.1\r\nHost: {at}\r\n\r\n".encode(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ]
    for data in bad:
        got = ask(r, data)
        same(replies(got), [b"400"], data[:200])
        assert b"Connection: close" in got, got
    same(o.seen, 0, "connections")
    chunk = post + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5 \r\nhello\r\n0\r\n\r\n"
    got = ask(r, chunk)
    same(replies(got)[:1] in ([b"400"], [b"200"]), True, "malformed chunk")
    rows = r.rows()
    same([x["status"] for x in rows][:len(bad)], [400] * len(bad), "rows")


def n12():
    """100-continue: the client sees what the origin does."""

    def early(c, n, o):
        head(c, o)
        c.sendall(b"HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno")
        time.sleep(0.2)

    def silent(c, n, o):
        head(c, o)
        body = exactly(c, 5)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + body)

    def twice(c, n, o):
        head(c, o)
        c.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
        silent_body = exactly(c, 5)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + silent_body)

    def request(o):
        return (f"POST http://{o.at}/ HTTP/1.1\r\nHost: {o.at}\r\nExpect: 100-continue\r\n"
                "Content-Length: 5\r\n\r\n").encode()

    r = Relay(f"{PUBLIC}:*")
    o = Origin(early)
    start = time.time()
    got = ask(r, request(o))
    same(replies(got), [b"401"], "early final status")
    assert got.endswith(b"\r\n\r\nno"), got
    assert time.time() - start < 1.5, "stalled"
    assert b"Expect: 100-continue" in o.heads[0], o.heads
    o = Origin(silent)
    with r.connect() as s:
        s.sendall(request(o))
        s.settimeout(0.3)
        try:
            same(s.recv(1), b"never", "interim reply of our own")
        except TimeoutError:
            pass
        s.settimeout(10)
        s.sendall(b"hello")
        same(status(head(s)), 200, "no 100 at all")
        same(exactly(s, 5), b"hello")
    o = Origin(twice)
    with r.connect() as s:
        s.sendall(request(o))
        same([status(head(s)) for _ in range(3)], [100, 103, 100], "interim replies")
        s.sendall(b"hello")
        same(status(head(s)), 200)
        same(exactly(s, 5), b"hello")
    r.rows()


def n13():
    """The reply to CONNECT is exact; an upstream proxy that dies in its head is a 502."""
    o = Origin(echo)
    r = Relay(f"{PUBLIC}:*")
    with r.connect() as s:
        s.sendall(connect(o.at) + b"ping")
        same(exactly(s, len(OK) + 4), OK + b"ping")
    r.rows()
    for part in [b"", b"HTTP/1.1 200 Connection esta", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nX: y\r\n", b"garbage\r\n\r\n"]:

        def dies(c, n, o, part=part):
            head(c, o)
            c.sendall(part)

        up = Origin(dies, OTHER)
        r = Relay("--upstream-env", "far.test:443", env={"https_proxy": f"http://{up.at}"})
        got = ask(r, connect("far.test:443"), shut=True)
        same(replies(got), [b"502"], part)
        rows = r.rows()
        same([(x["status"], x["by_proxy"]) for x in rows], [(502, 1)], part)

        o = Origin(dies)
        r = Relay(f"{PUBLIC}:*")
        same(replies(ask(r, get(o.at))), [b"502"], part)
        r.rows()


def n14():
    """The user's own proxy is used on both paths, with its credentials, but for NO_PROXY."""

    def proxy(c, n, o):
        h = head(c, o)
        if b"Proxy-Authorization: Basic " + base64.b64encode(b"me:se:cret") not in h:
            c.sendall(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\nProxy-Authenticate: Basic\r\n\r\n")
        elif h.startswith(b"CONNECT "):
            c.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\n")
            echo(c, n, o)
        else:
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nvia")

    up = Origin(proxy, OTHER)
    direct = Origin(hello, port=8080)
    url = f"http://me:se%3Acret@{up.at}"
    r = Relay("--upstream-env", "*:*", "10.9.9.9:1", "[::1]:1", env={"http_proxy": url, "https_proxy": url, "NO_PROXY": ".corp.test,10.0.0.0/8,[::1]"})
    got = ask(r, get("far.test", extra="Proxy-Authorization: Basic bWluZQ==\r\nConnection: close\r\n"))
    assert got.endswith(b"via") and b"roxy-A" not in got, got
    same(up.heads[0].split(b"\r\n")[0], b"GET http://far.test/ HTTP/1.1")
    assert b"bWluZQ" not in up.heads[0], up.heads[0]
    with r.connect() as s:
        s.sendall(connect("far.test:443"))
        same(head(s), OK)
        s.sendall(b"ping")
        same(exactly(s, 4), b"ping")
    same(first_status(r, get("a.corp.test:8080")), 200, "NO_PROXY")
    same(up.seen, 2, "connections to the upstream")
    same(direct.seen, 1, "direct connections")
    for at in ["10.9.9.9:1", "[::1]:1"]:
        same(first_status(r, connect(at)), 502, f"NO_PROXY {at}")
    same(up.seen, 2, "connections to the upstream")
    same(sorted(x["by_proxy"] for x in r.rows()), [0, 0, 0, 1, 1], "rows")
    for bad in [f"http://{up.at}", f"http://x:y@{up.at}"]:
        r = Relay("--upstream-env", "far.test", env={"http_proxy": bad, "https_proxy": bad})
        for q in [get("far.test"), connect("far.test:443")]:
            got = ask(r, q, shut=True)
            same(replies(got), [b"502"], "wrong credentials")
            assert b"USER:PASSWORD" in got and b"Proxy-Auth" not in got, got
        r.rows()
    # the upstream is not asked for what we would refuse ourselves
    seen = up.seen
    r = Relay("--upstream-env", "far.test", env={"http_proxy": url, "https_proxy": url})
    same(first_status(r, connect("127.0.0.1:443")), 403, "address")
    same(first_status(r, get("else.test")), 403, "name")
    r.rows()
    same(up.seen, seen, "connections to the upstream")


def n22():
    """A refused CONNECT leaves the connection usable."""
    o = Origin(echo)
    r = Relay(f"{PUBLIC}:*")
    with r.connect() as s:
        s.sendall(connect("evil.test:443"))
        h = head(s)
        same(status(h), 403)
        body = exactly(s, int(re.search(rb"Content-Length: (\d+)", h).group(1)))
        assert b"--allow-net=evil.test" in body and b"proxy.allow_hosts" in body, body
        s.sendall(connect(o.at))
        same(head(s), OK)
        s.sendall(b"ping")
        same(exactly(s, 4), b"ping")
    # one that talks to the tunnel that it did not get is answered once
    got = ask(r, connect("evil.test:443") + b"\x16\x03\x01\x00\xa5\x01", shut=True)
    same(replies(got), [b"403"], "early bytes")
    with r.connect() as s:
        s.sendall(connect("evil.test:443"))
        time.sleep(0.2)
        s.sendall(b"\x16\x03\x01\x00\xa5\x01\n\n")
        same(replies(rest(s)), [b"403"], "late bytes")
    r.rows()


def n23():
    """One well-formed reply for each failure, and a cut is seen as a cut."""

    def reset(c, n, o):
        head(c, o)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
        time.sleep(0.1)
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def reset_eof(c, n, o):
        head(c, o)
        c.sendall(b"HTTP/1.1 200 OK\r\n\r\npart")
        time.sleep(0.1)
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def chunk_cut(c, n, o):
        head(c, o)
        c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nhe")

    r = Relay("*:*")
    with socket.socket() as free:
        free.bind((PUBLIC, 0))
        closed = free.getsockname()[1]
        for q in [get(f"{PUBLIC}:{closed}"), connect(f"{PUBLIC}:{closed}")]:
            got = ask(r, q)
            same(replies(got), [b"502"], "refused port")
            assert b"Connection refused" in got and b"Connection: close" in got, got
    for q in [get("nosuch.invalid"), connect("nosuch.invalid:443")]:
        got = ask(r, q)
        same(replies(got), [b"502"], "no such name")
    for handler in [reset, chunk_cut]:
        o = Origin(handler)
        with r.connect() as s:
            s.sendall(get(o.at))
            same(status(head(s)), 200)
            try:
                body = rest(s)
            except ConnectionResetError:
                body = b"part"
            assert not body.endswith(b"0\r\n\r\n") and b"HTTP/1.1" not in body, body
    o = Origin(reset_eof)
    with r.connect() as s:
        s.sendall(get(o.at))
        try:
            rest(s)
            raise AssertionError("a reset was told as the end of the body")
        except ConnectionResetError:
            pass
    rows = r.rows()
    same([x["err"] for x in rows[:2]], [111, 111], "errno")


def n24():
    """Only whole labels match."""
    r = Relay("*.a.test", "b.test")
    for host in ["a.test", "a.test.evil.test", "xa.test", "x-a.test", "sub.b.test", "bb.test", "b.tes"]:
        same(first_status(r, connect(f"{host}:443")), 403, host)
    for host in ["x.a.test", "X.A.Test.", "x.y.a.test", "b.test", "B.TEST."]:
        same(first_status(r, connect(f"{host}:443")), 502, host)  # granted, but there is no such name
    for host in ["b\u00fccher.test", "b..test", ".b.test"]:
        same(first_status(r, connect(f"{host}:443")), 400, host)
    same(first_status(r, connect("xn--bcher-kva.test:443")), 403, "punycode")
    same(first_status(r, connect("b.test:8443")), 403, "port")
    r.rows()


def n25():
    """101 turns into a raw relay both ways; h2c never goes through."""

    def ws(c, n, o):
        head(c, o)
        c.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nfirst")
        echo(c, n, o)

    o = Origin(ws)
    r = Relay(f"{PUBLIC}:*")
    with r.connect() as s:
        s.sendall(get(o.at, extra="Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n"))
        h = head(s)
        same(status(h), 101)
        assert b"Upgrade: websocket" in h and b"Sec-WebSocket-Accept: x" in h, h
        same(exactly(s, 5), b"first")
        s.sendall(b"\x81\x04\0GET")
        same(exactly(s, 6), b"\x81\x04\0GET")
        s.shutdown(socket.SHUT_WR)
        same(rest(s), b"")
    assert b"Upgrade: websocket" in o.heads[0] and b"Sec-WebSocket-Key: k" in o.heads[0], o.heads
    same(replies(ask(r, get(o.at))), [b"502"], "101 that nobody asked for")
    plain = Origin(hello)
    same(first_status(r, get(plain.at, extra="Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\n")), 200)
    assert b"pgrade" not in plain.heads[0] and b"HTTP2" not in plain.heads[0], plain.heads
    same(first_status(r, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505, "h2 preface")
    r.rows()


def n26():
    """An address that does not answer costs a quarter of a second, and the host is one row."""
    o = Origin(hello, port=8080)
    full = socket.socket(socket.AF_INET6)
    full.bind((PUBLIC6, 8080))
    full.listen(0)
    fillers = []
    for _ in range(4):  # then SYNs are dropped
        f = socket.socket(socket.AF_INET6)
        f.setblocking(False)
        f.connect_ex((PUBLIC6, 8080))
        fillers.append(f)
    time.sleep(0.1)
    r = Relay("slow6.test:8080", "none6.test:8080")
    for host in ["slow6.test", "none6.test"]:
        start = time.time()
        same(first_status(r, get(f"{host}:8080")), 200, host)
        assert time.time() - start < 2, f"{host} took {time.time() - start} s"
    same([(x["host"], x["addr"], x["err"]) for x in r.rows()],
         [("slow6.test", PUBLIC, 0), ("none6.test", PUBLIC, 0)], "rows")
    same(o.seen, 2)


def n27():
    """Every request of a connection is asked for."""
    o = Origin(hello)
    r = Relay(f"{PUBLIC}:*")
    got = ask(r, get(o.at, "/1") + get("evil.test", "/2") + get(o.at, "/3") + get(o.at, "/4", "Connection: close\r\n"))
    same(replies(got), [b"200", b"403", b"200", b"200"])
    same([h.split()[1] for h in o.heads], [b"/1", b"/3", b"/4"])
    post = f"POST http://{o.at}/ HTTP/1.1\r\nHost: {o.at}\r\nContent-Length: {{}}\r\n\r\n"
    inner = get("evil.test").decode()
    got = ask(r, (post.format(len(inner)) + inner).encode() + get("evil.test", extra="Connection: close\r\n"))
    same(replies(got)[-1:], [b"403"], "a request inside a body is a body")
    rows = r.rows()
    same([x["status"] for x in rows[:4]], [0, 403, 0, 0], "rows")


def bodies():
    """Requests and replies with every framing arrive whole, also for HTTP/1.0 clients and HEAD."""

    def reply(c, n, o):
        h = head(c, o)
        body = b""
        m = re.search(rb"Content-Length: (\d+)", h)
        if m:
            body = exactly(c, int(m.group(1)))
        elif b"Transfer-Encoding: chunked" in h:
            while True:
                line = b""
                while not line.endswith(b"\r\n"):
                    line += c.recv(1)
                size = int(line, 16)
                body += exactly(c, size)
                exactly(c, 2)
                if size == 0:
                    break
        if b"/chunked" in h:
            half = len(body) // 2
            c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for part in (body[:half], body[half:]):
                if part:
                    c.sendall(b"%x;x=y\r\n%s\r\n" % (len(part), part))
            c.sendall(b"0\r\nTrailer: x\r\n\r\n")
        elif b"/eof" in h:
            c.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + body)
        elif b"/none" in h:
            c.sendall(b"HTTP/1.1 204 OK\r\n\r\n")
        elif h.startswith(b"HEAD"):
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")
        else:
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    def read(s):
        h = head(s)
        if b"chunked" in h:
            body = b""
            while True:
                line = b""
                while not line.endswith(b"\r\n"):
                    line += s.recv(1)
                part = exactly(s, int(line, 16))
                exactly(s, 2)
                if not part:
                    return h, body
                body += part
        m = re.search(rb"Content-Length: (\d+)", h)
        return h, exactly(s, int(m.group(1))) if m else rest(s) if b"204" not in h else b""

    o = Origin(reply)
    r = Relay(f"{PUBLIC}:*")
    big = os.urandom(300000)
    with r.connect() as s:
        for path in ["/length", "/chunked", "/none", "/length", "/eof"]:
            s.sendall(f"POST http://{o.at}{path} HTTP/1.1\r\nHost: {o.at}\r\n"
                      f"Content-Length: {len(big)}\r\n\r\n".encode() + big)
            h, body = read(s)
            same(body == (b"" if path == "/none" else big), True, path)
    with r.connect() as s:
        for path in ["/chunked", "/length"]:
            s.sendall(f"PUT http://{o.at}{path} HTTP/1.1\r\nHost: {o.at}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            for i in range(0, len(big), 7001):
                part = big[i:i + 7001]
                s.sendall(b"%x\r\n%s\r\n" % (len(part), part))
            s.sendall(b"0\r\n\r\n")
            same(read(s)[1] == big, True, path)
        s.sendall(f"HEAD http://{o.at}/ HTTP/1.1\r\nHost: {o.at}\r\n\r\n".encode())
        h = head(s)
        assert b"Content-Length: 12345" in h, h
        s.sendall(get(o.at, "/none"))
        same(status(head(s)), 204)
    got = ask(r, f"POST http://{o.at}/chunked HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello".encode())
    assert got.endswith(b"\r\n\r\nhello") and b"chunked" not in got, got
    r.rows()


def half_close():
    """The end of one direction is passed on, the other goes on; big bodies both ways."""
    size = 12 << 20
    data = os.urandom(1 << 20)

    def origin(c, n, o):
        got = 0
        while True:
            b = c.recv(1 << 20)
            if not b:
                break
            got += len(b)
        c.sendall(b"%020d" % got)
        for _ in range(size >> 20):
            c.sendall(data)

    o = Origin(origin)
    r = Relay(f"{PUBLIC}:*")
    with r.connect() as s:
        s.sendall(connect(o.at))
        same(head(s), OK)
        for _ in range(size >> 20):
            s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        same(int(exactly(s, 20)), size, "upload")
        same(len(rest(s)), size, "download after the half-close")
    row = r.rows()[0]
    same((row["sent"], row["received"]), (size, size + 20), "row")


def slow_reader():
    """A slow reader slows the origin down; the relay does not swallow the difference."""
    sent = [0]

    def origin(c, n, o):
        head(c, o)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (64 << 20))
        part = b"x" * (1 << 20)
        for _ in range(64):
            c.sendall(part)
            sent[0] += len(part)

    def resident(pid):
        try:
            with open(f"/proc/{pid}/status") as f:
                return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))
        except OSError:
            return 0

    o = Origin(origin)
    r = Relay(f"{PUBLIC}:*")
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    s.connect(("127.0.0.1", r.port))
    s.settimeout(20)
    s.sendall(get(o.at))
    same(status(head(s)), 200)
    time.sleep(1)
    assert sent[0] < 40 << 20, f"the origin could send {sent[0]} bytes to a reader that stands still"
    assert resident(r.pid) < 20000, f"{resident(r.pid)} KiB resident"
    ticks = open(f"/proc/{r.pid}/stat").read().split()[13:15]
    time.sleep(0.5)
    again = open(f"/proc/{r.pid}/stat").read().split()[13:15]
    assert sum(map(int, again)) - sum(map(int, ticks)) < 10, "the relay spins"
    got = 0
    while got < 64 << 20:
        b = s.recv(1 << 20)
        if not b:
            break
        got += len(b)
    same(got, 64 << 20, "body")
    s.close()
    r.rows()


def many():
    """10,000 short connections: none fails, each has its row, though nobody reads rows until the end."""
    def quick(c, n, o):
        c.sendall(b"x")

    o = Origin(quick)
    r = Relay("--no-read", f"{PUBLIC}:*")
    total, workers, failed = 10000, 8, []

    def client(count):
        q = connect(o.at)
        for _ in range(count):
            with socket.create_connection(("127.0.0.1", r.port)) as s:
                s.settimeout(20)
                s.sendall(q)
                data = b""
                while len(data) < len(OK) + 1:
                    b = s.recv(200)
                    if not b:
                        break
                    data += b
                if data != OK + b"x":
                    failed.append(data)

    threads = [threading.Thread(target=client, args=(total // workers,)) for _ in range(workers)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same(failed, [], "failed")
    time.sleep(0.3)
    try:
        fds = len(os.listdir(f"/proc/{r.pid}/fd"))
        assert fds < 30, f"{fds} descriptors are left open"
    except PermissionError:
        pass
    rows = r.rows()
    same(len(rows), total, "rows")
    same({(x["status"], x["received"]) for x in rows}, {(0, 1)})


def stop():
    """Ending the relay lets a running transfer end, and cuts one that does not; all rows come."""
    def slowly(c, n, o):
        head(c, o)
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
        time.sleep(0.7)
        c.sendall(b"llo")

    o, e = Origin(slowly), Origin(echo)
    r = Relay(f"{PUBLIC}:*")
    s, t, idle = r.connect(), r.connect(), r.connect()
    s.sendall(get(o.at))
    t.sendall(connect(e.at))
    same(head(t), OK)
    same(status(head(s)), 200)
    start = time.time()
    rows = r.rows()
    took = time.time() - start
    assert 1.5 < took < 4, f"took {took} s"
    same(exactly(s, 5), b"hello")
    same(rest(idle), b"")
    same(sorted(x["port"] for x in rows), sorted([o.port, e.port]), "rows")


def itself():
    """In an audit, where loopback may be dialled, the relay does not dial itself."""
    r = Relay("--private-ok", "--allow-all")
    for host in ["127.0.0.1", "localhost", "127.9.9.9", "[::ffff:7f00:1]"]:
        for q in [get(f"{host}:{r.port}"), connect(f"{host}:{r.port}")]:
            got = ask(r, q, shut=True)
            same(replies(got), [b"403"], host)
            assert b"snug's own proxy" in got, got
    r.rows()


def flush():
    """A flush reports what still goes on, once, and what was sent a moment ago."""
    o = Origin(echo)
    r = Relay(f"{PUBLIC}:*")
    s = r.connect()
    s.sendall(connect(o.at))
    same(head(s), OK)
    s.sendall(b"ping")
    same(exactly(s, 4), b"ping")
    late = r.connect()
    late.sendall(get("evil.test"))
    r.p.stdin.write("now\n")
    r.p.stdin.flush()
    lines = [r.p.stdout.readline().split() for _ in range(3)]
    same(sorted(x[0] for x in lines), ["last", "row", "row"])
    same(lines[2], ["last"])
    same(sorted(x[1] for x in lines[:2]), [PUBLIC, "evil.test"])
    s.sendall(b"ping")
    same(exactly(s, 4), b"ping", "the tunnel goes on")
    s.close()
    late.close()
    same(r.rows(), [], "rows after the flush")


def trickle():
    """A head that comes byte by byte, and one request per segment border."""
    o = Origin(hello)
    r = Relay(f"{PUBLIC}:*")
    with r.connect() as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for b in get(o.at) + get(o.at, extra="Connection: close\r\n"):
            s.sendall(bytes([b]))
        same(replies(rest(s)), [b"200", b"200"])
    r.rows()


CASES = {k: v for k, v in list(globals().items()) if callable(v) and v.__doc__ and k == v.__name__ and k.islower()
         and k not in ("head", "exactly", "first_status")}
if __name__ == "__main__":
    if sys.argv[2:] == ["--list"]:
        print("\n".join(f"{k}\t{v.__doc__}" for k, v in CASES.items()))
        sys.exit()
    CASES[sys.argv[2]]()
    print("fine")
    sys.stdout.flush()
    os._exit(0)
