#!/usr/bin/env bats
# run_next.bats - a confined command cannot widen what the next run under the same command line is given
bats_require_minimum_version 1.5.0
load lib

setup() {
	snug_setup
	cd "$PROJ" || return 1
	mkdir -p "$HOME/.keys"
	echo secret >"$HOME/.keys/id"
}

@test "a profile given by path is read-only inside, and cannot be moved away" {
	printf 'schema: snug-profile/v1\nname: x\n' >x.yaml
	run "$SNUG" --profile ./x.yaml -- sh -c 'echo "home: host" >>x.yaml; mv x.yaml y.yaml; rm -f x.yaml; touch other'
	[ -e other ]
	assert_same "$(printf 'schema: snug-profile/v1\nname: x\n')" "$(cat x.yaml)"
	mkdir sub
	run "$SNUG" -C "$PROJ/sub" --project "$PROJ" --profile ./x.yaml -- sh -c 'echo "home: host" >>../x.yaml'
	[ "$status" -ne 0 ]
	assert_same 2 "$(wc -l <x.yaml)"
}

@test "snug's own store and the user's profiles are read-only under any grant of home" {
	mkdir -p "$HOME/.config/snug/profiles" "$HOME/.local/state/snug/trust"
	unset XDG_STATE_HOME
	run "$SNUG" --allow-write="$HOME/.config,$HOME/.local" -- sh -c '
		touch ~/.config/ok ~/.local/ok
		touch ~/.config/snug/profiles/node.yaml ~/.local/state/snug/trust/x
		mv ~/.local/state ~/.local/moved; mv ~/.config/snug ~/.config/moved'
	[ -e "$HOME/.config/ok" ] && [ -e "$HOME/.local/ok" ]
	[ ! -e "$HOME/.config/snug/profiles/node.yaml" ] && [ ! -e "$HOME/.local/state/snug/trust/x" ]
	[ -d "$HOME/.local/state" ] && [ -d "$HOME/.config/snug" ]
}

@test "a grant through a link that the command can replace is refused, with the link's name" {
	printf 'binds: [{ source: "{project}/dist", mode: rw, create: dir, target: /opt/dist }]\n' >"$WORK/p.yaml"
	run "$SNUG" --profile "$WORK/p.yaml" -- sh -c 'rmdir dist && ln -s "$1" dist' sh "$HOME/.keys"
	[ -L dist ] || skip "the directory could not be replaced"
	run "$SNUG" --profile "$WORK/p.yaml" -- cat /opt/dist/id
	assert_status 125
	assert_out "reached through the link {project}/dist"
	rm dist
	printf 'home: { persist: "{project}/.home" }\n' >"$WORK/q.yaml"
	ln -s "$HOME" .home
	run "$SNUG" --profile "$WORK/q.yaml" -- true
	assert_status 125
	assert_out "reached through the link {project}/.home"
}

@test "kill(0) inside leaves the caller's process group alone, on a terminal too" {
	need python3
	cat >try.py <<-'END'
		import os, pty, sys
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp("sh", ["sh", "-c", '"$0" -- sh -c "kill -9 0"; echo outer lives $?', sys.argv[1]])
		out = b""
		while True:
		    try:
		        got = os.read(fd, 4096)
		    except OSError:
		        break
		    if not got:
		        break
		    out += got
		sys.stdout.write(out.decode())
	END
	run python3 try.py "$SNUG"
	assert_out "outer lives 137"
	run setsid -w sh -c '"$0" -- sh -c "kill -9 0"; echo outer lives $?' "$SNUG"
	assert_out "outer lives 137"
}

@test "what hands over the whole host is refused however it is named" {
	run "$SNUG" run --project / -- true
	assert_status 125
	assert_out "--project-anyway"
	run "$SNUG" run --project "$HOME" -- true
	assert_status 125
	ln -s "$HOME" "$WORK/link"
	run "$SNUG" run --project "$WORK/link" -- true
	assert_status 125
}

@test "a denied host in network mode host is refused, not ignored" {
	run "$SNUG" --network host --deny-net=127.0.0.1 -- true
	assert_status 125
	assert_out "--network proxy"
}

@test "action: log without override is told to be void, by run and explain" {
	echo 'syscalls: { action: log }' >../x.yaml
	run "$SNUG" --profile ../x.yaml -- true
	assert_status 0
	assert_line '^snug: warning: ../x.yaml:1: syscalls.action: log has no effect: .*override: true'
	run "$SNUG" explain --profile ../x.yaml -- true
	assert_line 'syscalls.action: log has no effect'
	printf 'override: true\nsyscalls: { action: log }\n' >../x.yaml
	run "$SNUG" --profile ../x.yaml -- true
	assert_same "$output" ""
}

@test "a mount point that is missing inside a bind is foreseen by explain, with what run says" {
	mkdir ../ext ../ext/in
	local line why
	for line in 'binds: [{ source: "{project}/../ext", target: "{project}/new" }]' 'tmpfs: ["{project}/new"]' \
		'binds: [{ source: "{project}/../ext", target: /opt/e }, { source: /etc/hostname, target: /opt/e/in/f }]' \
		'binds: [{ source: "{project}/../ext", target: / }]'; do
		echo "$line" >../x.yaml
		run "$SNUG" --profile ../x.yaml -- true
		assert_status 125
		assert_out 'make it first'
		why=${output#snug: }
		run "$SNUG" explain --profile ../x.yaml -- true
		assert_line '^run refuses'
		assert_out "$why"
	done
	touch ../ext/in/f; mkdir new
	echo 'binds: [{ source: "{project}/../ext", target: "{project}/new" }, { source: "{project}/../ext", target: /opt/e }, { source: /etc/hostname, target: /opt/e/in/f }]' >../x.yaml
	run "$SNUG" --profile ../x.yaml -- cat /opt/e/in/f
	assert_status 0
	assert_same "$output" "$(cat /etc/hostname)"
	run "$SNUG" explain --profile ../x.yaml
	refute_line 'run refuses'
}

@test "no grant is advised for what a deny hides" {
	run "$SNUG" --deny-read=/usr -- id
	assert_status 127
	assert_out "which is hidden by --deny-read"
	refute_out "--allow-read"
	run "$SNUG" --deny-read=../out -- cat ../out
	refute_out "--allow-read"
	mkdir ../out
	run "$SNUG" --deny-read=../out -- ls ../out
	assert_line 'not in the confined view: .*/out; hidden by --deny-read$'
	refute_out "--allow-read"
}

@test "a .snug that is a link is passed over, and the message says why" {
	mkdir -p real/profiles
	echo 'name: zz' >real/profiles/zz.yaml
	ln -s real .snug
	run "$SNUG" +zz -- true
	assert_status 125
	assert_out "/.snug/profiles is reached through a symbolic link and was not searched"
}
