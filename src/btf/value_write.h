/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of values as objects and arrays of JSON, anywhere in a document that is being written. */
#ifndef KTSTR_BTF_VALUE_WRITE_H
#define KTSTR_BTF_VALUE_WRITE_H

#include "btf/value.h"
#include "json/writer.h"

/*
 * One object per node, with "kind" first; keys that do not apply are left out.
 *
 *	int uint     bits, value; of more than 64 bits "value" is a text of hexadecimal digits
 *	bool char    value
 *	float        bits, value
 *	enum         bits, value, variant (null: no name), is_signed
 *	struct       type_name (null: none), members [{name, value}], shown and total when cut
 *	array        len, elements [], shown when cut; or text; or all_zero
 *	cpu_list     cpus
 *	ptr          value ("0x…"), symbol, short, deref, deref_skipped_reason, cast_annotation, ref
 *	bytes        hex, len when cut
 *	truncated    needed, had, partial
 *	unsupported  reason
 *	unreadable   reason, len
 *	short        text
 *
 * "label" stands where a "ref" elsewhere leads to.
 */
void value_write(const struct value_tree *tree, const struct value_node *node,
		 struct json_writer *json);

#endif
