# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A private apt beside the system's, for tools. What it consists of is the product's own
# src/kernel/private_apt.sh.
#
# The mirror is whatever the system uses: its sources are read into private
# lists, and the archive that calls itself Debian is the one.

# shellcheck source=../../src/kernel/private_apt.sh
. "$LIB/../../src/kernel/private_apt.sh"

apt_init() {
	APT_DIR=$CACHE/apt/$OS_ID-$OS_VERSION-$OS_ARCH
	APT_MIRROR=
	APT_KEYRING=
	APT_SECURITY=
	mkdir -p "$APT_DIR"
	apt_write_conf system ""
	apt_write_conf private "$(private_apt_sources_only "$APT_DIR/private.sources")"
}

# apt_write_conf NAME MORE: for tools that also install.
apt_write_conf() {
	private_apt_conf "$APT_DIR" "$1" "APT::Get::Assume-Yes \"true\"; APT::Install-Recommends \"false\";
		DPkg::Lock::Timeout \"600\"; $2"
}

# Many may read the lists at once; while they are renewed, none.
apt_get() { flock -o -s "$APT_DIR/lock" apt-get -c "$APT_DIR/private.conf" "$@"; }
apt_cache() { flock -o -s "$APT_DIR/lock" apt-cache -c "$APT_DIR/private.conf" "$@"; }

apt_discover() {
	local targets uri codename suite entry origin security=
	# A third-party source that fails is no concern of ours.
	apt-get -c "$APT_DIR/system.conf" update || true
	targets=$(private_apt_targets "$APT_DIR/system.conf")
	printf '%s\n' "$targets"
	# shellcheck disable=SC2034 # the suite's name is for others
	while read -r uri codename suite entry origin; do
		[[ $origin == Debian ]] || continue
		case $codename in
		*-security) security=$uri ;;
		"$OS_CODENAME")
			APT_MIRROR=$uri
			APT_KEYRING=$(private_apt_keys "$entry")
			;;
		*) APT_MIRROR=${APT_MIRROR:-$uri} ;;
		esac
	done <<<"$targets"
	if [[ -z $APT_MIRROR ]]; then
		echo "no source of the system's apt configuration is a Debian archive that answers"
		return 1
	fi
	APT_KEYRING=${APT_KEYRING:-$(private_apt_keys "")}
	printf '%s\n' "$APT_MIRROR" "$APT_KEYRING" "$security" >"$APT_DIR/mirror"
	{
		apt_stanza "deb deb-src" "$APT_MIRROR" "$OS_CODENAME $OS_CODENAME-updates $OS_CODENAME-backports"
		[[ -z $security ]] || apt_stanza "deb deb-src" "$security" "$OS_CODENAME-security"
		# Sources of packages that Debian 12 does not have at all.
		[[ $OS_CODENAME == trixie ]] || apt_stanza "deb-src" "$APT_MIRROR" "trixie"
	} >"$APT_DIR/private.sources"
}

apt_stanza() { private_apt_stanza "$@" "$APT_KEYRING"; }

apt_sources_key() {
	{
		cat "$LIB/apt.sh" "$LIB/../../src/kernel/private_apt.sh" /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true
	} | sha256sum
}

# Chained, because errexit is off where a caller tests the result.
apt_do_refresh() {
	apt_discover &&
		apt-get -c "$APT_DIR/private.conf" update &&
		apt_sources_key >"$APT_DIR/fresh"
}

# apt_refresh [force]: lists not older than a day and of the present sources.
apt_refresh() {
	local lock
	exec {lock}>"$APT_DIR/lock"
	flock "$lock"
	if [[ ${1:-} == force || -z $(find "$APT_DIR/fresh" -mmin -1440 2>/dev/null) ||
		$(cat "$APT_DIR/fresh") != "$(apt_sources_key)" ]]; then
		apt_renew
	fi
	exec {lock}>&-
	apt_mirror_load
}

# Without a network, lists that we have are better than none.
apt_renew() {
	if [[ ! -e $APT_DIR/fresh ]]; then
		step "reading package lists" apt_do_refresh
	else
		say "refreshing package lists"
		(apt_do_refresh) >>"$LOG" 2>&1 ||
			say "that failed (see $LOG); going on with the lists of $(date -r "$APT_DIR/fresh" +%F)"
	fi
}

apt_mirror_load() {
	{
		read -r APT_MIRROR
		read -r APT_KEYRING
		read -r APT_SECURITY
	} <"$APT_DIR/mirror"
}

# apt_source_version NAME SUITE: newest version of a source package in SUITE.
apt_source_version() {
	local version
	version=$(apt_source_versions "$@")
	if [[ -z $version ]]; then
		apt_refresh force
		version=$(apt_source_versions "$@")
	fi
	[[ -n $version ]] || die "the package lists have no source package $1 in $2"
	printf '%s\n' "$version"
}

# madison prints "name | version | URI suite/component Sources".
apt_source_versions() {
	apt_cache madison "$1" 2>/dev/null |
		awk -F ' *[|] *' -v suite="$2" '$3 ~ " " suite "(-updates|-security)?/[^ ]* Sources$" { print $2 }' |
		sort -V | tail -n 1
}

apt_candidate() { apt_cache policy "$1" | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'; }

# apt_source NAME VERSION: the upstream tarball and, where the mirror has it,
# Debian's changes, unpacked into ./source. apt checks each file against the
# signed index, so the .dsc (which says the same once more) is not needed.
apt_source() {
	local tarball changes patch
	apt_get -qq source --download-only --tar-only "$1=$2"
	apt_get -qq source --download-only --diff-only "$1=$2" || echo "no Debian changes to be had for $1 $2"
	tarball=$(find . -maxdepth 1 -name '*.orig.tar.*' ! -name '*.asc')
	changes=$(find . -maxdepth 1 -name '*.debian.tar.*')
	mkdir source
	tar -xf "$tarball" -C source --strip-components=1 --no-same-owner
	[[ -n $changes ]] || return 0
	tar -xf "$changes" -C source --no-same-owner
	[[ -e source/debian/patches/series ]] || return 0
	while read -r patch _; do
		[[ -z $patch || $patch == \#* ]] || patch -d source -p1 -f <"source/debian/patches/$patch"
	done <source/debian/patches/series
}

# apt_unpack ROOT PACKAGE...: binary packages unpacked, not installed.
apt_unpack() {
	local root=$1 work deb
	shift
	work=$(mktemp -d "$APT_DIR/unpack.XXXXXX")
	(cd "$work" && apt_get -qq download "$@")
	for deb in "$work"/*.deb; do
		dpkg-deb -x "$deb" "$root"
	done
	rm -rf "$work"
}
