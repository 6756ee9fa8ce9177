# run_view.bats - what a confined command sees of files, devices, processes and the environment
# as: root user
load lib

setup() {
	snug_setup
	cp "$(target run_probe)" "$PROJ/probe"
}
confined() { run "$SNUG" run "$@"; }

@test "the root holds what was granted and nothing else" {
	confined -- sh -c 'ls -A /'
	assert_status 0
	for name in $output; do
		case $name in
		bin | dev | etc | lib | lib32 | lib64 | libx32 | proc | run | sbin | tmp | usr | var | nix | gnu) ;;
		*) [[ $WORK == /$name/* ]] || fail "/$name is in the view" ;;
		esac
	done
	[[ $output != *boot* ]]
}

@test "no mount of the host is left, over or under the view" {
	confined -- sh -c 'ls -id / /.. | awk "{print \$1}" | uniq | wc -l; cut -d" " -f5 /proc/self/mountinfo'
	assert_status 0
	assert_same "${lines[0]}" 1
	# the project and home may lie below /home themselves
	output=$(grep -v "^$WORK/" <<<"$output")
	refute_line '^/(sys|old_root|boot|home)(/|$)'
	assert_same "$(grep -cx / <<<"$output")" 1
}

@test "the project is writable, home is empty and private, and what is written there is gone" {
	echo secret >"$HOME/.npmrc"
	confined -- sh -c "cat ~/.npmrc; ls -A ~; echo x > ~/.npmrc && echo x > /tmp/snug-private.me && echo made > '$PROJ/out'; ls -A ~"
	assert_status 0
	assert_out "No such file"
	assert_line '^\.npmrc$'
	assert_same "$(cat "$HOME/.npmrc")" secret
	assert_same "$(cat out)" made
	[ -z "$(ls -d /tmp/snug-private.* 2>/dev/null)" ]
}

@test "the root, /dev and the toolchain cannot be changed" {
	confined -- sh -c 'for d in / /dev /etc /usr /proc; do (: > $d/x) 2>/dev/null && echo "made $d/x"; mkdir $d/y 2>/dev/null && echo "made $d/y"; done; true'
	assert_status 0
	refute_out made
}

@test "binds: read-only, writable, another name, optional, below one another" {
	mkdir -p "$WORK/srv/deep/rw" && echo v >"$WORK/srv/f" && echo s >"$WORK/srv/deep/s"
	cat >p.yaml <<-YAML
		binds:
		  - { source: "$WORK/srv", mode: ro }
		  - { source: "$WORK/srv/deep/rw", mode: rw }
		  - { source: "$WORK/srv/deep", target: /opt/other, mode: ro }
		  - { source: "$WORK/srv/none", mode: ro, optional: true }
	YAML
	confined --profile ./p.yaml -- sh -c "cat $WORK/srv/f /opt/other/s; echo x > $WORK/srv/g; echo y > $WORK/srv/deep/rw/h; ls $WORK/srv"
	assert_line '^v$'
	assert_line '^s$'
	assert_out "Read-only file system"
	assert_same "$(cat "$WORK/srv/deep/rw/h")" y
	[ ! -e "$WORK/srv/g" ]
	refute_line '^none$'
}

@test "a required source that is absent stops the run and names its line" {
	printf 'binds:\n  - { source: "/no/such/dir", mode: ro }\n' >p.yaml
	confined --profile ./p.yaml -- true
	assert_status 125
	assert_out /no/such/dir
	assert_out p.yaml:2
}

@test "create makes the source on the host before the run, a directory or a file" {
	cat >p.yaml <<-YAML
		binds:
		  - { source: "~/.cache/dep", mode: rw, create: dir }
		  - { source: "~/.config/tool/rc", mode: rw, create: file }
	YAML
	confined --profile ./p.yaml -- sh -c 'echo a > ~/.cache/dep/x; echo b > ~/.config/tool/rc; echo c > ~/.config/tool/lost'
	assert_status 0
	assert_same "$(cat "$HOME/.cache/dep/x" "$HOME/.config/tool/rc")" "$(printf 'a\nb')"
	[ ! -e "$HOME/.config/tool/lost" ]
	# what is made before the start is for the user alone: the command may hold secrets in it
	assert_same "$(stat -c %a "$HOME/.cache/dep" "$HOME/.config/tool/rc")" "$(printf '700\n600')"
}

@test "a copied file is written back when it changed, and only then" {
	mkdir -p "$HOME/.config" && echo old >"$HOME/.config/conf" && chmod 640 "$HOME/.config/conf"
	printf 'binds:\n  - { source: "~/.config/conf", mode: copy }\n' >p.yaml
	before=$(stat -c %i "$HOME/.config/conf")
	confined --profile ./p.yaml -- cat "$HOME/.config/conf"
	assert_status 0
	assert_same "$output" old
	assert_same "$(stat -c %i "$HOME/.config/conf")" "$before"
	confined --profile ./p.yaml -- sh -c 'cd ~/.config; echo new > conf.tmp && mv conf.tmp conf; exit 3'
	assert_status 3
	assert_same "$(cat "$HOME/.config/conf")" new
	assert_same "$(stat -c %a "$HOME/.config/conf")" 640
	assert_same "$(ls -A "$HOME/.config")" conf
}

@test "a copied file that did not exist comes into being on the host when the command makes it" {
	printf 'tmpfs: ["{home}/.tool"]\nbinds:\n  - { source: "~/.tool/conf", mode: copy, optional: true }\n' >p.yaml
	confined --profile ./p.yaml -- true
	assert_status 0
	[ ! -e "$HOME/.tool" ]
	confined --profile ./p.yaml -- sh -c 'echo new > ~/.tool/conf'
	assert_status 0
	assert_same "$(cat "$HOME/.tool/conf")" new
}

@test "a copied file is not written back over a change of the host, or through a link" {
	mkdir -p "$HOME/.config" "$WORK/go" && echo old >"$HOME/.config/conf"
	printf 'binds:\n  - { source: "~/.config/conf", mode: copy }\n  - { source: "%s", mode: rw }\n' "$WORK/go" >p.yaml
	"$SNUG" run --profile ./p.yaml -- sh -c "echo mine > ~/.config/conf; : > $WORK/go/ready; while [ ! -e $WORK/go/on ]; do sleep 0.05; done" 2>err &
	until [ -e "$WORK/go/ready" ]; do sleep 0.05; done
	echo theirs >"$HOME/.config/conf"
	: >"$WORK/go/on"
	rc=0; wait $! || rc=$?
	# what the command did is lost, so it was no success
	assert_same "$rc" 125
	assert_same "$(cat "$HOME/.config/conf")" theirs
	grep -q 'not written back: .*conf: the host.s file changed.*run it again' err
	confined --profile ./p.yaml -- sh -c "cd ~/.config; rm conf; ln -s /etc/passwd conf"
	assert_status 125
	assert_out "not written back"
	# the command's own failure says more
	confined --profile ./p.yaml -- sh -c "rm ~/.config/conf; exit 7"
	assert_status 7
	assert_out "not written back"
	assert_same "$(cat "$HOME/.config/conf")" theirs
}

@test "S08 a masked directory and a masked file are empty, unreadable and read-only" {
	mkdir -p secrets && echo k >secrets/key && echo e >.env && echo ok >fine
	printf 'mask: ["{project}/secrets", "{project}/.env"]\n' >p.yaml
	confined --profile ./p.yaml -- sh -c 'cat .env; ls secrets; cat secrets/key; echo x > secrets/new; echo x > .env; chmod 700 secrets; rm -rf secrets; mv secrets s2; mv .env e2; cat fine'
	refute_line '^(k|e)$'
	assert_line '^ok$'
	assert_out "Permission denied"
	assert_same "$(cat secrets/key .env)" "$(printf 'k\ne')"
	assert_same "$(ls secrets)" key
}

@test "a mask deep in the project cannot be moved away with its parent" {
	mkdir -p a/b/c && echo k >a/b/c/key
	printf 'mask: ["{project}/a/b/c/key"]\ndeny: { write: ["{project}/a/b"] }\n' >p.yaml
	confined --profile ./p.yaml -- sh -c 'mv a z; mv a/b a/y; mv a/b/c a/b/x; cat z/b/c/key a/y/c/key a/b/c/key a/b/x/key; echo w > a/b/new; echo w > a/ok'
	refute_line '^k$'
	assert_same "$(cat a/b/c/key)" k
	[ -e a/ok ] && [ ! -e a/b/new ]
}

@test "S19 what is made after the start under a fence or a mask is denied as the policy says" {
	mkdir -p .git/hooks packages/a
	printf 'mask: [{ path: "{project}/packages/a/.env", optional: true }]\ndeny: { write: ["{project}/.git"] }\n' >p.yaml
	confined --profile ./p.yaml -- sh -c 'echo x > .git/hooks/pre-commit; mkdir .git/new; mv .git .git2; ln -s x .git/config; echo made > packages/a/f'
	assert_out "Read-only file system"
	assert_same "$(find .git)" "$(printf '.git\n.git/hooks')"
	assert_same "$(cat packages/a/f)" made
}

@test "S16 two and two hundred masked files are all masked" {
	mkdir many
	{
		echo 'mask:'
		for i in $(seq 200); do
			echo k >"many/$i"
			echo "  - \"{project}/many/$i\""
		done
	} >p.yaml
	echo seen >many/other
	confined --profile ./p.yaml -- sh -c 'cat many/* 2>/dev/null'
	assert_same "$output" seen
}

@test "S09 masked and granted links: file links, directory links, dangling ones" {
	mkdir -p "$HOME/dot" hooks && echo rc >"$HOME/dot/bashrc" && echo h >hooks/pre
	ln -s dot/bashrc "$HOME/.bashrc"
	ln -s gone "$HOME/.dangling"
	ln -s hooks linked
	cat >p.yaml <<-YAML
		binds:
		  - { source: "~/.bashrc", mode: ro }
		  - { source: "~/.dangling", mode: ro, optional: true }
		mask: ["{project}/linked"]
	YAML
	confined --profile ./p.yaml -- sh -c 'cat ~/.bashrc; cat hooks/pre linked/pre; readlink ~/.bashrc; echo x >> ~/.bashrc'
	assert_line '^rc$'
	refute_line '^h$'
	assert_line '^dot/bashrc$'
	assert_same "$(cat "$HOME/dot/bashrc")" rc
}

@test "S17 the working directory: a link, a new line in its name, an unreadable parent" {
	mkdir -p real "shut/in" $'new\nline'
	ln -s real link
	for dir in link shut/in $'new\nline'; do
		(cd "$dir" && chmod 711 "$PROJ/shut" &&
			"$SNUG" run -- sh -c '[ "$PWD" = "$1" ] && [ "$(pwd)" = "$1" ] && cd "$1" && echo here > made' sh "$PWD") </dev/null || fail "in $dir"
		[ -e "$dir/made" ] || fail "nothing made in $dir"
	done
}

@test "S17 a working directory behind links is found by that name, in run, explain and audit" {
	mkdir -p real/p "$HOME/w"
	ln -s "$PROJ/real" "$HOME/w/l"
	ln -s w "$HOME/v"
	cd "$HOME/v/l/p"
	echo text >in
	run "$SNUG" run -- cat "$PWD/in"
	assert_status 0
	assert_same "$output" text
	run "$SNUG" run -- sh -c 'echo out >"$1/out" && ls -A ~ ~/w && pwd -P' sh "$PWD"
	assert_status 0
	assert_same "$(tr -s '\n' ' ' <<<"$output")" "$HOME: v w $HOME/w: l $PROJ/real/p "
	assert_same "$(cat "$PROJ/real/p/out")" out
	run "$SNUG" explain
	assert_line 'link +~/v -> w '
	run "$SNUG" audit --check -- sh -c 'cat "$1/in" && stat "$PWD" >/dev/null' sh "$PWD"
	assert_status 0
	assert_line 'check: clean'
	# -C spells it as well; a PWD that leads elsewhere does not
	cd "$HOME"
	run "$SNUG" run -C v/l/p -- sh -c 'echo "$PWD"'
	assert_same "$output" "$HOME/v/l/p"
	cd "$PROJ/real/p"
	PWD=$HOME/w run env PWD="$HOME/w" "$SNUG" run -- sh -c 'echo "$PWD"'
	assert_same "$output" "$PROJ/real/p"
}

@test "S17 the private /tmp does not hide a project below it" {
	dir=$(mktemp -d /tmp/snug-s17.XXXXXX)
	cd "$dir"
	run "$SNUG" run -- sh -c 'echo y > made; ls -A /tmp'
	content=$(cat "$dir/made")
	rm -rf "$dir"
	assert_status 0
	assert_same "$content" y
	assert_same "$output" "$(basename "$dir")"
}

@test "S17 / and home are refused without a flag, and the deleted directory always" {
	for dir in / "$HOME" "$WORK"; do
		cd "$dir"
		confined -- true
		assert_status 125
		assert_out --project-anyway
	done
	cd "$HOME"
	confined --project-anyway -- sh -c ': > made'
	assert_status 0
	[ -e "$HOME/made" ]
	mkdir "$WORK/gone" && cd "$WORK/gone" && rmdir "$WORK/gone"
	confined -- true
	assert_status 125
	assert_out "working directory"
	assert_out -C
}

@test "S20 only the harmless devices, and a pseudo terminal" {
	confined -- sh -c 'ls -A /dev | sort | tr "\n" " "; ./probe devices'
	assert_status 0
	assert_line '^fd full null ptmx pts random stderr stdin stdout tty urandom zero '
	assert_out "ptmx OK"
	assert_out "pts OK"
	assert_line '^read 1 1$'
	assert_line '^null 1$'
	assert_line '^create EROFS$'
	assert_line '^mknod EPERM$'
}

@test "S03 /dev/shm is there when it is granted, with its size" {
	confined -- ./probe shm
	assert_line '^shm_open ENOENT$'
	printf 'special: { shm: 16MiB }\n' >p.yaml
	confined --profile ./p.yaml -- sh -c './probe shm; df -k /dev/shm | tail -1'
	assert_line '^shm_open OK$'
	assert_line '^map OK$'
	assert_line ' 16384 '
}

@test "S21 no keyring, no /sys, no kernel memory, no sockets of the session" {
	SSH_AUTH_SOCK=/run/agent confined -- sh -c 'ls -d /sys /run/user /run/dbus /run/docker.sock /var/run/docker.sock /tmp/.X11-unix; cat /proc/kcore /proc/keys /proc/timer_list; echo "agent=$SSH_AUTH_SOCK"; ./probe tries'
	assert_line '^agent=$'
	refute_line '^/(sys|run|tmp|var)/'
	assert_line '^keyctl EPERM$'
	refute_out "perm"
}

@test "what nobody inside may do" {
	confined -- ./probe tries
	assert_status 0
	for want in 'tiocsti EPERM' 'tiocsti_high EPERM' 'tioclinux EPERM' 'vsock EAFNOSUPPORT' 'alg EAFNOSUPPORT' 'raw EPERM' \
		'io_uring ENOSYS' 'bpf EPERM' 'unshare_user EPERM' 'clone_user EPERM' 'clone3 ENOSYS' 'mount EPERM' \
		'chroot EPERM' 'ptrace EPERM' 'new_call ENOSYS' 'init_mem EACCES' 'init_environ EACCES' 'init_root EACCES' \
		'oom OK' 'i386 ENOSYS' 'x32 ENOSYS'; do
		case $want:$(uname -m) in i386*:aarch64 | x32*:aarch64) continue ;; esac
		assert_line "^$want\$"
	done
	assert_line '^sysctl (EROFS|EACCES)$'
}

@test "the same tries outside do more, so they can fail" {
	run ./probe tries
	assert_line '^vsock OK|^alg OK|^packet OK|^unshare_files OK'
	assert_line '^unshare_files OK$'
	refute_line '^new_call OK$'
}

@test "no capability and no new privileges, in the command and in pid 1" {
	confined -- sh -c './probe status Cap NoNewPrivs Seccomp:; grep Cap /proc/1/status'
	assert_status 0
	for set in Inh Prm Eff Bnd Amb; do
		assert_same "$(grep -c "^Cap$set:.*0000000000000000" <<<"$output")" 2
	done
	assert_line '^NoNewPrivs:.*1$'
	assert_line '^Seccomp:.*2$'
}

@test "its own processes only, pid 1 without a trace of snug's arguments" {
	confined -- sh -c 'ls /proc | grep -c "^[0-9]*$"; tr "\0" " " < /proc/1/cmdline; cat /proc/1/comm; hostname; ls -l /proc/1/exe 2>&1; true'
	assert_status 0
	[ "${lines[0]}" -le 5 ]
	assert_line '^snug-init *snug-init$|^snug-init *$'
	assert_line '^snug$'
	refute_out "$SNUG"
}

@test "the environment is rebuilt" {
	API_TOKEN=t LC_ALL=C.UTF-8 FOO=bar confined -- env
	assert_status 0
	refute_out API_TOKEN
	refute_out FOO
	assert_line "^HOME=$HOME\$"
	assert_line '^TMPDIR=/tmp$'
	assert_line "^PWD=$PROJ\$"
	assert_line '^LC_ALL=C.UTF-8$'
	assert_line '^PATH=/usr/local/bin:/usr/bin:/bin'
	refute_line "[Pp][Rr][Oo][Xx][Yy]"
	API_TOKEN=t FOO=bar confined --allow-env=FOO --env X=1 -- env
	assert_line '^FOO=bar$'
	assert_line '^X=1$'
	API_TOKEN=t confined --allow-env --deny-env='*_TOKEN' -- env
	refute_out API_TOKEN
}

@test "stub passwd and group name the user, whatever the host's files say" {
	confined -- sh -c 'id -un; wc -l < /etc/passwd; ls /etc/shadow'
	assert_line "^$(id -un)\$"
	assert_out "No such file"
}

@test "G08 a chain of links to an interpreter works link by link" {
	mkdir -p ext/3.11.2/bin .venv/bin
	cp "$(command -v cat)" ext/3.11.2/bin/tool
	ln -s 3.11.2 ext/alias
	ln -s "$PROJ/ext/alias/bin/tool" .venv/bin/tool
	echo works >f
	confined -- .venv/bin/tool f
	assert_status 0
	assert_same "$output" works
	mkdir "$WORK/out" && mv ext "$WORK/out/ext" && ln -sf "$WORK/out/ext/alias/bin/tool" .venv/bin/tool
	confined -- .venv/bin/tool f
	assert_status 127
	confined --allow-read="$WORK/out/ext/alias" --allow-read="$WORK/out/ext/3.11.2" -- .venv/bin/tool f
	assert_status 0
	assert_same "$output" works
}

@test "the whole host tree where --allow-write says so, read as the caller" {
	confined --allow-write -- sh -c "ls -d /boot /sys >/dev/null; echo all > '$WORK/all'; ls -A ~ | wc -l; [ -w /sys/kernel/mm ] && echo KNOB"
	refute_out KNOB
	assert_line '^snug: the whole host tree is readable and writable, /sys only readable \(--allow-write\)$'
	assert_same "$(cat "$WORK/all")" all
	cd /
	confined --project-anyway -- sh -c 'ls -A ~ | wc -l'
	assert_line '^snug: the whole host tree but home and what else is the run.s own is readable and writable'
}

@test "what is hidden in the view's own directories cannot be replaced, and the exit code is the command's" {
	for path in /proc /dev /tmp; do
		confined --deny-read=$path -- true
		assert_status 0
		refute_out replaced
	done
}

@test "a protected file that is replaced on the host during the run is said at the end; a denied directory stays denied" {
	mkdir d && echo one >d/sec && echo one >sec
	(
		until [ -e started ]; do sleep 0.05; done
		echo two >new && mv new sec && echo two >d/new && mv d/new d/sec && : >swapped
	) 3>&- &
	confined --deny-read=sec --deny-read=d -- sh -c ': >started; until [ -e swapped ]; do sleep 0.05; done; cat d/sec || echo shut'
	wait
	assert_status 125
	assert_out shut
	assert_line "^snug: $PROJ/sec was replaced on the host during the run, and from then on was not hidden"
	refute_out "$PROJ/d was replaced"
	rm started swapped
	confined --deny-read=sec -- true
	assert_status 0
	assert_same "$output" ""
	# what lies behind a mask needs no protection of its own, and loses none
	confined --deny-read=d/sec,d --deny-write=d/sec,d -- true
	assert_status 0
	assert_same "$output" ""
}

@test "a deny of writing to a fifo or a socket cannot be promised: an error; hidden it can" {
	mkfifo ff
	python3 -c 'import socket; socket.socket(1).bind("sock")'
	for what in ff sock; do
		confined --deny-write=$what -- true
		assert_status 125
		assert_line "^snug: --deny-write: .project./$what is a (fifo|socket), .* cannot be promised; hide it"
		confined --deny-write=$what --deny-read=$what -- cat $what
		[ "$status" = 1 ] || fail "$status: $output"
	done
}

@test "a deny of reading a link that leads nowhere hides nothing, and says so; the exit code is the command's" {
	ln -s nowhere dang
	run "$SNUG" explain --deny-read=dang -- true
	assert_line 'nowhere is absent: nothing to hide'
	confined --deny-read=dang -- sh -c 'echo s >nowhere; cat dang'
	assert_status 0
	assert_out s
}

@test "--allow-read of the project makes it read-only, and explain says by what; of the directory above it does not" {
	confined --allow-read=. -- sh -c 'ls; touch t1'
	assert_out 'Read-only file system'
	[ ! -e t1 ]
	run "$SNUG" explain --allow-read=.
	assert_line '^  ro +\{project\} +--allow-read$'
	mkdir sub
	confined --allow-read=. --allow-write=sub -- touch sub/x
	assert_status 0
	confined --allow-read=.. -- touch t2
	assert_status 0
	[ -e t2 ]
}

@test "what mode copy writes back keeps attributes and access list of the host's file, and takes none from the directory" {
	local acl=0x0200000001000600ffffffff02000400feff000004000400ffffffff10000400ffffffff20000000ffffffff
	need setfattr getfattr
	mkdir "$HOME/d" && echo old >"$HOME/d/listed" && echo old >"$HOME/d/plain" && chmod 640 "$HOME/d/plain"
	skip_unless "no extended attributes here" setfattr -n user.k -v val "$HOME/d/listed"
	skip_unless "no access lists here" setfattr -n system.posix_acl_access -v $acl "$HOME/d/listed"
	setfattr -n system.posix_acl_default -v $acl "$HOME/d"
	printf 'binds:\n  - { source: "~/d/listed", mode: copy }\n  - { source: "~/d/plain", mode: copy }\n' >p.yaml
	confined --profile ./p.yaml -- sh -c 'echo new >~/d/listed; echo new >~/d/plain; rm -f ~/d/plain; echo newer >~/d/plain'
	assert_status 0
	assert_same "$(cat "$HOME/d/listed" "$HOME/d/plain")" "new
newer"
	assert_same "$(getfattr --only-values -n user.k "$HOME/d/listed")" val
	assert_same "$(getfattr -e hex -n system.posix_acl_access "$HOME/d/listed" 2>/dev/null | grep ^system)" "system.posix_acl_access=$acl"
	refute getfattr -n system.posix_acl_access "$HOME/d/plain"
	assert_same "$(stat -c %a "$HOME/d/plain")" 640
}

@test "a project that holds the user's home is refused by what /etc/passwd says, too" {
	local real
	real=$(awk -F: -v u="$(id -u)" '$3 == u { print $6; exit }' /etc/passwd)
	[ -d "$real" ] && [ "$real" != / ] || skip "this user's home of /etc/passwd is no directory"
	cd "$real"
	HOME=$WORK confined -- true
	assert_status 125
	assert_line '^snug: the working directory .* holds the home directory'
	cd "$PROJ"
	HOME=$WORK/none confined --project="$real" --cwd="$real" -- true
	assert_status 125
	assert_line '^snug: the project .* holds the home directory'
}

@test "an unknown placeholder in a flag is told as such" {
	for path in '{x}' '{project' '{projectx}/a'; do
		confined --allow-read="$path" -- true
		assert_line "^snug: unknown placeholder in '.*'; known are"
		[ "$status" = 2 ] || [ "$status" = 125 ]
	done
	: >'{x}'
	confined --allow-read='./{x}' -- true
	assert_status 0
}
