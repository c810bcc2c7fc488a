#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# enter-root.sh BASE SCRATCH USER DIRECTORY COMMAND...
# Runs inside a fresh mount namespace: builds the view of the root and becomes
# it. pivot_root and not chroot, since the kernel refuses user namespaces to a
# chrooted process.
#
# ENTER_PROC=own   /proc of the new pid namespace; host: the host's processes
# ENTER_COPY=1     a full copy in SCRATCH/root instead of an overlay
# ENTER_BIND=PATH  that directory of the host at the same place
# ENTER_CLONE=PATH git repository whose HEAD becomes DIRECTORY, owned by USER
set -euo pipefail

# Process 1 of a namespace gets only the signals it has asked for.
trap 'exit 130' INT
trap 'exit 143' TERM

base=$1 scratch=$2 user=$3 directory=$4
shift 4
root=$scratch/root

mkdir -p "$root" "$scratch/upper" "$scratch/work"
chmod 755 "$scratch/upper"
if [[ -n ${ENTER_COPY:-} ]] ||
	! mount -t overlay overlay -o "lowerdir=$base,upperdir=$scratch/upper,workdir=$scratch/work" "$root" 2>/dev/null; then
	cp -a --reflink=auto "$base/." "$root/"
	mount --bind "$root" "$root"
fi

if [[ ${ENTER_PROC:-own} == own ]]; then
	mount -t proc proc "$root/proc"
else
	mount --rbind /proc "$root/proc"
fi
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mount -t tmpfs -o mode=755 run "$root/run"

if [[ -n ${ENTER_BIND:-} ]]; then
	mkdir -p "$root$ENTER_BIND"
	mount --bind "$ENTER_BIND" "$root$ENTER_BIND"
fi
if [[ -n ${ENTER_CLONE:-} ]]; then
	# Root may be asked to clone a tree of somebody else.
	printf '[safe]\n\tdirectory = *\n' >"$scratch/gitconfig"
	GIT_CONFIG_GLOBAL=$scratch/gitconfig git clone -q --no-hardlinks "$ENTER_CLONE" "$root$directory"
	chroot "$root" chown -R "$user:" "$directory"
fi
if [[ -n ${ENTER_SUDO:-} ]]; then
	echo "$user ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/$user"
	chmod 440 "$root/etc/sudoers.d/$user"
fi

cd "$root"
mkdir -p .host
pivot_root . .host
cd /
umount -l /.host
rmdir /.host 2>/dev/null || true

home=/root
[[ $user == root ]] || home=/home/$user
cd "$directory"
[[ $# -gt 1 ]] || set -- /bin/bash -c "$1"
set -- env -i HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash TERM="${TERM:-dumb}" LANG=C.UTF-8 \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	setpriv --reuid="$user" --regid="$user" --init-groups "$@"
trap - INT TERM
[[ $$ -eq 1 ]] || exec "$@"
# Process 1 of a namespace stays a shell: it reaps orphans.
status=0
"$@" || status=$?
exit "$status"
