# run_host.bats - unfit hosts and odd users: work, or 125 with the reason; never a run with a layer less
# as: root user
load lib

setup() {
	snug_setup
	cp "$(target run_probe)" "$PROJ/probe"
}
confined() { run "$SNUG" run "$@"; }
inner() { "$SNUG" run -- true >/dev/null 2>&1; }

# in a user namespace (and more) of our own, as its root
unshared() { unshare --user --map-root-user "$@"; }

@test "HOME unset: the passwd entry's, else none, and the run goes on" {
	run env -u HOME -u USER -u LOGNAME "$SNUG" run -- sh -c 'echo "h=$HOME"; id -un'
	assert_status 0
	assert_line "^h=(/|$(getent passwd "$(id -u)" | cut -d: -f6))\$"
	assert_line "^$(id -un)\$"
}

# bats test_tags=only:root
@test "S07 a uid without a passwd entry has a name inside, and no HOME is no failure" {
	is_root || skip "needs root to become another user"
	dir=$(mktemp -d /var/tmp/snug-s07.XXXXXX)
	chmod 777 "$dir"
	cd "$dir"
	run env -u HOME -u USER -u LOGNAME setpriv --reuid 54321 --regid 54321 --clear-groups \
		"$SNUG" run -- sh -c 'id -u; whoami; echo "h=$HOME"; : > made && echo wrote'
	assert_status 0
	assert_line '^54321$'
	assert_line '^wrote$'
	owner=$(stat -c %u made)
	cd "$PROJ"
	rm -rf "$dir"
	assert_same "$owner" 54321
	cd /
	run env -u HOME setpriv --reuid 54321 --regid 54321 --clear-groups "$SNUG" run --project /usr --allow-read='~/.npmrc' -- true
	assert_status 125
	assert_out HOME
}

@test "S07 HOME that is relative, empty or absent on disk" {
	for home in relative "" /no/such/home; do
		HOME=$home confined -- true
		assert_status 0
	done
}

@test "S02 resolv.conf as a file, a link, two links, a dangling one" {
	skip_unless "no mount namespace here" unshared --mount true
	mkdir -p etc && cp -r /etc/ssl etc/ 2>/dev/null || true
	for shape in 'echo nameserver 192.0.2.1 > resolv.conf' \
		'echo nameserver 192.0.2.1 > real; ln -sf real resolv.conf' \
		'echo nameserver 192.0.2.1 > real; ln -sf real two; ln -sf /etc/two resolv.conf' \
		'ln -sf /run/none/stub resolv.conf'; do
		rm -rf etc && mkdir etc
		(cd etc && cp /etc/passwd . && eval "$shape")
		unshared --mount sh -c "mount --bind '$PROJ/etc' /etc && exec \"\$SNUG\" run -- cat /etc/resolv.conf" >out 2>err || true
		case $shape in
		*none*) grep -q 'cat:.*No such file' err || fail "dangling: $(cat err)" ;;
		*) grep -q 192.0.2.1 out || fail "$shape: $(cat err)" ;;
		esac
		refute grep -q "can't create" err
	done
}

@test "S10 no user namespaces allowed: 125 and the setting that says so" {
	skip_unless "no user namespace here" unshared true
	if is_root; then
		# root of a user namespace, without CAP_SYS_ADMIN
		run unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$SNUG" run -- true'
	else
		run unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set -all --inh-caps -all "$SNUG" run -- true'
	fi
	assert_status 125
	assert_out "sysctl user.max_user_namespaces="
}

@test "a limit that stands in the way is named, not a container" {
	if ! is_root; then
		run env ASAN_OPTIONS=detect_leaks=0 bash -c 'ulimit -u 1; exec "$SNUG" -- true'
		assert_status 125
		assert_out "ulimit -u"
		refute_out seccomp
	fi
	run bash -c 'ulimit -n 8; exec "$SNUG" -- true'
	assert_status 125
	assert_out "ulimit -n"
}

@test "nested in itself: 125 with the reason, and the command does not run" {
	mkdir "$WORK/bin" && cp "$SNUG" "$WORK/bin/snug"
	confined --env ASAN_OPTIONS=detect_leaks=0 --allow-read="$WORK/bin" -- "$WORK/bin/snug" run -- sh -c 'echo ran'
	assert_status 125
	refute_line '^ran$'
	assert_out "inside a snug run already"
	assert_out "without the inner snug"
}

@test "nested where user namespaces are granted: 125 with the reason, since nothing can be mounted" {
	mkdir "$WORK/bin" && cp "$SNUG" "$WORK/bin/snug"
	printf 'special: { userns: true }\n' >only.yaml
	confined --env ASAN_OPTIONS=detect_leaks=0 --profile ./only.yaml --allow-read="$WORK/bin" -- "$WORK/bin/snug" run -- sh -c 'echo ran'
	assert_status 125
	refute_line '^ran$'
	assert_out "inside a snug run already"
	printf 'special: { userns: true }\nsyscalls: { allow: [mount, umount2, pivot_root, move_mount, open_tree, fsopen, fsconfig, fsmount, mount_setattr, clone3, unshare, setns] }\n' >p.yaml
	confined --env ASAN_OPTIONS=detect_leaks=0 --profile ./p.yaml --allow-read="$WORK/bin" -- "$WORK/bin/snug" run -- sh -c 'echo ran'
	assert_status 125
	refute_line '^ran$'
	assert_out "inside a snug run already"
}

@test "S04 a new /proc is refused where the outer one is covered: 125 with the reason" {
	need bwrap
	skip_unless "bwrap does not work here" bwrap --dev-bind / / --unshare-user true
	run bwrap --dev-bind / / --unshare-user --unshare-pid --proc /proc --ro-bind /dev/null /proc/cmdline -- "$SNUG" run -- echo ran
	if is_root && [ "$status" = 0 ]; then
		# bwrap of root makes its mounts before the user namespace: they are the first one's, where nothing is held back
		assert_line '^ran$'
		return
	fi
	assert_status 125
	refute_line '^ran$'
	assert_out /proc
	assert_line '^snug: .*(mask|cover|--bind|start|outside|sandbox)'
}

@test "a seccomp filter around snug that forbids namespaces: 125" {
	run "$O/tests/targets/no_clone" "$SNUG" run -- echo ran
	assert_status 125
	refute_line '^ran$'
	assert_out namespace
}

@test "seccomp(2) missing or denied: audit, trace and run say what and what to do, and the command does not run" {
	for errno in 1 38; do # EPERM, ENOSYS
		for verb in audit "audit --network-only" "trace -o rec" run; do
			# shellcheck disable=SC2086
			NO_CALL=317 NO_CALL_ERRNO=$errno run "$O/tests/targets/no_clone" "$SNUG" $verb -- touch ran
			assert_status 125
			[ ! -e ran ] || fail "snug $verb ran the command"
			if [ $errno = 1 ]; then
				assert_out 'a container that denies seccomp(2) must allow it'
			else
				assert_out CONFIG_SECCOMP_FILTER
			fi
			rm -f rec
		done
	done
}

@test "a profile that the engine cannot perform stops it before the command" {
	: >file
	printf 'binds:\n  - { source: "{project}/file", target: "/usr/new/file", mode: ro }\n' >p.yaml
	confined --profile ./p.yaml -- echo ran
	assert_status 125
	refute_line '^ran$'
	printf 'syscalls: { deny: [no_such_call] }\n' >p.yaml
	confined --profile ./p.yaml -- echo ran
	assert_status 125
	refute_line '^ran$'
	assert_out no_such_call
}

@test "failures leave no mount and no file behind" {
	mounts=$(wc -l </proc/self/mountinfo)
	printf 'binds:\n  - { source: "/no/such", mode: ro }\n' >p.yaml
	confined --profile ./p.yaml -- true
	confined -- true
	confined -- nosuch
	assert_same "$(wc -l </proc/self/mountinfo)" "$mounts"
	assert_same "$(ls -A)" "$(printf 'p.yaml\nprobe')"
}

# bats test_tags=only:root
@test "inside a chroot: 125 with the reason" {
	is_root || skip "needs root for a chroot"
	mkdir -p "$WORK/jail" && cd "$WORK/jail"
	for d in usr bin lib lib64 etc proc dev; do
		[ -L /$d ] && ln -s "$(readlink /$d)" $d
		[ -d /$d ] && [ ! -L /$d ] && mkdir $d
	done
	mkdir -p srv/x tmp && cp "$SNUG" tmp/snug
	run unshare --mount sh -c 'for d in usr bin lib lib64 etc proc dev; do [ -L $d ] || [ ! -d $d ] || mount --rbind /$d $d; done
		exec chroot . sh -c "cd /srv/x && HOME=/nowhere exec /tmp/snug run -- echo ran"'
	assert_status 125
	refute_line '^ran$'
	assert_out chroot
}

@test "kernels before clone3 (435 on x86_64) and open_tree_attr (467) give the same view" {
	bare=$("$SNUG" run -- sh -c 'cut -d" " -f5,6 /proc/self/mountinfo')
	for call in 435 467; do
		old=$(NO_CALL=$call "$O/tests/targets/no_clone" "$SNUG" run -- sh -c 'cut -d" " -f5,6 /proc/self/mountinfo')
		assert_same "$old" "$bare"
	done
	NO_CALL=442 run "$O/tests/targets/no_clone" "$SNUG" run -- echo ran
	assert_status 125
	assert_out "Linux 5.12"
}

@test "a second proc or sysfs inside a grant, as in a chroot's tree: hidden, read-only; whoever names it has it" {
	[ "$(id -u)" = 0 ] || skip "only root can mount them"
	cat >inside.sh <<-'EOT'
		try() { (: 3>>"$1") 2>/dev/null && echo "OPENED $1"; }
		try "$1/proc/sys/kernel/core_pattern"
		try "$1/sys/power/state"
		try "$1/sys/kernel/mm/transparent_hugepage/enabled"
		[ ! -e "$1/proc/1" ] || echo SHOWN
		ls "$1/sys/kernel" | grep -x mm
		mv "$1/d" "$1/e" 2>/dev/null; exit 0
	EOT
	cat >outside.sh <<-'EOT'
		mkdir -p tree/proc tree/sys tree/d && mount -t proc proc tree/proc && mount --rbind /sys tree/sys || exit 3
		for grant in --allow-write=tree --allow-write --project=. --allow-read=tree; do
			echo "$grant"
			"$SNUG" "$grant" -- sh inside.sh tree
		done
		echo named
		"$SNUG" --allow-write=tree/sys/kernel/mm -- sh inside.sh tree | grep -c OPENED
		echo project
		cd tree/sys && "$SNUG" -- sh "$OLDPWD/inside.sh" .. 2>&1 | grep OPENED
		"$SNUG" --allow-read="$OLDPWD/inside.sh" -- sh -c ': 3>>kernel/mm/transparent_hugepage/enabled' 2>&1 | grep -o "Read-only"
		cd ../proc && "$SNUG" -- true; echo $?
	EOT
	run unshare -m --propagation private sh outside.sh
	[ "$status" != 3 ] || skip "they cannot be mounted here"
	assert_same "$(grep -v "^snug: the whole host tree" <<<"$output" | sed 's/^snug: .*lies in .proc,.*/refused/')" \
		"$(printf '%s\n' --allow-write=tree mm --allow-write mm --project=. mm --allow-read=tree mm named 1 project Read-only refused 125)"
}
