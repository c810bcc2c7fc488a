# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Parts that no package of the release offers in the form we need, made from
# Debian's packages into the cache and copied into build/deps.

DEPS=$TREE/build/deps

# Each part: the least purpose that needs it, its name, and files that it must have brought, which are also the
# quick test that it is still there. A part a-b is made by the recipe of a, and placed beside it.
DEPS_PARTS=(
	"demo yyjson yyjson/include/yyjson.h yyjson/lib/libyyjson.a"
	"build jemalloc jemalloc/default/lib/libjemalloc.a jemalloc/default/lib/libjemalloc_pic.a jemalloc/default/lib/libjemalloc.so.2"
	"test jemalloc-others jemalloc/prefixed/lib/libjemalloc.a jemalloc/page64k/lib/libjemalloc.a
		jemalloc/dynamic-tls/lib/libjemalloc.so.2 jemalloc/debian/usr/lib/$(uname -m)-linux-gnu/libjemalloc.so.2"
	"test redis redis/usr/bin/redis-server redis/usr/bin/redis-cli redis/usr/bin/redis-benchmark"
)

# deps_parts PURPOSE: "name file..." of what it needs.
deps_parts() {
	local purpose part
	for purpose in demo build test; do
		for part in "${DEPS_PARTS[@]}"; do
			# Unquoted: words, on one line.
			# shellcheck disable=SC2086
			[[ $part != "$purpose "* ]] || echo ${part#* }
		done
		[[ $purpose != "$1" ]] || return 0
	done
}

# deps_key NAME: what it is made from.
deps_key() {
	{
		cat "$LIB/deps-${1%%-*}.sh"
		printf '%s\n' "$OS_ID $OS_VERSION $OS_ARCH"
		gcc --version 2>/dev/null || echo "no gcc"
	} | sha256sum | cut -c1-12
}

deps_missing() {
	local name files file
	while read -r name files; do
		for file in $files; do
			[[ -e $DEPS/$file ]] || printf 'build/deps/%s\n' "$file"
		done
		[[ $(cat "$DEPS/.$name.made-from" 2>/dev/null) == "$(deps_key "$name")" ]] || echo "build/deps/$name of the present recipe"
	done < <(deps_parts "$1")
}

deps_version() {
	case $1 in
	yyjson) apt_source_version yyjson trixie ;;
	jemalloc*) apt_source_version jemalloc "$OS_CODENAME" ;;
	redis) apt_candidate redis-server ;;
	esac
}

deps_meet() {
	local name
	cache_lock lock
	apt_init
	download "package lists" apt_refresh
	mkdir -p "$CACHE/deps"
	# Left by a set-up that was killed, or placed nowhere for a month.
	find "$CACHE/deps" -mindepth 1 -maxdepth 1 \( -name '.making.*' -mtime +0 -o -mtime +30 \) -exec rm -rf {} +
	while read -r name _; do
		deps_one "$name" "$(deps_version "$name")"
	done < <(deps_parts "$1")
	cache_unlock
}

# deps_one NAME VERSION: in the cache (made if need be), then in the tree.
deps_one() {
	local name=$1 version=$2 product making
	[[ -n $version ]] || die "the package lists have no $name"
	product=$CACHE/deps/$name-${version//[:\/]/_}-$(deps_key "$name")
	if [[ ! -d $product ]]; then
		# shellcheck source=/dev/null
		. "$LIB/deps-${name%%-*}.sh"
		making=$(mktemp -d "$CACHE/deps/.making.$name.XXXXXX")
		mkdir "$making/product" "$making/work"
		step "making $name $version" deps_make "$name" "$version" "$making"
		mv -T "$making/product" "$product"
		rm -rf "$making"
	fi
	touch "$product"
	step "placing $name $version in build/deps" deps_place "$name" "$product"
}

deps_make() {
	cd "$3/work" || exit
	"make_${1//-/_}" "$2" "$3/product"
	chmod -R u+w,go+rX "$3/product"
}

# Copies, so that clearing the cache or the tree never breaks the other. Parts of one recipe share a directory.
deps_place() {
	local place=$DEPS/${1%%-*} entry
	mkdir -p "$place"
	rm -rf "$DEPS/.new"
	cp -a --reflink=auto "$2" "$DEPS/.new"
	for entry in "$DEPS/.new"/*; do
		rm -rf "${place:?}/${entry##*/}"
		mv -T "$entry" "$place/${entry##*/}"
	done
	rm -rf "$DEPS/.new"
	deps_key "$1" >"$DEPS/.$1.made-from"
}
