# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A real program on Debian's jemalloc, unpacked: installing it would start a
# service. It runs with LD_LIBRARY_PATH set to its own library directory.

make_redis() {
	local product=$2 wanted=(redis-server redis-tools) round
	download redis apt_unpack "$product" "${wanted[@]}"
	# The libraries those packages depend on, then theirs, until none is missing.
	for round in 1 2 3 4; do
		mapfile -t wanted < <(redis_libraries_of "${wanted[@]}")
		[[ ${#wanted[@]} -eq 0 ]] || download redis apt_unpack "$product" "${wanted[@]}"
		redis_missing "$product" || break
		[[ $round -lt 4 ]]
	done
	rm -rf "${product:?}"/{etc,lib,usr/share,var}
}

redis_libraries_of() {
	apt_cache depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$@" |
		awk '$1 ~ /Depends:$/ && $2 ~ /^(lib|lua)/ && $2 !~ /^(libc6|libgcc-s1)$/ { print $2 }' | sort -u
}

# Succeeds while a library is missing.
redis_missing() {
	local libraries
	libraries=$(LD_LIBRARY_PATH=$(echo "$1"/usr/lib/*-linux-gnu) ldd "$1/usr/bin/redis-server" "$1/usr/bin/redis-cli" "$1/usr/bin/redis-benchmark")
	grep 'not found' <<<"$libraries"
}
