# as: root user
# relay.bats - the proxy alone, between raw clients and origins in a network of its own
load lib

# relay_case NAME: one case of relay_cases.py, under private names and addresses
relay_case() {
	need python3 ip unshare
	cat >"$WORK/hosts" <<-END
		127.0.0.1 localhost
		203.0.113.5 good.test mixed.test a.corp.test slow6.test none6.test
		127.0.0.1 mixed.test
		10.9.9.9 inner.test
		::1 loop6.test
		2001:db8::5 slow6.test
		2001:db8:9::9 none6.test
	END
	cat >"$WORK/start" <<-'END'
		set -e
		ip link set lo up
		for a in 203.0.113.5/32 203.0.113.6/32 10.9.9.9/32; do ip addr add $a dev lo; done
		ip -6 addr add 2001:db8::5/128 dev lo
		mount --bind "$1" /etc/hosts
		: >"$1.resolv" && mount --bind "$1.resolv" /etc/resolv.conf
		shift
		exec "$@"
	END
	local own=(--net --mount)
	is_root || own=(--user --map-current-user --keep-caps --net --mount)
	skip_unless "no network namespace here" unshare "${own[@]}" ip link set lo up
	run timeout 120 unshare "${own[@]}" sh "$WORK/start" "$WORK/hosts" \
		python3 "$SRC/tests/e2e/relay_cases.py" "$O/tests/tools/relayd" "$1"
	assert_status 0
	assert_line '^fine$'
}

@test "N07 the name inside TLS is asked for too" { relay_case n07; }
@test "N08 a name that points inside is refused; the checked address is the dialled one" { relay_case n08; }
@test "N09 one verdict per address however it is spelled" { relay_case n09; }
@test "N10 CONNECT takes host:port and nothing else" { relay_case n10; }
@test "N11 ambiguous framing is 400 and close, nothing forwarded" { relay_case n11; }
@test "N12 100-continue goes as the origin wants" { relay_case n12; }
@test "N13 exact reply to CONNECT; a dying upstream is 502" { relay_case n13; }
@test "N14 upstream proxy with credentials on both paths, NO_PROXY honoured" { relay_case n14; }
@test "N22 a refused CONNECT leaves the connection usable" { relay_case n22; }
@test "N23 one well-formed reply per failure" { relay_case n23; }
@test "N24 only whole labels match" { relay_case n24; }
@test "N25 websockets through, h2c not" { relay_case n25; }
@test "N26 a dead address family costs little and is one row" { relay_case n26; }
@test "N27 every request on a connection is asked for" { relay_case n27; }
@test "bodies of every framing arrive whole" { relay_case bodies; }
@test "half-close with big bodies both ways" { relay_case half_close; }
@test "a slow reader slows the origin, the relay neither grows nor spins" { relay_case slow_reader; }
@test "10,000 short connections, 10,000 rows" { relay_case many; }
@test "stopping lets transfers end, then cuts" { relay_case stop; }
@test "the relay does not dial itself" { relay_case itself; }
@test "a flush reports what still goes on" { relay_case flush; }
@test "heads that come byte by byte" { relay_case trickle; }
