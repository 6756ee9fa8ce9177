#!/usr/bin/env bats
# trace_names.bats - names mean what the caller means: directories, descriptors, links, /proc, threads, programs
load lib

rec() { # rec COMMAND..: events in $output, the command's own output in $said, its status in $rc
	rc=0
	said=$("$O/tests/tools/rec" -o "$WORK/events" "$@") || rc=$?
	output=$(cat "$WORK/events")
}
scene() { rec "$(target scenes)" "$@"; }

@test "T08 a static program without a C library is seen" {
	need cc
	cat >s.c <<-'C'
	static long call(long n, long a, long b, long c)
	{
		long r;
		__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
		return r;
	}
	void _start(void)
	{
		long fd = call(2, (long)"made", 0101, 0644);
		call(1, fd, (long)"x", 1);
		call(60, 0, 0, 0);
	}
	C
	cc -static -nostdlib -o s s.c || skip "no static linking here"
	rec ./s
	assert_line "open flags 41 .*$PROJ/made \(none\) = ok .*survives"
}

@test "T09 tar reads a tree: no file missing" {
	mkdir tree
	for i in $(seq 200); do echo $i >tree/$i; done
	rec tar cf "$WORK/t.tar" tree
	[ "$(grep -cE "open .*$PROJ/tree/[0-9]+ \(file\) = ok" <<<"$output")" = 200 ]
}

@test "T10 programs from a memfd and from a removed file are named as such" {
	cp /bin/true tool
	scene memfd /bin/true
	assert_line 'exec .* memfd:tool '
	refute_line 'exec .*/memfd:'
	scene deleted "$PROJ/tool"
	[ $rc = 0 ]
	assert_line "exec .* deleted:$PROJ/tool "
}

@test "T11 a name below a descriptor is not below the working directory" {
	mkdir a b; echo x >a/f; echo y >b/f
	scene dirfd a "$PROJ/b" f
	assert_line "open .* $PROJ/a/f \(file\) = ok"
	refute_line "$PROJ/b/f"
}

@test "T12 /proc/self, thread-self, /dev/stdin, /dev/fd are the caller's" {
	echo in >in; echo three >three
	rec sh -c 'cat /proc/self/status /proc/thread-self/comm /dev/fd/3 /dev/stdin >/dev/null; cat /proc/$$/comm; cat /proc/1/comm' <in 3<three
	assert_line 'open .* /proc/self/status \(file\) = ok'
	assert_line 'open .* /proc/self/task/self/comm \(file\) = ok'
	assert_line "open .*\[/dev/fd -> /proc/self/fd\] \[/proc/self/fd/3 -> $PROJ/three\] $PROJ/three \(file\)"
	assert_line "open .*\[/dev/stdin -> /proc/self/fd/0\] .*$PROJ/in \(file\)"
	assert_line 'open .* /proc/tree/comm'
	assert_line 'open .* /proc/other/comm'
	refute_line '^event.*/proc/[0-9]'
}

@test "T13 a name that ends at an unmapped page is read, one that runs into it is not invented" {
	echo x >F
	scene border F
	assert_same "$said" "ok
EFAULT"
	assert_line "open .* $PROJ/F \(file\) = ok"
	refute_line 'open .*/xxxxxx'
}

@test "T14 a name of 4095 bytes is exact, one of 4096 is left out" {
	scene longest
	assert_same "$said" "ok
ENAMETOOLONG"
	local n
	n=$(grep -oE "open .* $PROJ/d+/[^ ]* \(none\) = ok" <<<"$output" | grep -oE "$PROJ/[^ ]*" | tr -d '\n' | wc -c)
	[ "$n" = $((4095 + ${#PROJ} + 1)) ]
	refute_line 'incomplete'
	[ "$(grep -c 'open .*/fff' <<<"$output")" = 1 ]
}

@test "T15 sixteen threads and eight of a fork: 24 files" {
	mkdir d; for i in $(seq 0 23); do echo >d/$i; done
	scene many d
	[ "$(grep -cE "open .*$PROJ/d/[0-9]+ \(file\) = ok" <<<"$output")" = 24 ]
}

@test "T16 T17 scripts: env, interpreter and loader, nested" {
	mkdir ext; cp "$(readlink -f /bin/sh)" ext/mysh
	printf '#!%s/ext/mysh\necho inner\n' "$PROJ" >helper; chmod +x helper
	printf '#!/usr/bin/env -S %s/ext/mysh -e\n%s/helper\n' "$PROJ" "$PROJ" >outer; chmod +x outer
	rec ./outer
	[ "$said" = inner ]
	assert_line "exec .*$PROJ/outer \(file\) = ok"
	assert_line 'load .*/usr/bin/env \(file\) = ok'
	assert_line "exec .*$PROJ/ext/mysh \(file\) = ok"
	assert_line "exec .*$PROJ/helper \(file\) = ok"
	assert_line "load .*$PROJ/ext/mysh \(file\) = ok"
	assert_line 'load .*/ld-linux'
	assert_line "^proc .* exe $PROJ/ext/mysh .* argv <$PROJ/ext/mysh> <$PROJ/helper>"
}

@test "T18 odd first lines: the shell falls back as always" {
	: >empty; printf '#' >one; printf '#!' >two; printf '#!/bin/sh\r\necho x\n' >crlf
	printf '#!/%0300d\n' 0 >long; chmod +x empty one two crlf long
	for s in empty one two crlf long; do
		bare=$(sh -c "./$s" 2>/dev/null; echo "rc $?")
		said=$("$O/tests/tools/rec" -o "$WORK/events" sh -c "./$s" 2>/dev/null; echo "rc $?")
		assert_same "$bare" "$said"
		output=$(cat "$WORK/events")
		assert_line "exec .*$PROJ/$s \(file\)"
	done
}

@test "T19 programs named relative to a new directory" {
	mkdir -p sub/bin; cp /bin/true sub/prog; cp /bin/true sub/bin/tool
	rec sh -c 'cd sub && ./prog && PATH=".:bin" && tool'
	assert_line "exec .*$PROJ/sub/prog \(file\) = ok"
	assert_line "exec .*$PROJ/sub/bin/tool \(file\) = ok"
	[ $rc = 0 ]
}

@test "T20 T29 what was not there stays distinct from what was" {
	rec sh -c '[ -e opt.conf ] && cat opt.conf; for i in 1 2 3; do [ -e no$i/x ]; done; [ -e "$0" ]' "$PROJ"
	assert_line "(stat|access) .* $PROJ/opt.conf \(none\) = ENOENT"
	for i in 1 2 3; do assert_line "$PROJ/no$i/x \(none, parent missing\) = ENOENT"; done
}

@test "T21 P19 signals every millisecond: same results, nothing invented" {
	echo x >f
	for restart in 0 1; do
		scene timer f 2000 $restart 2>"$WORK/interrupted"
		assert_same "$said" "0 of 2000 failed"
		# without SA_RESTART the kernel may give EINTR up to the moment the recorder has taken the call
		# (docs/differences.md): seldom, and never with SA_RESTART
		[ "$(cat "$WORK/interrupted")" -le $((restart ? 0 : 400)) ]
		[ "$(grep -c "open .*$PROJ/f " <<<"$output")" = 1 ]
		assert_line "open .*$PROJ/f \(file\) = ok x2000"
		refute_line incomplete
	done
}

# bats test_tags=only:root
@test "T22 inside a chroot and a mount namespace the path is the host's, and marked" {
	is_root || skip "needs root for chroot"
	need unshare chroot
	mkdir -p tree/bin a b; echo x >tree/f; echo in >a/f
	cp "$(target calls)" tree/bin/calls
	for l in $(ldd tree/bin/calls | grep -oE '/[^ ]+'); do mkdir -p "tree$(dirname $l)"; cp "$l" "tree$l"; done
	rec chroot tree /bin/calls open /f
	[ "$said" = "open /f ok" ]
	assert_line "open flags 0 marks 2 $PROJ/tree/f \(file\) = ok"
	rec unshare -m sh -c 'mount --bind a b && cat b/f'
	[ "$said" = in ]
	assert_line "open flags 0 marks 1 .*$PROJ/b/f \(file\) = ok"
}

@test "T22 inside a user and mount namespace of an ordinary user" {
	need unshare
	skip_unless "no user namespaces here" unshare -Urm true
	mkdir -p a b; echo in >a/f
	rec unshare -Urm sh -c 'mount --bind a b && cat b/f'
	[ "$said" = in ]
	assert_line "open flags 0 marks 1 .*$PROJ/b/f \(file\) = ok"
	assert_line 'syscall .* unshare = '
	refute_line '^incomplete'
}

# bats test_tags=only:root
@test "T12 T22 /proc/self under a chroot and in another process namespace" {
	is_root || skip "needs root for chroot"
	need unshare chroot mount
	rec unshare -m sh -c 'mkdir root; mount --bind / root; mount --bind /proc root/proc; chroot root /bin/cat /proc/self/comm'
	[ "$said" = cat ]
	assert_line 'open .*marks 3 .*proc/.*comm \((file|unknown)\) = ok'
	rec unshare -pfm --mount-proc cat /proc/self/comm
	[ "$said" = cat ]
	assert_line 'open .*marks 1 .*/proc/self/comm \(unknown\) = ok\?'
	refute_line '^event.*/proc/[0-9]'
}

@test "T23 SIGCONT in a loop while 500 threads start: 500 files" {
	mkdir d; for i in $(seq 0 499); do echo >d/$i; done
	scene cont d
	[ $rc = 0 ]
	[ "$(grep -cE "open .*$PROJ/d/[0-9]+ \(file\) = ok" <<<"$output")" = 500 ]
}

@test "T25 a working directory shared with another process" {
	mkdir d; echo x >d/f
	scene share "$PROJ/d" f
	assert_line "open .* $PROJ/d/f \(file\) = ok"
}

@test "T26 dynamic, static, dynamic again: files of all" {
	need cc
	printf 'int main(int c,char**v){return c>1?execv(v[1],v+1):0;}' >s.c
	cc -w -static -o s s.c 2>/dev/null || skip "no static linking here"
	echo 1 >one; echo 2 >two
	rec sh -c 'cat one; exec ./s /bin/cat two'
	assert_same "$said" "1
2"
	assert_line "exec .*$PROJ/s \(file\) = ok"
	assert_line "open .*$PROJ/two \(file\) = ok"
}

@test "T28 links and sockets: link and target, path and @name" {
	ln -s f link; echo x >f
	rec cat link
	assert_line "open .*\[$PROJ/link -> f\] $PROJ/f \(file\) = ok"
	scene sockets =s s @snug-nobody none
	assert_line "bind .* unix $PROJ/s \(none\) = ok.*survives"
	assert_line "connect .* unix $PROJ/s \(sock\)"
	assert_line 'connect .* abstract @snug-nobody'
	assert_line "connect .* unix $PROJ/none \(none\) = ENOENT"
}

@test "exec by a thread that is not the first; a clone that no tracer may follow" {
	echo x >f
	scene nonleader /bin/true
	assert_line '^proc [0-9]+ .* exe /usr/bin/true '
	assert_line 'open .*ld.so.cache'
	scene untraced f
	[ $rc = 0 ]
	assert_line "open .*$PROJ/f \(file\) = ok"
}

@test "a listener of the command's own gets EBUSY, and that is said" {

	scene listener # no_new_privs is there already, or root does without
	[ "$said" = EBUSY ]
	assert_line 'syscall .* seccomp = EBUSY'
	assert_line '^incomplete .*listener'
}

@test "an audit inside an audit says so before the command runs" {
	run "$O/tests/tools/rec" -o "$WORK/events" "$O/tests/tools/rec" touch made
	assert_status 125
	assert_out 'outside of it'
	[ ! -e made ]
}

@test "calls of another architecture are seen, work, and make the recording incomplete" {
	[ "$(uname -m)" = x86_64 ] || skip "no 32-bit gate here"
	[ "$("$(target scenes)" gate)" = ok ] || skip "no 32-bit calls in this kernel"
	scene gate
	[ "$said" = ok ]
	assert_line '^incomplete .*32-bit'
}

@test "P09 strace inside: works, or says why not" {
	need strace
	echo x >F
	skip_unless "strace does not work here" strace -o s0 cat F
	rec strace -f -o s.txt cat F
	[ "$said" = x ]
	grep -q 'openat.*"F"' s.txt
	assert_line "open .*$PROJ/F \(file\) = ok"
	assert_line 'syscall .* ptrace = '
}

@test "P09 gdb inside: runs a program to its end" {
	need gdb
	skip_unless "gdb does not work here" gdb -batch -ex run --args /bin/true
	rec gdb -batch -ex run --args cat /etc/hostname
	grep -q 'exited normally' <<<"$said"
	assert_line 'open .*/etc/hostname \(file\) = ok'
}

@test "P21 descriptors that the command was given are recorded as such" {
	echo x >given
	rec cat /etc/hostname 3<given
	assert_line "open flags 0 marks 10 $PROJ/given \(file\) = ok"
	rec cat /etc/hostname
	refute_line "$PROJ/given"
}

@test "a deleted working directory: the same errors, and nothing invented" {
	mkdir gone; cd gone; rmdir ../gone
	rec sh -c 'cat f; (: >g); ls . ; cd ..' 2>"$WORK/err" || true
	bare=$(sh -c 'cat f; (: >g); ls . ; cd ..' 2>&1 || true)
	assert_line "open .* deleted:$PROJ/gone/f \(none, parent missing\) = ENOENT"
	assert_line "open .* deleted:$PROJ/gone/g \(none, parent missing\) = ENOENT"
	assert_line "deleted:$PROJ/gone \(dir\) = ok"
	assert_same "$(grep -v getcwd "$WORK/err")" "$(grep -v getcwd <<<"$bare")"
}

# bats test_tags=only:user
@test "what the caller may not look at either is its own error, and no gap" {
	! is_root || skip "root may look at everything"
	[ "$(stat -c %u /proc/1)" != "$(id -u)" ] || skip "process 1 is ours here"
	rec sh -c 'stat -L /proc/1/exe /proc/1/fd/0; cat /root/x; :' 2>/dev/null
	assert_line 'stat .* /proc/other/exe \(link\) = EACCES'
	refute_line '^incomplete'
}
