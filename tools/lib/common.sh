# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Shared by the tools: messages, the log, the cache directory and its lock.

TOOL=${TOOL:-$(basename "$0")}
TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
LIB=$TREE/tools/lib
CACHE=${KTSTR_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ktstr}
LOG=/dev/null

say() { printf '%s: %s\n' "$TOOL" "$*" >&2; }
die() {
	say "$*"
	exit 1
}

os_load() {
	# shellcheck disable=SC1091
	. /etc/os-release
	OS_ID=${ID:-unknown}
	OS_VERSION=${VERSION_ID:-unknown}
	OS_CODENAME=${VERSION_CODENAME:-unknown}
	case $OS_ID-$OS_VERSION in
	debian-12 | debian-13) ;;
	*) die "this is $OS_ID $OS_VERSION; Debian 12 and 13 are supported (tools/lib/packages.list names what is needed)" ;;
	esac
	OS_ARCH=$(dpkg --print-architecture)
}

# The log stands in the tree, except for root in somebody else's tree: set-up
# must not leave files there that their owner cannot remove.
log_open() {
	if [[ -O $TREE && -w $TREE ]]; then
		mkdir -p "$TREE/build"
		LOG=$TREE/build/$1
	else
		mkdir -p "$CACHE"
		LOG=$CACHE/$1
	fi
	: >"$LOG"
}

# step WHAT COMMAND...: one line for people, everything else into the log.
step() {
	local what=$1 status=0
	shift
	say "$what"
	printf '\n== %s\n' "$what" >>"$LOG"
	# A subshell with its own errexit: "cmd || status=$?" would switch it off.
	set +e
	(
		set -e
		"$@"
	) >>"$LOG" 2>&1 </dev/null
	status=$?
	set -e
	[[ $status -eq 0 ]] && return 0
	say "failed (exit $status): $what; the last lines of $LOG:"
	tail -n 20 "$LOG" | sed 's/^/  | /' >&2
	exit 1
}

# download WHAT COMMAND...: notes how long it took, so that the time of a build can be told without that of the network.
download() {
	local what=$1 begun=$EPOCHREALTIME
	shift
	"$@"
	[[ -O $TREE && -w $TREE ]] || return 0
	mkdir -p "$TREE/build"
	awk -v a="$begun" -v b="$EPOCHREALTIME" -v what="$what" 'BEGIN { printf "%d %.1f %s\n", b, b - a, what }' >>"$TREE/build/downloads.log"
}

# downloads_since EPOCH: seconds of the downloads that ended after it.
downloads_since() {
	[[ -e $TREE/build/downloads.log ]] || { echo 0 && return; }
	awk -v since="$1" '$1 >= since { sum += $2 } END { printf "%.0f\n", sum }' "$TREE/build/downloads.log"
}

# cache_lock NAME: two tools at once share the cache, and the second waits for
# the first where both would make the same part.
cache_lock() {
	mkdir -p "$CACHE"
	exec {CACHE_LOCK}>"$CACHE/$1"
	if ! flock -n "$CACHE_LOCK"; then
		say "waiting for whoever holds $CACHE/$1"
		flock "$CACHE_LOCK"
	fi
}
cache_unlock() { exec {CACHE_LOCK}>&-; }

hash_of() { cat "$@" | sha256sum | cut -c1-12; }
