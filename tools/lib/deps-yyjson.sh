# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# yyjson is one C file. Hidden symbols, because it is folded into libktstr.a
# and a test author may link a yyjson of their own.

make_yyjson() {
	local version=$1 product=$2
	download yyjson apt_source yyjson "$version"
	mkdir -p "$product/include" "$product/lib"
	gcc -std=gnu11 -O2 -g -fPIC -fvisibility=hidden -ffile-prefix-map="$PWD/source=yyjson" \
		-c source/src/yyjson.c -o yyjson.o
	ar rcs "$product/lib/libyyjson.a" yyjson.o
	cp source/src/yyjson.h "$product/include/"
	cp source/LICENSE "$product/"
}
