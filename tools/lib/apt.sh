# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A private apt beside the system's: own lists, cache and sources; the system's
# keys, proxies and dpkg status. Works as root and as an ordinary user, and
# writes nothing outside the cache directory.
#
# The mirror is whatever the system uses: its sources are read into private
# lists, and the archive that calls itself Debian is the one.

apt_init() {
	APT_DIR=$CACHE/apt/$OS_ID-$OS_VERSION-$OS_ARCH
	APT_MIRROR=
	APT_KEYRING=
	APT_SECURITY=
	mkdir -p "$APT_DIR"
	apt_write_conf system ""
	apt_write_conf private "Dir::Etc::sourcelist \"$APT_DIR/private.sources\"; Dir::Etc::sourceparts \"-\";"
}

# Hooks of the system's apt (package-kit, cache cleaners) are for the system's
# lists and fail for ordinary users; the download user cannot enter a home
# directory. Renamed into place: another tool may be reading it.
apt_write_conf() {
	local new
	mkdir -p "$APT_DIR/$1/lists/partial" "$APT_DIR/$1/cache/archives/partial"
	new=$(mktemp "$APT_DIR/.conf.XXXXXX")
	cat >"$new" <<-EOF
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		Dir::State::lists "$APT_DIR/$1/lists";
		Dir::Cache "$APT_DIR/$1/cache";
		Dir::Cache::archives "archives";
		Dir::Cache::pkgcache "pkgcache.bin";
		Dir::Cache::srcpkgcache "srcpkgcache.bin";
		APT::Sandbox::User "root";
		APT::Default-Release "";
		APT::Get::Assume-Yes "true";
		APT::Install-Recommends "false";
		Acquire::Languages "none";
		Acquire::Retries "3";
		DPkg::Lock::Timeout "600";
		$2
	EOF
	mv "$new" "$APT_DIR/$1.conf"
}

# Many may read the lists at once; while they are renewed, none.
apt_get() { flock -o -s "$APT_DIR/lock" apt-get -c "$APT_DIR/private.conf" "$@"; }
apt_cache() { flock -o -s "$APT_DIR/lock" apt-cache -c "$APT_DIR/private.conf" "$@"; }

# apt_signed_by SOURCES-ENTRY: the keyring file the system names there, if any.
apt_signed_by() {
	local file=${1%:*} line=${1##*:}
	case $file in
	*.list) sed -n "${line}{s/.*signed-by=\([^] ,]*\).*/\1/p}" "$file" ;;
	# The number is that of the stanza's start or of its first field.
	*.sources) tail -n "+$line" "$file" | sed '/^[[:space:]]*$/q' |
		sed -n 's/^[Ss]igned-[Bb]y:[[:space:]]*\(\/[^[:space:]]*\).*/\1/p' ;;
	esac
}

apt_discover() {
	local targets uri origin codename entry security=
	# A third-party source that fails is no concern of ours.
	apt-get -c "$APT_DIR/system.conf" update || true
	# shellcheck disable=SC2016 # apt expands these
	targets=$(apt-get -c "$APT_DIR/system.conf" indextargets \
		--format '$(REPO_URI) $(ORIGIN) $(CODENAME) $(SOURCESENTRY)' 'Created-By: Packages')
	printf '%s\n' "$targets"
	while read -r uri origin codename entry; do
		[[ $origin == Debian ]] || continue
		case $codename in
		*-security) security=$uri ;;
		"$OS_CODENAME")
			APT_MIRROR=$uri
			APT_KEYRING=$(apt_signed_by "$entry")
			;;
		*) APT_MIRROR=${APT_MIRROR:-$uri} ;;
		esac
	done <<<"$targets"
	if [[ -z $APT_MIRROR ]]; then
		echo "no source of the system's apt configuration is a Debian archive that answers"
		return 1
	fi
	local candidate
	for candidate in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		[[ -z $APT_KEYRING && -r $candidate ]] && APT_KEYRING=$candidate
	done
	printf '%s\n' "$APT_MIRROR" "$APT_KEYRING" "$security" >"$APT_DIR/mirror"
	{
		apt_stanza "deb deb-src" "$APT_MIRROR" "$OS_CODENAME $OS_CODENAME-updates $OS_CODENAME-backports"
		[[ -z $security ]] || apt_stanza "deb deb-src" "$security" "$OS_CODENAME-security"
		# Sources of packages that Debian 12 does not have at all.
		[[ $OS_CODENAME == trixie ]] || apt_stanza "deb-src" "$APT_MIRROR" "trixie"
	} >"$APT_DIR/private.sources"
}

apt_stanza() {
	printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\n' "$@"
	[[ -z $APT_KEYRING ]] || printf 'Signed-By: %s\n' "$APT_KEYRING"
	echo
}

apt_sources_key() {
	{
		cat "$LIB/apt.sh" /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true
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
