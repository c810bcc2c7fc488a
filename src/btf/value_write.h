/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tree of values as objects and arrays, for JSON. This room stands below the one that writes
 * JSON, so what is written goes through a table of calls; they are those of json/writer.h, one to
 * one, and the tree can be put anywhere in a document that is being written.
 */
#ifndef KTSTR_BTF_VALUE_WRITE_H
#define KTSTR_BTF_VALUE_WRITE_H

#include "btf/value.h"

struct value_sink {
	void (*begin_object)(void *context);
	void (*end_object)(void *context);
	void (*begin_array)(void *context);
	void (*end_array)(void *context);
	void (*key)(void *context, const char *key);
	void (*write_null)(void *context);
	void (*write_bool)(void *context, bool value);
	void (*write_u64)(void *context, uint64_t value);
	void (*write_i64)(void *context, int64_t value);
	void (*write_double)(void *context, double value);
	/* May hold anything but NUL: bytes of guests are no UTF-8. */
	void (*write_string)(void *context, const char *text);
};

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
		 const struct value_sink *sink, void *context);

#endif
