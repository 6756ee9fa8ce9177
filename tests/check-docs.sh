#!/bin/sh
# check-docs.sh - what documents and comments name must exist; no path of somebody's machine
set -eu
bad=0
say() {
	echo "$*" >&2
	bad=1
}
# `path/with/slash` in documents, and docs/... in comments
for doc in README.md CONTRIBUTING.md NEWS.md $(find docs -name '*.md'); do
	[ -e "$doc" ] || { say "$doc is missing"; continue; }
	for name in $(grep -oE '`(base|profiles|trace|learn|report|enforce|cli|tests|docs|bench)/[A-Za-z0-9_./-]+`' "$doc" | tr -d '`' | grep -v NAME); do
		[ -e "${name%/}" ] || say "$doc names $name, which does not exist"
	done
done
for name in $(grep -rhoE 'docs/[a-z]+/[A-Za-z0-9_./-]+\.md|docs/[A-Z]+\.md|docs/[a-z]+\.md' --include='*.[ch]' --include='*.sh' --include='*.md' . 2>/dev/null | sort -u); do
	[ -e "$name" ] || say "somewhere $name is named, which does not exist"
done
# decisions have numbers of their own
dup=$(find docs/decisions -name '*.md' | sed 's|.*/||' | cut -c1-4 | sort | uniq -d)
[ -z "$dup" ] || say "two decisions have the number $dup"
exit $bad
