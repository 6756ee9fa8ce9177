# run_net.bats - what a confined command reaches: the loopback of its own, hosts through the proxy, no sockets of the host
# as: root user
load lib

setup() {
	snug_setup
	cp "$(target run_probe)" "$PROJ/probe"
	pids=()
}
teardown() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	wait
}
confined() { run "$SNUG" run "$@"; }
until_file() {
	local i
	for i in $(seq 200); do
		[ -e "$1" ] && return 0
		sleep 0.05
	done
	fail "no $1 after 10 s"
}
# a web server of the host's on a free port: $port
serve() {
	need python3
	cat >"$WORK/serve.py" <<-'PY'
		import http.server, sys
		class H(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        self.send_response(200); self.send_header("Content-Length", "6"); self.end_headers(); self.wfile.write(b"served")
		    def log_message(self, *a): pass
		s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
		open(sys.argv[1] + ".tmp", "w").write(str(s.server_port))
		import os; os.rename(sys.argv[1] + ".tmp", sys.argv[1])
		s.serve_forever()
	PY
	python3 "$WORK/serve.py" "$WORK/port" &
	pids+=($!)
	until_file "$WORK/port"
	port=$(cat "$WORK/port")
}

@test "N15 a server inside reaches itself on the loopback without any grant" {
	confined -- ./probe selfserve
	assert_same "$output" "$(printf 'bind OK\nlisten OK\nconnect OK')"
}

@test "the host's loopback is another one" {
	serve
	need curl
	assert_same "$(curl -s "http://127.0.0.1:$port/")" served
	confined -- curl -sS --max-time 5 "http://127.0.0.1:$port/"
	assert_status 7
	confined --network host -- curl -sS --max-time 5 "http://127.0.0.1:$port/"
	assert_status 0
	assert_same "$output" served
}

@test "a grant of all hosts does not mean the host's loopback, and the audit says so" {
	serve
	need curl
	run "$SNUG" audit --check --allow-net -- curl -sS --max-time 5 "http://localhost:$port/"
	assert_status 3
	assert_out "allow_hosts: \"localhost:$port\""
	confined --allow-net -- curl -sS --max-time 5 "http://localhost:$port/"
	assert_status 7
	confined --allow-net --profile "$("$SNUG" runs path last)/suggested.yaml" -- curl -sS --max-time 5 "http://localhost:$port/"
	assert_status 0
	assert_out served
}

@test "a denied service on loopback is named as denied, and not suggested" {
	serve
	need curl
	for options in "--deny-net=127.0.0.1" "--allow-net --deny-net=localhost:$port"; do
		# shellcheck disable=SC2086
		run "$SNUG" audit $options -- curl -sS --max-time 5 "http://127.0.0.1:$port/"
		assert_out "denied by --deny-net"
		refute_out "allow_hosts"
	done
}

@test "N18 abstract sockets of the host are out of reach, with the proxy too" {
	name=snug-test-$$-$BATS_TEST_NUMBER
	./probe abstract "$name" "$WORK/bound" &
	pids+=($!)
	until_file "$WORK/bound"
	assert_same "$(./probe abstract "$name")" "connect OK"
	for mode in none proxy; do
		confined --network $mode -- ./probe abstract "$name"
		assert_same "$output" "connect ECONNREFUSED"
	done
}

@test "N17 sockets that look names up are not in the view" {
	confined -- sh -c 'ls -d /run/nscd /var/run/nscd /run/systemd /run/dbus /run/user 2>/dev/null; getent hosts example.org; echo done'
	assert_same "$output" "done"
}

@test "mode proxy: a granted address answers, anything else is 403, and nothing goes round it" {
	serve
	need curl
	confined --allow-net="127.0.0.1:$port" -- curl -sS --noproxy '' --max-time 5 "http://127.0.0.1:$port/"
	assert_status 0
	assert_same "$output" served
	confined --allow-net=example.org -- curl -sS --noproxy '' --max-time 5 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/"
	assert_out 403
	confined --allow-net="127.0.0.1:$port" -- curl -sS --noproxy '*' --max-time 5 "http://127.0.0.1:$port/"
	assert_status 7
}

@test "mode proxy: localhost is the loopback of the host, by either name" {
	serve
	need curl
	for grant in "localhost:$port" "127.0.0.1:$port"; do
		confined --allow-net="$grant" -- curl -sS --noproxy '' --max-time 5 "http://localhost:$port/"
		assert_out served
	done
}

@test "mode proxy: a denied host stays denied under an all-host grant" {
	serve
	need curl
	confined --allow-net --deny-net="127.0.0.1" -- curl -sS --noproxy '' --max-time 5 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/"
	assert_out 403
	confined --allow-net --deny-net="127.0.0.1" -- curl -sS --noproxy '' --max-time 5 "http://127.0.0.1:$port/"
	assert_out "denied by --deny-net"
	refute_out "grant it"
}

@test "mode proxy: the relay ends with the command, status and signals as without" {
	confined --network proxy -- sh -c 'exit 7'
	assert_status 7
	"$SNUG" run --network proxy -- sh -c ': > ready; sleep 34.04' &
	pid=$!
	until_file ready
	kill -TERM $pid
	code=0
	wait $pid || code=$?
	assert_same "$code" 143
	confined --network proxy -- nosuch
	assert_status 127
}

@test "the port of the proxy is nobody's inside, and its process is not to be seen" {
	confined --network proxy -- sh -c 'ls /proc | grep -c "^[0-9]*$"; echo "$http_proxy"'
	assert_status 0
	[ "${lines[0]}" -le 5 ]
	assert_out 127.0.0.1
}
