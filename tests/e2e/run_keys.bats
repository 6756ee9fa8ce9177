# run_keys.bats - each key of a profile does inside what it says
# as: root user
load lib

setup() {
	snug_setup
	cp "$(target run_probe)" "$PROJ/probe"
}
confined() { run "$SNUG" run "$@"; }
with() { # with YAML-LINES: a profile for the next command
	printf '%s\n' "$@" >"$WORK/p.yaml"
}

@test "home: empty, host, persist" {
	echo mine >"$HOME/file"
	with 'home: host'
	confined --profile "$WORK/p.yaml" -- sh -c 'cat ~/file; echo x > ~/new'
	assert_line '^mine$'
	assert_out "Read-only"
	with "home: { persist: \"$WORK/kept\" }"
	confined --profile "$WORK/p.yaml" -- sh -c 'ls -A ~; echo x > ~/new'
	assert_same "$output" ""
	confined --profile "$WORK/p.yaml" -- sh -c 'ls -A ~'
	assert_same "$output" new
	[ ! -e "$HOME/new" ]
}

@test "project: ro" {
	with 'project: ro'
	confined --profile "$WORK/p.yaml" -- sh -c 'ls; echo x > new'
	assert_out probe
	assert_out "Read-only"
}

@test "tmp.size and a tmpfs entry" {
	with 'tmp: { size: 1MiB }' 'tmpfs: ["{project}/scratch"]'
	mkdir scratch && echo host >scratch/host
	confined --profile "$WORK/p.yaml" -- sh -c 'head -c 2000000 /dev/zero > /tmp/big && echo fits; ls -A scratch; echo x > scratch/in'
	refute_out fits
	refute_out host
	assert_out "No space"
	assert_same "$(ls scratch)" host
}

@test "special: no proc, no dev, sys read-only" {
	with 'special: { proc: false, dev: false }'
	confined --profile "$WORK/p.yaml" -- sh -c 'ls /proc /dev'
	refute_line '^(null|self|1)$'
	with 'special: { sys: ro }'
	confined --profile "$WORK/p.yaml" -- sh -c 'ls -d /sys/kernel; mkdir /sys/kernel/x; echo 1 > /sys/kernel/profiling'
	assert_line '^/sys/kernel$'
	assert_out "Read-only"
}

@test "special.userns and ptrace open what base keeps shut" {
	confined -- ./probe tries
	assert_line '^unshare_user EPERM$'
	assert_line '^ptrace EPERM$'
	assert_line '^clone3 ENOSYS$'
	with 'special: { userns: true, ptrace: true }'
	confined --profile "$WORK/p.yaml" -- ./probe tries
	assert_line '^unshare_user OK$'
	assert_line '^clone3 (EINVAL|EFAULT)$'
	refute_line '^ptrace ENOSYS$'
}

@test "syscalls: errno, kill and log" {
	with 'syscalls: { action: kill, deny: [chroot] }'
	confined --profile "$WORK/p.yaml" -- ./probe tries
	assert_status 159
	with 'syscalls: { deny: [kill] }'
	confined --profile "$WORK/p.yaml" -- sh -c 'kill -TERM $$; echo alive'
	assert_line '^alive$'
	with 'override: true' 'syscalls: { action: log, deny: [kill] }'
	confined --profile "$WORK/p.yaml" -- sh -c 'kill -TERM $$; echo alive'
	assert_status 143
}

@test "process.cwd and -C" {
	mkdir -p sub "$WORK/else"
	with 'process: { cwd: "{project}/sub" }'
	confined --profile "$WORK/p.yaml" -- pwd
	assert_same "$output" "$PROJ/sub"
	confined -C "$WORK/else" -- sh -c 'pwd; : > made'
	assert_same "$output" "$WORK/else"
	[ -e "$WORK/else/made" ]
	confined --profile "$WORK/p.yaml" -C "$WORK/else" -- pwd
	assert_same "$output" "$WORK/else"
	with 'process: { cwd: "/no/such" }'
	confined --profile "$WORK/p.yaml" -- pwd
	assert_status 125
	assert_out /no/such
	# the command line wins
	mkdir s2
	with 'process: { cwd: "{project}/sub" }'
	confined --profile "$WORK/p.yaml" --project=. -C s2 -- pwd
	assert_same "$output" "$PROJ/s2"
	run "$SNUG" explain --profile "$WORK/p.yaml" --project=. -C s2
	assert_line "^  in $PROJ/s2 as "
	run "$SNUG" audit -q --profile "$WORK/p.yaml" --project=. -C s2 -- readlink /proc/self/cwd
	assert_out "$PROJ/s2"
}

@test "env.prepend_path finds a tool that was bound" {
	mkdir -p "$WORK/opt/bin" && printf '#!/bin/sh\necho mine "$@"\n' >"$WORK/opt/bin/mytool" && chmod +x "$WORK/opt/bin/mytool"
	with "binds:" "  - { source: \"$WORK/opt\", mode: ro }" "env: { prepend_path: [\"$WORK/opt/bin\"] }"
	confined --profile "$WORK/p.yaml" -- mytool a
	assert_same "$output" "mine a"
}

@test "process.clear_env: false passes the environment, but for what is denied" {
	with 'override: true' 'process: { clear_env: false }' 'env: { deny: ["SECRET_*"] }'
	SECRET_A=s OTHER=o confined --profile "$WORK/p.yaml" -- env
	assert_line '^OTHER=o$'
	refute_out SECRET_A
}

@test "a device bound by itself can be used, one in a bound tree cannot" {
	[ -c /dev/full ] || skip "no /dev/full"
	with 'binds:' '  - { source: /dev/full, target: /opt/full, mode: rw }' '  - { source: /dev, target: /opt/dev, mode: rw }'
	confined --profile "$WORK/p.yaml" -- sh -c 'head -c 1 /opt/full | wc -c; head -c 1 /opt/dev/zero'
	assert_line '^1$'
	assert_out "Permission denied"
}

@test "a socket bound read-only can be connected to" {
	need python3
	python3 -c 'import socket,sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(1)
open(sys.argv[2], "w").close()
c, _ = s.accept(); c.sendall(b"hello")' "$WORK/sock" "$WORK/ready" &
	until [ -e "$WORK/ready" ]; do sleep 0.05; done
	with 'binds:' "  - { source: \"$WORK/sock\", mode: ro }"
	confined --profile "$WORK/p.yaml" -- python3 -c 'import socket,sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(9).decode())' "$WORK/sock"
	wait
	assert_same "$output" hello
}

@test "an absent copy, and user namespaces for root: said with the reason" {
	printf 'binds: [{ source: "{project}/none", target: "~/none", mode: copy }]\n' >"$WORK/p.yaml"
	run "$SNUG" --profile "$WORK/p.yaml" -- true
	assert_status 125
	assert_out "optional: true"
	if is_root; then
		printf 'special: { userns: true }\n' >"$WORK/q.yaml"
		run "$SNUG" explain --profile "$WORK/q.yaml" -- true
		assert_out "ordinary user"
	fi
}
