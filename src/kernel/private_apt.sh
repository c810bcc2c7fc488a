# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# A private apt beside the system's: own lists, cache and sources; the system's mirror, keys,
# proxies and dpkg status. Works as root and as an ordinary user, and writes nothing outside the
# directory it is given. ktstr carries these functions in itself and calls private_apt_renew;
# tools/lib/apt.sh uses the others.

private_apt_fail() {
	echo "E: $1" >&2
	return 1
}

# private_apt_conf DIR NAME [MORE]: makes DIR/NAME.conf and the directories it names.
#
# Hooks of the system's apt (package-kit, cache cleaners) are for the system's lists and fail for
# ordinary users; the download user cannot enter a home directory. A suite may be renamed by a
# release of Debian. Renamed into place: another tool may be reading it.
private_apt_conf() {
	case $1 in
	*[\"\\\;]* | *'
'*) private_apt_fail "the cache's path $1 has characters that apt cannot take" || return 1 ;;
	esac
	mkdir -p "$1/$2/lists/partial" "$1/$2/cache/archives/partial" || return 1
	private_apt_new=$(mktemp "$1/.conf.XXXXXX") || return 1
	cat >"$private_apt_new" <<-EOF
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		Dir::State::lists "$1/$2/lists";
		Dir::Cache "$1/$2/cache";
		Dir::Cache::archives "archives";
		Dir::Cache::pkgcache "pkgcache.bin";
		Dir::Cache::srcpkgcache "srcpkgcache.bin";
		APT::Sandbox::User "root";
		APT::Default-Release "";
		Acquire::AllowReleaseInfoChange "true";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		${3-}
	EOF
	chmod 644 "$private_apt_new"
	mv "$private_apt_new" "$1/$2.conf"
}

# private_apt_sources_only FILE: what to give private_apt_conf so that FILE is all it reads.
private_apt_sources_only() { printf 'Dir::Etc::sourcelist "%s"; Dir::Etc::sourceparts "-";' "$1"; }

# private_apt_targets CONF: a line "URI CODENAME SUITE ENTRY ORIGIN" per list of packages.
# shellcheck disable=SC2016 # apt expands these
private_apt_targets() {
	apt-get -c "$1" -q indextargets --format '$(REPO_URI) $(CODENAME) $(SUITE) $(SOURCESENTRY) $(ORIGIN)' \
		'Created-By: Packages'
}

# private_apt_keys ENTRY: the file of keys that the system names at ENTRY ("file:line"), else
# Debian's own, else nothing: apt then takes the keys it trusts anyway. The line of a .sources
# file is that of the stanza's start or of its first field; keys inside the file are no path.
private_apt_keys() {
	private_apt_found=
	case $1 in
	*.sources:*) private_apt_found=$(tail -n "+${1##*:}" "${1%:*}" 2>/dev/null | sed '/^[[:space:]]*$/q' |
		sed -n 's/^[Ss]igned-[Bb]y:[[:space:]]*\(\/[^[:space:]]*\).*/\1/p;') ;;
	*:*) private_apt_found=$(sed -n "${1##*:}{s/.*signed-by=\(\/[^] ,]*\).*/\1/p;}" "${1%:*}" 2>/dev/null) || : ;;
	esac
	for private_apt_file in /usr/share/keyrings/debian-archive-keyring.gpg \
		/usr/share/keyrings/debian-archive-keyring.pgp; do
		[ -n "$private_apt_found" ] || [ ! -r "$private_apt_file" ] || private_apt_found=$private_apt_file
	done
	printf '%s\n' "$private_apt_found"
}

# private_apt_stanza TYPES URI SUITES KEYS
private_apt_stanza() {
	printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\n' "$1" "$2" "$3"
	[ -z "$4" ] || printf 'Signed-By: %s\n' "$4"
	echo
}

# private_apt_next SUITE: the release after it. Names of suites move with every release of Debian, so
# nothing here grows old.
private_apt_next() {
	case $1 in
	oldoldstable) echo oldstable ;;
	oldstable) echo stable ;;
	stable) echo testing ;;
	esac
}

# private_apt_probe DIR MIRROR SUITE: the codename of a suite, if the mirror has it. Some suites
# exist on some mirrors only, and those of the next release only after a while. Caches on the way
# keep "stable" apart from the name it has for good, so that name is asked for.
private_apt_probe() {
	rm -f "$1/probe"
	if /usr/lib/apt/apt-helper -c "$1/system.conf" download-file "${2%/}/dists/$3/InRelease" "$1/probe" >/dev/null 2>&1; then
		private_apt_found=$(sed -n 's/^Codename: //p;' "$1/probe" | head -n 1)
		case $private_apt_found in
		'' | .* | *[!A-Za-z0-9+._~-]*) echo "$3" ;;
		*) echo "$private_apt_found" ;;
		esac
	fi
	rm -f "$1/probe"
}

# private_apt_add URI SUITE KEYS: a stanza, unless there is one already.
private_apt_add() {
	case " $private_apt_seen " in
	*" $1|$2 "*) return 0 ;;
	esac
	private_apt_seen="$private_apt_seen $1|$2"
	private_apt_stanza deb "$@"
}

# private_apt_debian CODENAME <targets: stanzas of the system's Debian suites, each once; kernels are in
# main. Sets private_apt_uri and private_apt_signed_by to the archive that has CODENAME, and
# private_apt_after to the release after it.
private_apt_debian() {
	private_apt_uri='' private_apt_signed_by='' private_apt_after='' private_apt_seen=''
	while read -r uri name suite entry origin; do
		case $origin in
		Debian | 'Debian Backports') ;;
		*) continue ;;
		esac
		# apt leaves what it does not know unexpanded: "$(SUITE)".
		case $uri$name$suite$entry in
		*[\$\"\\\;]*) continue ;;
		esac
		keys=$(private_apt_keys "$entry")
		if [ -z "$private_apt_uri" ] && [ "$name" = "$1" ]; then
			private_apt_uri=$uri
			private_apt_signed_by=$keys
			private_apt_after=$(private_apt_next "$suite")
		fi
		private_apt_add "$uri" "$name" "$keys"
	done
}

# private_apt_unpack DIR: unpacks the packages of DIR/debs into DIR/tree. The kernel's image and its
# configuration, wherever they stand, become DIR/image and DIR/config: since 7.2 they are among the
# modules, where they would be kept twice. Packages go at once: a generic kernel is large enough.
private_apt_unpack() {
	for deb in "$1"/debs/*; do
		dpkg-deb -x "$deb" "$1/tree" || return 1
		rm -f "$deb" || return 1
	done
	find "$1/tree" -type f -name 'vmlinuz*' -exec mv {} "$1/image" \; -quit || return 1
	find "$1/tree" -type f '(' -name config -o -name 'config-*' ')' -exec mv {} "$1/config" \; -quit
}

# private_apt_renew DIR NAME [SUITE]...: fresh lists below DIR for NAME.conf: of the Debian suites
# that the system uses, of the backports to its release and to the one after it, and of each SUITE.
private_apt_renew() {
	dir=$1 conf=$2
	shift 2
	# shellcheck source=/dev/null
	codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}")
	[ -n "$codename" ] || private_apt_fail "/etc/os-release has no VERSION_CODENAME" || return 1
	private_apt_conf "$dir" system || return 1
	private_apt_conf "$dir" "$conf" "$(private_apt_sources_only "$dir/$conf.sources")" || return 1
	# A third-party source that fails is no concern of ours, so only the answer counts.
	complaint=$(apt-get -c "$dir/system.conf" -q update 2>&1 >/dev/null) && complaint=
	private_apt_targets "$dir/system.conf" >"$dir/targets" || return 1
	private_apt_debian "$codename" <"$dir/targets" >"$dir/$conf.new"
	rm -f "$dir/targets"
	if [ -z "$private_apt_uri" ]; then
		[ -z "$complaint" ] || echo "$complaint" >&2
		private_apt_fail "no source of the system's apt is a Debian archive with '$codename'" || return 1
	fi
	for suite in "$codename" $private_apt_after; do
		name=$(private_apt_probe "$dir" "$private_apt_uri" "$suite-backports")
		[ -z "$name" ] || private_apt_add "$private_apt_uri" "$name" "$private_apt_signed_by"
	done >>"$dir/$conf.new"
	for suite; do
		private_apt_add "$private_apt_uri" "$suite" "$private_apt_signed_by"
	done >>"$dir/$conf.new"
	mv "$dir/$conf.new" "$dir/$conf.sources" || return 1
	apt-get -c "$dir/$conf.conf" -q update || return 1
	: >"$dir/$conf.fresh"
}
