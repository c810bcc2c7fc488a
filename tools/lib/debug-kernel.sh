# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Debug information of a kernel of the archive: chosen by rule, downloaded once, only vmlinux kept.

DEBUG_KERNELS=$CACHE/debug-kernels

# The lists of the system's own suites and of sid, where new kernels appear first.
debug_kernel_lists() {
	apt_init
	apt_refresh
	apt_write_conf debug "$(private_apt_sources_only "$APT_DIR/debug.sources")"
	{
		cat "$APT_DIR/private.sources"
		apt_stanza deb "$APT_MIRROR" sid
	} >"$APT_DIR/.debug.sources.$$"
	mv "$APT_DIR/.debug.sources.$$" "$APT_DIR/debug.sources"
	if [[ -z $(find "$APT_DIR/debug.fresh" -mmin -1440 2>/dev/null) ]]; then
		say "reading package lists"
		if debug_kernel_apt get -qq update >>"$LOG" 2>&1; then
			touch "$APT_DIR/debug.fresh"
		elif [[ ! -e $APT_DIR/debug.fresh ]]; then
			die "the package lists cannot be had (see $LOG)"
		fi
	fi
}

debug_kernel_apt() {
	local tool=$1
	shift
	"apt-$tool" -c "$APT_DIR/debug.conf" "$@"
}

# Names on standard input, releases on standard output, the newest first: those whose debug
# information and whose image are both there. Names without a patch level only point to others.
debug_kernel_releases() {
	sed -nE 's/^linux-image-([0-9]+\.[0-9]+\.[0-9][^ ]*-cloud-amd64)(-unsigned|-dbg)?( .*)?$/\1 \2/p' |
		sort -u | awk '{ has[$1] = has[$1] ($2 == "-dbg" ? "d" : "i") }
			END { for (r in has) if (has[r] ~ /d/ && has[r] ~ /i/) print r }' | sort -rV
}

debug_kernel_list() {
	debug_kernel_apt cache pkgnames linux-image- | debug_kernel_releases
}

# debug_kernel_choose [RELEASE]: sets DEBUG_RELEASE, the newest when none is named.
debug_kernel_choose() {
	local all
	all=$(debug_kernel_list)
	[[ -n $all ]] || die "the archive has no kernel with debug information"
	DEBUG_RELEASE=${1:-$(head -n 1 <<<"$all")}
	grep -qxF -- "$DEBUG_RELEASE" <<<"$all" || die "the archive has no debug information of $DEBUG_RELEASE"
}

# Several versions of one release may be there; an image and its debug information are of the
# newest of both, and the build-id tells whether that went well.
debug_kernel_download() {
	local making=$1
	cd "$making" || return
	debug_kernel_apt get -qq download "linux-image-$DEBUG_RELEASE-dbg"
	dpkg-deb --fsys-tarfile ./*.deb | tar -x --wildcards --no-same-owner "./usr/lib/debug/*/vmlinux*"
	mv "$(find usr -type f -name 'vmlinux*' | head -n 1)" vmlinux
	rm -rf usr ./*.deb
}

# debug_kernel_get: the vmlinux is in the cache; those that nobody asked for in a month go.
debug_kernel_get() {
	local making
	mkdir -p "$DEBUG_KERNELS"
	find "$DEBUG_KERNELS" -mindepth 1 -maxdepth 1 \( -name '.making.*' -o -mtime +30 \) -exec rm -rf {} +
	if [[ ! -e $DEBUG_KERNELS/$DEBUG_RELEASE/vmlinux ]]; then
		making=$(mktemp -d "$DEBUG_KERNELS/.making.XXXXXX")
		chmod 755 "$making"
		step "downloading debug information of $DEBUG_RELEASE (once, some 350 MB)" debug_kernel_download "$making"
		mv -T "$making" "$DEBUG_KERNELS/$DEBUG_RELEASE"
	fi
	touch "$DEBUG_KERNELS/$DEBUG_RELEASE"
}
