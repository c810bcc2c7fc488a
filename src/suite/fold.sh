#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fold.sh OUT SCRATCH OURS OTHERS: all of OURS and what it needs of OTHERS, as one archive
# with one object, in which nothing is visible but main and ktstr_*.
set -eu
out=$1 scratch=$2 ours=$3 others=$4
mkdir -p "$scratch"
"${LD:-ld}" -r -o "$scratch/all.o" --whole-archive "$ours" --no-whole-archive "$others"
"${OBJCOPY:-objcopy}" --wildcard --keep-global-symbol=main --keep-global-symbol='ktstr_*' \
	"$scratch/all.o" "$scratch/ktstr.o"
rm -f "$out"
"${AR:-ar}" rcD "$out" "$scratch/ktstr.o"
"${RANLIB:-ranlib}" -D "$out"
