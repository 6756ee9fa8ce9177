#!/usr/bin/env bats
# audit_rows.bats - what a row says, and that what it offers works confined
bats_require_minimum_version 1.5.0
load lib

# next: the printed next command of $output, run as it would be when pasted
paste_next() {
	local line
	line=$(sed -n 's/^snug: next: snug //p' <<<"$output")
	[ -n "$line" ] || fail "no next command"
	run bash -c "\"\$SNUG\" $line"
}

@test "reads in /sys: special.sys, and the printed command works" {
	run "$SNUG" audit -- sh -c 'cat /sys/class/net/lo/address && ls /sys/class/net >/dev/null'
	assert_status 0
	assert_line 'grant: special\.sys: ro'
	run cat "$(suggested)"
	assert_line '^  sys: ro$'
	run "$SNUG" -- cat /sys/class/net/lo/address
	assert_status 1
	run "$SNUG" audit -- cat /sys/class/net/lo/address
	paste_next
	assert_status 0
	assert_out 00:00:00:00:00:00
	printf 'special:\n  proc: true\n' >p.yaml
	run "$SNUG" audit --update=p.yaml -- cat /sys/class/net/lo/address
	assert_line '^\+  sys: ro$'
	run "$SNUG" audit --check --profile ./p.yaml -- cat /sys/class/net/lo/address
	assert_status 0
}

@test "a call that base denies is offered as a comment, with the risk" {
	need python3
	run "$SNUG" audit -- python3 -c 'import ctypes; ctypes.CDLL(None).syscall(298, 0, 0, 0, 0, 0)'
	run cat "$(suggested)"
	assert_line '^#     - perf_event_open  # measures other programs'
	refute_line '^syscalls:'
}

@test "--check=all of a plain program is clean: what a line grants and is not there is no probe" {
	run "$SNUG" audit --check=all -- true
	assert_status 0
	assert_same 'snug: check: clean' "${lines[-1]}"
	run "$SNUG" audit --check=all +git -- git --version
	assert_same 'snug: check: clean' "${lines[-1]}"
	printf 'binds:\n  - { source: "~/.toolrc", mode: ro, optional: true }\n' >p.yaml
	run "$SNUG" audit --check=all --profile ./p.yaml -- sh -c 'cat ~/.toolrc; true'
	assert_same 'snug: check: clean' "${lines[-1]}"
	run "$SNUG" why --profile ./p.yaml "~/.toolrc" last
	assert_line 'granted by \./p\.yaml:2, ENOENT there too'
	run "$SNUG" audit --check=all -- sh -c 'cat ~/.toolrc; true'
	assert_status 3
}

@test "--update into a list with nothing in it; what cannot be added to is said before the command starts" {
	echo x >"$HOME/.conf"
	printf 'binds:\n' >p.yaml
	run "$SNUG" audit --update=p.yaml -- sh -c 'cat "$HOME/.conf"; touch ran'
	assert_status 0
	rm ran
	run "$SNUG" --profile ./p.yaml -- cat "$HOME/.conf"
	assert_out x
	printf '{ name: p, env: ~, binds: ~ }\n' >q.yaml
	cp q.yaml before
	run "$SNUG" audit --update=q.yaml -- touch ran
	assert_status 125
	[ ! -e ran ] || fail "the command was started"
	cmp q.yaml before
}

@test "after --network-only the line before the last says what was not looked at, and so does the JSON" {
	run "$SNUG" audit --network-only --check -q -- cat /etc/hostname
	assert_status 0
	assert_same 'snug: check: clean' "${lines[-1]}"
	assert_same 'snug: check: hosts only; files were not looked at' "${lines[-2]}"
	"$SNUG" audit --network-only --format=json --report=r.json -- true
	assert_same '"hosts"' "$(python3 -c 'import json; print(json.dumps(json.load(open("r.json"))["scope"]))')"
	run "$SNUG" audit --network-trace=off --check -q -- true
	assert_same 'snug: check: files only; hosts were not looked at' "${lines[-2]}"
	run "$SNUG" audit --check -q -- true
	assert_same 'snug: check: clean' "$output"
}

@test "test -w on a read-only grant: the report and why say the same" {
	echo x >"$HOME/ro"
	printf 'binds:\n  - { source: "~/ro", mode: ro }\n' >p.yaml
	run "$SNUG" audit --check --profile ./p.yaml -- sh -c 'test -w "$HOME/ro"'
	assert_status 0
	run "$SNUG" report --show-granted last
	assert_line '~/ro +missing: would be EROFS'
	assert_out 'only asked whether it may be written'
	run "$SNUG" why "~/ro" last
	assert_line 'would be EROFS, .*; only asked whether it may be written, so no finding'
	run "$SNUG" --profile ./p.yaml -- sh -c 'test -w "$HOME/ro"'
	assert_status 1
}

@test "a descriptor that the command was given: the report names it, and --keep-fd hands it on" {
	echo given >f
	run "$SNUG" audit -- sh -c 'cat <&7' 7<f
	assert_line '^snug: hint: confined it gets no descriptor .*7 \(\{project\}/f\).*--keep-fd=7'
	run "$SNUG" -- sh -c 'cat <&7' 7<f
	[ "$status" != 0 ] || fail "it had the descriptor all the same"
	run "$SNUG" --keep-fd=7 -- sh -c 'cat <&7' 7<f
	assert_status 0
	assert_out given
	# a pipe only where its name is used: they stray into many programs
	run bash -c '"$SNUG" audit -- cat <(echo piped) 4>&- 8< <(true)'
	assert_line '^piped'
	assert_line '^snug: hint: confined it gets no descriptor 6[0-9] \(a pipe\); if it uses that: --keep-fd=6[0-9]$'
	refute_out '8 (a pipe)'
	run "$SNUG" audit -- true 7</dev/null 8<.
	refute_out 'descriptor 7'
	refute_out '8 ('
}

@test "N19 a row of a socket names its family" {
	need python3
	run "$SNUG" audit -- python3 -c '
import socket
for family, kind in (38, 5), (40, 1), (17, 3):
    try: socket.socket(family, kind)
    except OSError: pass'
	run "$SNUG" report last
	assert_line 'syscall +socket AF_ALG'
	assert_line 'syscall +socket AF_VSOCK'
	assert_line 'syscall +socket AF_PACKET'
	run "$SNUG" why "socket AF_ALG" last
	assert_status 0
	assert_out 'socket family'
}
