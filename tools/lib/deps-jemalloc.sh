# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# jemalloc as real programs carry it: Debian's own stripped library, and builds
# of Debian's source with debug information in configurations that differ in
# what a reader of its thread-local data can see.

# name, then configure's arguments beyond those of Debian's build. Programs are linked with "default"; the others are for tests.
JEMALLOC_OTHERS=(
	# As language runtimes embed it: public and private names prefixed.
	"prefixed --with-jemalloc-prefix=je_ --with-private-namespace=app_"
	# More size classes fit under the thread cache: another TLS size.
	"page64k --with-lg-page=16"
	# Its storage may come anywhere: what a library loaded at run time has.
	"dynamic-tls --disable-initial-exec-tls"
)

make_jemalloc() {
	download jemalloc apt_source jemalloc "$1"
	jemalloc_variant "$2" default
}

# The variants are made at the same time (configure alone uses one core), each
# with a log of its own. xargs and not "&": an interrupt must reach them.
make_jemalloc_others() {
	local version=$1 product=$2
	download jemalloc apt_source jemalloc "$version"
	mkdir "$product/debian"
	download libjemalloc2 apt_unpack "$product/debian" libjemalloc2
	export -f jemalloc_variant
	# shellcheck disable=SC2016 # expanded by the inner shell
	printf '%s\n' "${JEMALLOC_OTHERS[@]}" | PRODUCT=$product xargs -P 0 -L 1 \
		bash -ec 'exec >"$1.log" 2>&1; jemalloc_variant "$PRODUCT" "$@"' make-variant || {
		tail -n 15 ./*.log
		return 1
	}
}

# --disable-cxx: a C program then links libjemalloc.a without libstdc++, and the
# result does not depend on whether a C++ compiler is installed. The rest is
# what debian/rules passes on amd64. -g2: configure adds -g3, whose macros make
# the libraries three times as large.
jemalloc_variant() {
	local product=$1 name=$2
	shift 2
	cp -a source "$name"
	cd "$name" || exit
	CC=gcc CFLAGS="-g2 -O2 -ffile-prefix-map=$PWD=jemalloc" ./configure --prefix=/ \
		--with-version=VERSION --with-lg-page=12 --with-lg-hugepage=21 --enable-prof \
		--disable-cxx --disable-doc "$@"
	make -j"$(nproc)" build_lib_static build_lib_shared
	make install_lib install_include DESTDIR="$product/$name/"
	rm -rf "$product/$name/lib/pkgconfig"
}
