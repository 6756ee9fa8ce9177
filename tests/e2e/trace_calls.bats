#!/usr/bin/env bats
# trace_calls.bats - every call that names something is seen, with the right operation and outcome
load lib

rec() { # rec COMMAND..: events in $output, the command's own output in $said
	said=$("$O/tests/tools/rec" -o "$WORK/events" "$@") || rc=$?
	output=$(cat "$WORK/events")
}
# seen WORD PATH [OUTCOME]: one event of that operation on $PROJ/PATH
seen() {
	assert_line "^event [0-9]+ $1 .* $PROJ/$2 \\([a-z]+\\) = ${3:-ok}\\?? "
}
calls() { rec "$(target calls)" "$@"; }

@test "T06 open, openat, openat2, creat and raw open all name the file" {
	echo x >a; echo x >b; echo x >c; echo x >d
	calls open a , openat b , openat2 c , creat d , creat e
	for f in a b c d e; do seen open $f; done
	assert_line "open flags 241 .*/e \(none\) = ok .* survives"
}

@test "T06 a system call above the newest known one is reported, and makes the recording incomplete" {
	calls unknown x
	assert_line 'syscall .* syscall_471'
	assert_line '^incomplete .*system call 471'
	[ "$said" = "unknown x ENOSYS" ]
}

@test "T07 looks: stat family, access, readlink, xattr, handles" {
	for c in stat lstat newfstatat statx statfs getxattr lgetxattr listxattr name_to_handle_at getxattrat; do
		echo x >$c
		calls $c $c
		seen stat $c
	done
	for c in access faccessat faccessat2 inotify; do
		echo x >$c
		calls $c $c
		seen access $c
	done
	ln -s a l
	calls readlink l , readlinkat l
	assert_line "readlink .* $PROJ/l \(link\) = ok x2"
}

@test "T07 changes: names" {
	mkdir e1 e2
	echo x >r1; echo x >r2; echo x >r3; echo x >k; echo x >u1; echo x >u2; echo x >t3
	calls mkdir m1 , mkdirat m2 , rmdir e1 , unlinkat_dir e2 , unlink u1 , unlinkat u2 , rename r1 q1 , renameat r2 q2 , \
		renameat2 r3 q3 , link k k1 , linkat k k2 , symlink s1 to , symlinkat s2 to , mknod n1 , mknodat n2
	refute grep -q "E[A-Z]" <<<"$said"
	seen mkdir m1; seen mkdir m2; seen rmdir e1; seen rmdir e2; seen unlink u1; seen unlink u2
	for i in 1 2 3; do assert_line "rename .* $PROJ/r$i \(file\) $PROJ/q$i \(none\) = ok .*survives"; done
	for i in 1 2; do assert_line "link .* $PROJ/k \(file\) $PROJ/k$i \(none\) = ok .*survives"; done
	seen symlink s1; seen symlink s2; seen mknod n1; seen mknod n2
}

@test "T07 changes: metadata" {
	for c in chmod fchmodat fchmodat2 chown lchown fchownat utime utimes futimesat utimensat setxattr lsetxattr \
		removexattr setxattrat truncate; do
		echo xxxxx >$c
		calls $c $c
		case $c in *chmod*) op=chmod ;; *chown*) op=chown ;; *ut*i*m*) op=utime ;; trun*) op=truncate ;; *) op=setxattr ;; esac
		assert_line "^event [0-9]+ $op .* $PROJ/$c \\(file\\) = ok"
	done
}

@test "T07 privileged calls are recorded by name" {
	calls swapon f , acct , mount f , umount2 f , unshare , keyctl , bpf
	for c in swapon acct mount umount2 unshare keyctl bpf; do assert_line "syscall flags [0-9a-f]+ marks 0 $c = "; done
}

@test "T27 open flags: read, write, both, path only, temporary, exclusive on a link" {
	echo x >f; ln -s f l; ln -s gone dangling
	calls open f , open_rw f , open_w f , open_trunc f , open_path f , open_tmp . , open_excl l , open_excl dangling
	assert_line "open flags 0 .*/f \(file\) = ok"
	assert_line "open flags 2 .*/f \(file\) = ok"
	assert_line "open flags 1 .*/f \(file\) = ok"
	assert_line "open flags 200 .*/f \(file\) = ok"
	assert_line "stat flags 0 .*/f \(file\) = ok"
	assert_line "open flags 410002 .*$PROJ \(dir\) = ok"
	assert_line "open flags c1 .*/l \(link\) = EEXIST"
	assert_line "open flags c1 .*/dangling \(link\) = EEXIST"
}

@test "outcomes as the kernel has them, and the command got the same" {
	mkdir d full; touch full/x f; ln -s loop loop; chmod 000 f
	calls open none , open none/x , open f/x , rmdir full , rmdir f , unlink d , mkdir d , mkdir none/d , stat loop , \
		rename d full , rename none x , rename f d , creat d , readlink f , symlink f y , open_excl f , rename d d/e , \
		link d l , rmdir d/. , open f/ , truncate d , lstat loop/x
	local line op path want
	while read -r op path want; do
		[ "$want" != ok ] || continue
		case $op in open* | creat) op=open ;; truncate) ;; lstat) op=stat ;; esac
		assert_line "^event [0-9]+ $op .* = $want\\?? "
	done <<<"$said"
	# all that failed has the errno that the program saw
	[ "$(awk '$3 != "ok"' <<<"$said" | wc -l)" -ge 20 ]
}

@test "io_uring_setup answers ENOSYS and is recorded" {
	calls io_uring_setup
	[ "$said" = "io_uring_setup  ENOSYS" ]
	assert_line 'marks 20 io_uring_setup = ENOSYS'
}

@test "execve and execveat by descriptor: program and loader" {
	calls execve /bin/true
	assert_line "exec .*/true \(file\) = ok"
	assert_line "load .*/ld-linux"
	calls execveat /bin/true
	assert_line "exec flags 0 marks 10.*/true \(file\) = ok"
}
