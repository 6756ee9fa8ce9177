#!/bin/sh
# check-layers.sh - fail when a folder includes what docs/layers.txt does not grant
set -eu
bad=0
while IFS=: read -r dir allowed; do
	case $dir in ''|\#*) continue ;; esac
	for inc in $(grep -hoE '^#include "[^"]+"' "$dir"/*.[ch] 2>/dev/null | cut -d'"' -f2 | sort -u); do
		case $inc in "$dir"/*) continue ;; esac
		ok=no
		for a in $allowed; do
			case $inc in "$a"|"$a"/*) ok=yes ;; esac
		done
		[ $ok = yes ] || { echo "$dir may not include $inc" >&2; bad=1; }
	done
done < docs/layers.txt
exit $bad
