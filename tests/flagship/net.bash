# net.bash - a network of its own for a test: loopback with documentation addresses, names in /etc/hosts
#
#   packages.example.org 192.0.2.10   the registry         files.example.net 192.0.2.20   a second host
#   192.0.2.30                        a host without name  inner.example.org 10.9.9.9  one in a private network
# net_start [registry.py options]; in_net COMMAND..; net_stop (in teardown)

net_start() {
	need python3 ip nsenter unshare curl
	local dir=$WORK/net tries
	mkdir -p "$dir"
	cat >"$dir/hosts" <<-END
		127.0.0.1 localhost
		192.0.2.10 packages.example.org
		192.0.2.20 files.example.net
		10.9.9.9 inner.example.org
	END
	cat >"$dir/start" <<-'END'
		set -e
		dir=$1
		shift
		ip link set lo up
		for a in 192.0.2.10 192.0.2.20 192.0.2.30 10.9.9.9; do ip addr add $a/32 dev lo; done
		mount --bind "$dir/hosts" /etc/hosts
		exec python3 "$@"
	END
	NET_NS=(--net --mount)
	NET_UNSHARE=(--net --mount)
	if ! is_root; then
		NET_NS=(--user --preserve-credentials --net --mount)
		NET_UNSHARE=(--user --map-current-user --keep-caps --net --mount)
	fi
	rm -f "$dir/ready"
	unshare "${NET_UNSHARE[@]}" sh "$dir/start" "$dir" "$SRC/tests/flagship/registry.py" \
		--packages "$SRC/tests/flagship/packages" --registry 192.0.2.10:80 \
		--host 192.0.2.20:80 --host 192.0.2.30:80 --ready "$dir/ready" "$@" \
		>"$dir/log" 2>&1 3>&- </dev/null &
	NET_PID=$!
	for ((tries = 0; tries < 100; tries++)); do
		[ ! -e "$dir/ready" ] || return 0
		kill -0 $NET_PID 2>/dev/null || break
		sleep 0.1
	done
	if grep -qi 'not permitted' "$dir/log"; then
		skip "no network namespace here: $(tail -1 "$dir/log")"
	fi
	cat "$dir/log" >&2
	return 1
}

in_net() {
	nsenter -t "$NET_PID" "${NET_NS[@]}" --wd="$PWD" -- "$@"
}

# everything in the network ends with it: what a test started with in_net in the background too
net_stop() {
	local here p
	[ -n "${NET_PID:-}" ] || return 0
	here=$(readlink "/proc/$NET_PID/ns/net") || here=
	for p in /proc/[0-9]*; do
		[ -z "$here" ] || [ "${p#/proc/}" = "$NET_PID" ] || [ "$(readlink "$p/ns/net" 2>/dev/null)" != "$here" ] ||
			kill "${p#/proc/}" 2>/dev/null || :
	done
	{ kill "$NET_PID" && wait "$NET_PID"; } 2>/dev/null || :
	NET_PID=
}
