# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Other Debian releases as directories: bootstrapped once into the cache, never
# written to afterwards, entered through a private mount namespace.

ROOTS=$CACHE/roots

# Becoming root by the same means as set-up.
root_become() {
	[[ $EUID -eq 0 ]] && return 0
	command -v sudo >/dev/null || die "this needs root"
	exec sudo "$0" "$@"
}

root_prepare() {
	os_load
	log_open "$TOOL.log"
	command -v debootstrap >/dev/null || packages_meet "debootstrap -"
	cache_lock roots.lock
	apt_init
	apt_refresh
	mkdir -p "$ROOTS"
}

# root_base SUITE PACKAGES...: sets ROOT_BASE to the cached root, made anew when
# the recipe or the packages change, or after a month.
root_base() {
	local suite=$1 making
	shift
	ROOT_BASE=$ROOTS/$suite-$OS_ARCH-$({
		declare -f root_bootstrap root_sources root_network
		printf '%s\n' "$APT_MIRROR" "$@"
	} | sha256sum | cut -c1-12)
	find "$ROOTS" -mindepth 1 -maxdepth 1 -name '.making.*' -exec rm -rf {} +
	root_drop_old "$suite"
	if [[ ! -d $ROOT_BASE ]]; then
		making=$(mktemp -d "$ROOTS/.making.XXXXXX")
		chmod 755 "$making"
		step "bootstrapping Debian $suite (once)" root_bootstrap "$suite" "$making" "$@"
		mv -T "$making" "$ROOT_BASE"
	fi
}

# A root that is in use has a shared lock on its own lock file.
root_drop_old() {
	local old
	find "$ROOTS" -mindepth 1 -maxdepth 1 -type d -name "$1-$OS_ARCH-*" | while read -r old; do
		[[ $old != "$ROOT_BASE" || -n $(find "$old" -maxdepth 0 -mtime +30) ]] || continue
		flock -n "$old.lock" rm -rf "$old" "$old.lock" || true
	done
}

root_bootstrap() {
	local suite=$1 root=$2 script=
	shift 2
	[[ -e /usr/share/debootstrap/scripts/$suite ]] || script=/usr/share/debootstrap/scripts/sid
	# shellcheck disable=SC2086 # absent or one word
	debootstrap --variant=minbase ${APT_KEYRING:+--keyring="$APT_KEYRING"} \
		--include=ca-certificates,debian-archive-keyring,sudo "$suite" "$root" "$APT_MIRROR" $script
	root_sources "$suite" "$root"
	root_network "$root"
	if [[ $# -gt 0 ]]; then
		# Packages here start nothing: there is no init in this root.
		printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
		chmod 755 "$root/usr/sbin/policy-rc.d"
		chroot "$root" apt-get -qq update
		DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get -qqy install --no-install-recommends "$@"
		chroot "$root" apt-get clean
	fi
	rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/archives/*.deb
	chroot "$root" useradd -m -s /bin/bash -u 1000 dev
	touch "$root"
}

# The two ways to write sources, so that each is met somewhere: one-line in
# Debian 12, stanzas in Debian 13.
root_sources() {
	local suite=$1 root=$2 apt=$2/etc/apt keyring
	local suites=("$suite")
	rm -f "$apt/sources.list" "$apt"/sources.list.d/*
	[[ $suite == sid ]] || suites+=("$suite-updates")
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	if [[ $suite == bookworm ]]; then
		printf "deb $APT_MIRROR %s main\n" "${suites[@]}" >"$apt/sources.list"
		[[ -z $APT_SECURITY ]] || echo "deb $APT_SECURITY $suite-security main" >>"$apt/sources.list"
		return
	fi
	{
		APT_KEYRING=$keyring apt_stanza deb "$APT_MIRROR" "${suites[*]}"
		[[ $suite == sid || -z $APT_SECURITY ]] ||
			APT_KEYRING=$keyring apt_stanza deb "$APT_SECURITY" "$suite-security"
	} >"$apt/sources.list.d/debian.sources"
}

# What the host needs to reach its mirror, the root needs as well.
root_network() {
	local root=$1
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/" || true
	apt-config dump | grep -E '^Acquire::(http|https|ftp)::(Proxy|CaInfo|Verify)|^Acquire::Check-Valid-Until' \
		>"$root/etc/apt/apt.conf.d/90host" || true
	if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
		cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
		chroot "$root" update-ca-certificates
	fi
}

# root_scratch: sets ROOT_SCRATCH to a directory for one visit; removes those of
# visits that were killed.
root_scratch() {
	local old
	for old in "$ROOTS"/.visit.*; do
		[[ ! -d $old ]] || flock -n "$old/lock" rm -rf "$old" || true
	done
	ROOT_SCRATCH=$(mktemp -d "$ROOTS/.visit.XXXXXX")
	chmod 755 "$ROOT_SCRATCH"
	exec {ROOT_SCRATCH_LOCK}>"$ROOT_SCRATCH/lock" {ROOT_BASE_LOCK}>"$ROOT_BASE.lock"
	flock "$ROOT_SCRATCH_LOCK"
	flock -s "$ROOT_BASE_LOCK"
	trap root_clean EXIT
}

# root_visit COMMAND...: runs it to its end and sets ROOT_STATUS. In the
# background, so that being asked to end acts at once; an interrupt reaches the
# command by itself, and what it does then is its own affair.
root_visit() {
	env --default-signal=INT,QUIT setpriv --pdeathsig KILL "$@" \
		<&0 {ROOT_SCRATCH_LOCK}>&- {ROOT_BASE_LOCK}>&- &
	local child=$!
	trap : INT
	trap 'kill -KILL '"$child" TERM HUP
	while wait "$child" 2>/dev/null || true; do
		kill -0 "$child" 2>/dev/null || break
	done
	ROOT_STATUS=0
	wait "$child" || ROOT_STATUS=$?
}

root_clean() {
	[[ -n ${ROOT_KEEP:-} ]] || rm -rf "$ROOT_SCRATCH"
}
