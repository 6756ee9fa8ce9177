#!/usr/bin/env bats
# as: user
# install.bats - an ordinary user builds the sources with a bare environment, and installs them somewhere
load lib

@test "a copy of the sources builds, installs, and uninstalls" {
	need make gcc
	cp -r "$SRC" src
	cd src
	env -i PATH=/usr/bin:/bin make -s all >log 2>&1 </dev/null || { cat log; false; }
	env -i PATH=/usr/bin:/bin make -s install DESTDIR="$WORK/root" PREFIX=/usr >log 2>&1 || { cat log; false; }
	run "$WORK/root/usr/bin/snug" --version
	assert_status 0
	assert_line '^snug [0-9]+\.[0-9]+\.[0-9]+'
	for page in man1/snug.1 man1/snug-audit.1 man5/snug-profile.5; do
		[ -s "$WORK/root/usr/share/man/$page" ] || fail "no $page"
	done
	[ -s "$WORK/root/usr/share/bash-completion/completions/snug" ]
	make -s uninstall DESTDIR="$WORK/root" PREFIX=/usr
	[ -z "$(find "$WORK/root" -type f)" ]
}

@test "the binary needs nothing but libc" {
	need ldd
	run ldd "$SNUG"
	refute_line 'seccomp|yaml|json|libmd'
}
