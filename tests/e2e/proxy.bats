# as: root user
# proxy.bats - real clients through the proxy: audit names their hosts, run lets pass what was granted
load lib
load ../flagship/net

FILES=files.example.net:8000
setup() {
	snug_setup
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null PIP_CONFIG_FILE=/dev/null PIP_NO_CACHE_DIR=1
	net_start
	web
}
teardown() {
	[ -z "${WEB_PID:-}" ] || { kill "$WEB_PID" && wait "$WEB_PID"; } 2>/dev/null || :
	net_stop
}

# Static files at 192.0.2.20:8000 (files.example.net): a text, a git repository, a package index
web() {
	mkdir -p "$WORK/web" "$WORK/src"
	echo hello >"$WORK/web/text"
	git -C "$WORK/src" init -q
	echo content >"$WORK/src/file"
	git -C "$WORK/src" add file
	git -C "$WORK/src" -c user.name=x -c user.email=x@example.org commit -qm one
	git clone -q --bare "$WORK/src" "$WORK/web/repo.git"
	git -C "$WORK/web/repo.git" update-server-info
	mkdir -p "$WORK/web/simple/tiny"
	python3 - "$WORK/web/simple/tiny" <<-'END'
		import sys, zipfile
		name = "tiny-1.0-py3-none-any.whl"
		with zipfile.ZipFile(f"{sys.argv[1]}/{name}", "w") as z:
		    z.writestr("tiny.py", "print('tiny')\n")
		    z.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
		    z.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		    z.writestr("tiny-1.0.dist-info/RECORD", "")
		with open(f"{sys.argv[1]}/index.html", "w") as f:
		    f.write(f'<a href="{name}">{name}</a>')
	END
	in_net python3 -m http.server --bind 192.0.2.20 -d "$WORK/web" 8000 >"$WORK/web.log" 2>&1 3>&- &
	WEB_PID=$!
	local i
	for ((i = 0; i < 100; i++)); do
		in_net curl -s --noproxy '*' -o /dev/null http://192.0.2.20:8000/text && return 0
		sleep 0.1
	done
	return 1
}

# client COMMAND..: audited it reaches the host by name; confined it needs the grant, and works with it
client() {
	run in_net "$SNUG" audit --report="$WORK/report" -- "$@"
	assert_status 0
	run hosts
	assert_same "$output" "host $FILES"
	reset
	run in_net "$SNUG" run --allow-net=other.example.net -- "$@"
	[ "$status" != 0 ] || fail "it worked without the grant"
	reset
	run in_net "$SNUG" run --profile "$(suggested)" -- "$@"
	assert_status 0
	reset
	run in_net "$SNUG" run --allow-net=$FILES -- "$@"
	assert_status 0
}
# findings of the last audit that are hosts: "kind what"
hosts() {
	"$SNUG" report --format=json last | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["kind"] == "host" and f["finding"]:
        print("host", f["what"])' | LC_ALL=C sort
}
# between runs of the same command
reset() { rm -rf clone got; }

@test "curl through the proxy: named by audit, 403 without the grant" {
	client curl -fsS "http://$FILES/text"
	assert_out hello
	run in_net "$SNUG" run --allow-net=other.example.net -- curl -sS -w '%{http_code}' "http://$FILES/text"
	assert_out "files.example.net port 8000 is not granted; grant it with --allow-net=$FILES"
	assert_out 403
	run in_net "$SNUG" run --allow-net=other.example.net -- curl -sSp -o /dev/null "http://$FILES/text"
	assert_out 403
}

@test "a bare --allow-net lets every host pass, and -v says which" {
	run in_net "$SNUG" run -v --allow-net -- sh -c "curl -fsS http://$FILES/text; curl -sS http://packages.example.org:1/"
	assert_line '^hello$'
	assert_line '^snug: net: http files\.example\.net port 8000 at 192\.0\.2\.20: [0-9]+ bytes sent, [0-9]+ received$'
	assert_line '^snug: net: http packages\.example\.org port 1: failed, answered 502$'
	run in_net "$SNUG" run -v --allow-net --deny-net=files.example.net:8000 -- curl -sS "http://$FILES/text"
	assert_line '^snug: net: http files\.example\.net port 8000: refused, answered 403$'
}

@test "https through CONNECT" {
	need openssl
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=files.example.net -keyout "$WORK/key" -out "$WORK/cert" \
		-addext subjectAltName=DNS:files.example.net 2>/dev/null
	in_net openssl s_server -quiet -accept 192.0.2.20:8443 -key "$WORK/key" -cert "$WORK/cert" -www \
		>/dev/null 2>&1 3>&- </dev/null &
	local server=$! i
	for ((i = 0; i < 100; i++)); do
		in_net curl -s --noproxy '*' -k -o /dev/null https://192.0.2.20:8443/ && break
		sleep 0.1
	done
	cp "$WORK/cert" cert
	run in_net "$SNUG" audit -q -- curl -fsS --cacert cert -o got https://files.example.net:8443/
	assert_status 0
	run hosts
	assert_same "$output" "host files.example.net:8443"
	run in_net "$SNUG" run --profile "$(suggested)" -- curl -fsS --cacert cert https://files.example.net:8443/
	assert_status 0
	assert_out "TLSv1"
	run in_net "$SNUG" run --allow-net=files.example.net -- curl -sS --cacert cert https://files.example.net:8443/
	assert_status 56
	assert_out 403
	# N07: another name inside TLS is a host of its own, for audit and run
	local other=(curl -sSk --connect-to ::files.example.net:8443 https://other.example.org:8443/)
	run in_net "$SNUG" audit -q -- "${other[@]}"
	assert_status 0
	run hosts
	assert_same "$output" $'host files.example.net:8443\nhost other.example.org:8443'
	run in_net "$SNUG" run --profile "$(suggested)" -- "${other[@]}"
	assert_status 0
	run in_net "$SNUG" run -v --allow-net=files.example.net:8443 -- "${other[@]}"
	kill $server
	assert_status 35
	assert_line '^snug: net: tunnel other\.example\.org port 8443 .*refused, answered 403$'
}

@test "a proxy that cannot be chained to is named, without its password" {
	export ALL_PROXY=socks5h://me:secret@192.0.2.30:1080
	run in_net "$SNUG" run --allow-net=$FILES -- true
	assert_status 125
	assert_out "kind snug cannot chain to (socks5h)"
	refute_out secret
	run in_net "$SNUG" audit -q -- true
	assert_status 125
	assert_out "--network-trace=addresses"
	refute_out secret
}

@test "git clone over http through the proxy" {
	need git
	client git clone -q "http://$FILES/repo.git" clone
	[ "$(cat clone/file)" = content ] || fail "not the repository's file"
}

@test "python's urllib through the proxy" {
	need python3
	client python3 -c "import urllib.request as u; print(u.urlopen('http://$FILES/text').read())"
}

@test "pip through the proxy" {
	need python3
	skip_unless "no pip here" python3 -m pip --version
	client python3 -m pip -q --disable-pip-version-check download --no-deps --trusted-host files.example.net \
		--index-url "http://$FILES/simple" -d got tiny
	[ -e got/tiny-1.0-py3-none-any.whl ] || fail "no wheel"
}

@test "N04 node's fetch ignores the variables: listed by address with a mark, closed when confined" {
	need node
	skip_unless "node has no fetch" node -e 'fetch'
	local code="fetch('http://$FILES/text').then(r => r.text()).then(console.log, e => { console.log(e.cause.code); process.exit(1) })"
	run in_net "$SNUG" audit --report="$WORK/report" -- node -e "$code"
	assert_status 0
	output=$(cat "$WORK/report")
	if grep -q "host  *$FILES" "$WORK/report"; then
		skip "this node's fetch follows the variables"
	fi
	assert_line 'host +192\.0\.2\.20:8000'
	assert_line 'address|proxy'
	run in_net "$SNUG" run --allow-net=$FILES -- node -e "$code"
	assert_status 1
}

@test "audit --network-only names the same hosts" {
	run in_net "$SNUG" audit --network-only --report="$WORK/report" -- \
		sh -c "curl -fsS http://$FILES/text; curl -fsS --noproxy '*' http://192.0.2.30/"
	output=$(cat "$WORK/report")
	assert_line "host +$FILES"
	assert_line "host +192\.0\.2\.30:80"
}

@test "audit --network-only of what talks to nobody is clean" {
	run in_net "$SNUG" audit --network-only --check -- true
	assert_status 0
	assert_line '^snug: check: clean$'
}

@test "N16 loopback is the command's own; NO_PROXY=* reaches nothing outside" {
	need python3 curl
	local code='
	python3 -m http.server --bind 127.0.0.1 9000 >/dev/null 2>&1 & echo inside >probe; sleep 0.1
	for i in 1 2 3 4 5 6 7 8 9; do curl -fsS http://127.0.0.1:9000/probe && break; sleep 0.3; done
	curl -fsS http://localhost:9000/probe
	NO_PROXY="*" no_proxy="*" curl -sS -m 5 http://192.0.2.20:8000/text; echo "code $?"; kill $!'
	run in_net "$SNUG" run --allow-net=$FILES -- sh -c "$code"
	assert_out $'inside\ninside'
	refute_out hello
	assert_line '^code 7$'
}

@test "N21 an audit does not change what UDP reaches" {
	need python3
	cat >"$WORK/udp.py" <<-'END'
		import socket
		s, c = socket.socket(type=socket.SOCK_DGRAM), socket.socket(type=socket.SOCK_DGRAM)
		s.bind(("192.0.2.20", 4433))
		c.settimeout(5)
		c.sendto(b"ping", ("192.0.2.20", 4433))
		data, peer = s.recvfrom(10)
		s.sendto(data, peer)
		print(c.recv(10))
	END
	run in_net "$SNUG" audit -q -- python3 "$WORK/udp.py"
	assert_status 0
	assert_out "b'ping'"
}

@test "N14 the user's own proxy is the upstream in audit and run, its credentials stay outside" {
	cat >"$WORK/up.py" <<-'END'
		import socket, sys, threading
		s = socket.create_server(("192.0.2.30", 3128))
		open(sys.argv[1], "w").close()
		def one(c):
		    head = b""
		    while b"\r\n\r\n" not in head:
		        b = c.recv(4096)
		        if not b:
		            return
		        head += b
		    with open(sys.argv[1], "ab") as f:
		        f.write(head)
		    body = b"through\n" if b"Basic bWU6c2VjcmV0" in head else b"who?\n"
		    c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
		    c.close()
		while True:
		    threading.Thread(target=one, args=(s.accept()[0],)).start()
	END
	in_net python3 "$WORK/up.py" "$WORK/seen" 3>&- &
	local up=$! i
	for ((i = 0; i < 100; i++)); do [ -e "$WORK/seen" ] && break; sleep 0.1; done
	export http_proxy=http://me:secret@192.0.2.30:3128
	run in_net "$SNUG" audit -q -- sh -c "env; curl -sS http://far.example.org/"
	local audit=$output
	run in_net "$SNUG" run --allow-net=far.example.org -- sh -c "env; curl -sS http://far.example.org/; curl -sS http://else.example.org/"
	unset http_proxy
	kill $up
	refute_out secret
	assert_out through
	assert_out "else.example.org port 80 is not granted"
	output=$audit
	refute_out secret
	assert_out through
	! grep -rlE "secret|bWU6c2VjcmV0" "$XDG_STATE_HOME" || fail "credentials were recorded"
	[ "$(grep -c '^GET http://far.example.org/ ' "$WORK/seen")" = 2 ] || fail "the upstream saw: $(cat "$WORK/seen")"
}

@test "N08 a granted name that leads to a private address: audit asks for both, run refuses the name alone" {
	in_net python3 -m http.server --bind 10.9.9.9 -d "$WORK/web" 8001 >/dev/null 2>&1 3>&- &
	local server=$! i
	for ((i = 0; i < 100; i++)); do
		in_net curl -s --noproxy '*' -o /dev/null http://10.9.9.9:8001/text && break
		sleep 0.1
	done
	run in_net "$SNUG" audit --allow-net=inner.example.org:8001 --report="$WORK/report" -- curl -sS http://inner.example.org:8001/text
	assert_out hello
	run cat "$WORK/report" "$(suggested)"
	assert_out 10.9.9.9:8001
	run in_net "$SNUG" run --allow-net=inner.example.org:8001 -- curl -sS http://inner.example.org:8001/text
	assert_out "inner.example.org is at 10.9.9.9 (a private network)"
	run in_net "$SNUG" run --allow-net=inner.example.org:8001 --profile "$(suggested)" -- curl -sS http://inner.example.org:8001/text
	kill $server
	assert_out hello
}
