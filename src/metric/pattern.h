/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that differ only in numbers made one. A name is cut at `. - _ / : @ + [ ]` and blanks,
 * which stay as they are; each token between them becomes, by the first rule that fits:
 *
 *	{U}           a whole UUID of five tokens joined by `-` or by `_`, behind letters, too:
 *	              podbd1cf2d2_96a5_4a5e_9a0a_5c2d6b9d0b54 is pod{U}
 *	{H}           12 or more hexadecimal digits with a letter among them, or more digits than
 *	              a 64-bit number has: ids of containers, build ids, checksums
 *	{N}           digits
 *	{H}           2 or more of 0-9a-f with a digit among them
 *	letters{N}    letters, then digits
 *	{N}letters    digits, then letters
 *	unchanged     anything else
 */
#ifndef KTSTR_METRIC_PATTERN_H
#define KTSTR_METRIC_PATTERN_H

#include "base/strbuf.h"

void metric_pattern_format(const char *name, struct strbuf *into);

#endif
