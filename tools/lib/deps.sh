# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Parts that no package of the release offers in the form we need, made from
# Debian's packages into the cache and copied into build/deps.

DEPS=$TREE/build/deps

# What each must have brought, also the quick test that it is still there.
DEPS_FILES=(
	yyjson/include/yyjson.h
	yyjson/lib/libyyjson.a
	jemalloc/default/lib/libjemalloc.a
	jemalloc/default/lib/libjemalloc_pic.a
	jemalloc/default/lib/libjemalloc.so.2
	jemalloc/prefixed/lib/libjemalloc.a
	jemalloc/page64k/lib/libjemalloc.a
	jemalloc/dynamic-tls/lib/libjemalloc.so.2
	"jemalloc/debian/usr/lib/$(uname -m)-linux-gnu/libjemalloc.so.2"
	redis/usr/bin/redis-server
	redis/usr/bin/redis-cli
	redis/usr/bin/redis-benchmark
)

deps_key() {
	{
		cat "$LIB"/deps.sh "$LIB"/deps-*.sh
		printf '%s\n' "$OS_ID $OS_VERSION $OS_ARCH"
		gcc --version 2>/dev/null || echo "no gcc"
	} | sha256sum | cut -c1-12
}

deps_missing() {
	local file
	for file in "${DEPS_FILES[@]}"; do
		[[ -e $DEPS/$file ]] || printf 'build/deps/%s\n' "$file"
	done
	[[ $(cat "$DEPS/.made-from" 2>/dev/null) == "$(deps_key)" ]] || echo "build/deps of the present recipes"
}

deps_meet() {
	cache_lock lock
	apt_init
	apt_refresh
	mkdir -p "$CACHE/deps"
	# Left by a set-up that was killed, or placed nowhere for a month.
	find "$CACHE/deps" -mindepth 1 -maxdepth 1 \( -name '.making.*' -mtime +0 -o -mtime +30 \) -exec rm -rf {} +
	deps_one yyjson "$(apt_source_version yyjson trixie)"
	deps_one jemalloc "$(apt_source_version jemalloc "$OS_CODENAME")"
	deps_one redis "$(apt_candidate redis-server)"
	cache_unlock
	deps_key >"$DEPS/.made-from"
}

# deps_one NAME VERSION: in the cache (made if need be), then in the tree.
deps_one() {
	local name=$1 version=$2 recipe=$LIB/deps-$1.sh product making
	[[ -n $version ]] || die "the package lists have no $name"
	product=$CACHE/deps/$name-${version//[:\/]/_}-$({
		cat "$recipe"
		printf '%s\n' "$OS_ID $OS_VERSION $OS_ARCH"
		gcc --version
	} | sha256sum | cut -c1-12)
	if [[ ! -d $product ]]; then
		# shellcheck source=/dev/null
		. "$recipe"
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
	"make_$1" "$2" "$3/product"
	chmod -R u+w,go+rX "$3/product"
}

# Copies, so that clearing the cache or the tree never breaks the other.
deps_place() {
	mkdir -p "$DEPS"
	rm -rf "$DEPS/.$1.new"
	cp -a --reflink=auto "$2" "$DEPS/.$1.new"
	rm -rf "${DEPS:?}/$1"
	mv -T "$DEPS/.$1.new" "$DEPS/$1"
}
