#!/bin/sh
# deps.sh - install what is missing, with apt-get; says nothing when all is there
# usage: deps.sh [build|test]     build: what compiles snug; test (default): what `make check` uses too
set -eu
PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin
export PATH

# package, then a command that shows it is there ("-": ask dpkg)
build='
gcc gcc
make make
pkg-config pkg-config
libc6-dev -
libseccomp-dev -
libyaml-dev -
libjson-c-dev -
libmd-dev -
'
test='
libcmocka-dev -
bats bats
clang clang
libclang-rt-dev /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
llvm llvm-profdata
clang-tidy clang-tidy
clang-format clang-format
cppcheck cppcheck
shellcheck shellcheck
strace strace
bubblewrap bwrap
git git
curl curl
python3 python3
vim vim
less less
tmux tmux
bsdutils script
python3-venv -
python3-pip -
python3-jsonschema -
python3-pytest -
mandoc mandoc
cargo cargo
golang-go go
nodejs node
npm npm
g++ g++
openssh-client ssh-keygen
sqlite3 sqlite3
iproute2 ip
rsync rsync
attr setfattr
zip zip
jq jq
openssl openssl
netcat-openbsd nc
gdb gdb
procps pgrep
perl perl
'
case ${1:-test} in
build) want=$build ;;
test) want=$build$test ;;
*) echo "usage: deps.sh [build|test]" >&2; exit 2 ;;
esac

have_file() { # any of the names a pattern stands for
	for f in "$@"; do
		[ -e "$f" ] && return 0
	done
	return 1
}

missing=
ask=
probe() {
	while read -r pkg how; do
		case $how in
		'') ;;
		-) echo "ask $pkg" ;;
		/*) # shellcheck disable=SC2086 # a pattern: meant to expand
			have_file $how || echo "missing $pkg" ;;
		*) command -v "$how" >/dev/null 2>&1 || echo "missing $pkg" ;;
		esac
	done
}
for row in $(echo "$want" | probe | tr ' ' :); do
	case $row in
	ask:*) ask="$ask ${row#*:}" ;;
	missing:*) missing="$missing ${row#*:}" ;;
	esac
done
if command -v dpkg-query >/dev/null 2>&1 && [ -n "$ask" ]; then
	# shellcheck disable=SC2086 # a list of words
	have=$(dpkg-query -W -f '${Package}:${db:Status-Status}\n' $ask 2>/dev/null || :)
	for pkg in $ask; do
		echo "$have" | grep -qx "$pkg:installed" || missing="$missing $pkg"
	done
fi
[ -n "$missing" ] || exit 0

line="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
	echo "deps: missing, and no apt-get here; install what your system calls:$missing" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" != 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		sudo='sudo -n'
	else
		echo "deps: missing packages; as root, type:" >&2
		echo "  apt-get update && $line" >&2
		exit 1
	fi
fi
echo "deps: $line"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
	# shellcheck disable=SC2086 # sudo is empty or two words
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" </dev/null >"$log" 2>&1
}
# shellcheck disable=SC2086 # a list of words
if ! apt install -y --no-install-recommends $missing; then
	# the lists of a fresh system are empty or old
	apt update || { cat "$log" >&2; echo "deps: apt-get update failed" >&2; exit 1; }
	# shellcheck disable=SC2086
	apt install -y --no-install-recommends $missing || {
		cat "$log" >&2
		echo "deps: could not install:$missing" >&2
		exit 1
	}
fi
