# behaviour.sh - a few hundred calls of a shell and coreutils; what they say must be the same bare and audited
LC_ALL=C
export LC_ALL
n=0
t() { # run, show what it said and its status
	n=$((n + 1))
	echo "[$n] $*"
	"$@" 2>&1
	echo "= $?"
}
s() { t sh -c "$@"; }

mkdir -p d/e/f; printf 'b\na\nc\n' >d/x; printf '1 2 3\n4 5 6\n' >d/nums; ln -s x d/l; ln -s none d/dang; ln -s loop d/loop
: >d/empty; chmod 600 d/x; mkfifo d/fifo; printf 'a\tb\n' >d/tab

for f in d d/x d/l d/dang d/loop d/empty d/fifo d/none d/x/y d/e/../x d//x ./d/./x d/e/f/../../x d/x/ d/e/; do
	for o in -e -f -d -h -p -r -w -x -s; do s '[ '"$o"' "$0" ]' "$f"; done
	t ls -d "$f"
	t readlink "$f"
	t realpath "$f"
	t stat -c '%F %a %s' "$f"
	[ "$f" = d/fifo ] || t cat "$f"
done
for f in x nums tab empty; do
	t wc "d/$f"; t sort "d/$f"; t head -c 2 "d/$f"; t tail -n 1 "d/$f"; t cut -c1 "d/$f"; t tac "d/$f"; t nl "d/$f"
	t cksum "d/$f"; t md5sum "d/$f"; t od -c "d/$f"; t cmp d/x "d/$f"; t comm d/x "d/$f"; t paste d/x "d/$f"
done
t mkdir d/m; t mkdir d/m; t mkdir d/n/o; t mkdir -p d/n/o/p; t rmdir d/n; t rmdir d/n/o/p; t rmdir d/x; t rmdir d/none
t touch d/t1; t touch d/none/t; t cp d/x d/c1; t cp d/none d/c2; t cp d/x d/e; t cp d/e d/c3; t cp -r d/e d/c4; t cp -a d/l d/c5
t mv d/c1 d/m1; t mv d/none d/m2; t mv d/m1 d/m; t mv d/m d/m/sub; t mv d/m d/e; t mv -n d/x d/nums; t mv -T d/e d/x
t ln d/x d/h1; t ln d/x d/h1; t ln d/e d/h2; t ln -s a d/s1; t ln -s a d/s1; t ln -sf b d/s1; t readlink d/s1; t ln d/l d/h3
t rm d/h1; t rm d/none; t rm -f d/none; t rm d/e; t rm -r d/e; t rm d/dang; t unlink d/s1; t unlink d/none
t chmod 640 d/x; t stat -c %a d/x; t chmod 644 d/none; t chmod a+x d/dang; t chmod -R u+w d; t truncate -s 10 d/x; t truncate -s 5 d/none2
t dd if=d/x of=d/dd bs=1 count=3 status=none; t dd if=d/none of=d/dd2 status=none; t mktemp d/none/XXXX; t install -m 600 d/nums d/inst
t tee d/tee <d/nums; t split -l 1 d/nums d/sp; t ls d; t du -a --apparent-size d/sp*; t find d -name 's*' -type f; t df d/none
t env -i A=1 env; t env -u A true; t nice true; t nohup true; t timeout 5 true; t timeout 0.2 sleep 5; t seq 3; t expr 1 + 1; t test -e d
t id -u; t id -g; t pwd; t basename d/x; t dirname d/x; t uname -s; t nproc; t printenv LC_ALL; t factor 12; t arch; t true; t false
s 'exit 3'; s 'kill -9 $$'; s 'kill -TERM $$'; s 'none-such'; s './d'; s './d/x'; s 'cd d/none'; s 'cd d/x'; s 'cd d && pwd'; s 'cd -P . && pwd'
s '. ./d/none'; s 'exec 3<d/none'; s 'exec 3<d/x; cat <&3'; s 'cat <&9'; s 'echo x >d'; s 'echo x >d/none/y'; s 'set -C; echo x >d/x'
s 'umask 077; : >d/um; stat -c %a d/um'; s 'ulimit -n 10; cat d/nums'; s 'trap "echo t" EXIT; exit 4'; s '(exit 5); echo $?'; s 'true | false; echo $?'
s 'sleep 0.1 & wait $!; echo $?'; s 'false & wait $!'; s 'echo a | { read x; echo $x; }'; s 'echo ${X:?no}'; s 'readonly R=1; R=2'; s 'eval "echo e"'
s 'for i in d/*; do echo $i; done'; s 'echo d/?one'; s 'cat d/x - <d/nums'; s 'echo x | tee d/t2 d/t3'; s 'read x <d/empty; echo $?'; s 'type cat'; s 'command -v none'
s 'printf "#!/bin/sh\necho s \$1\n" >d/scr; chmod +x d/scr; d/scr a'; s 'printf "#!/none/such\n" >d/bad; chmod +x d/bad; d/bad'; s ': >d/emp; chmod +x d/emp; d/emp'
s 'PATH=d; scr b'; s 'PATH=; scr'; s 'cd d && ./scr c'; s 'cd d && PATH=. && scr d'; s 'exec -- d/scr e'; s 'cat /proc/self/comm'; s 'cat /dev/fd/0 <d/nums'
s 'cat /dev/stdin <d/nums'; s 'echo x >/dev/full'; s 'echo x >/dev/null'; s 'readlink /proc/self/cwd | sed "s|.*/||"'; s 'ls /proc/self/fd | wc -l'
