/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values through the writer of the room json. */
#ifndef KTSTR_TESTS_BTF_JSON_SINK_H
#define KTSTR_TESTS_BTF_JSON_SINK_H

#include "btf/value_write.h"
#include "json/writer.h"

static void sink_begin_object(void *context)
{
	json_begin_object(context);
}

static void sink_end_object(void *context)
{
	json_end_object(context);
}

static void sink_begin_array(void *context)
{
	json_begin_array(context);
}

static void sink_end_array(void *context)
{
	json_end_array(context);
}

static void sink_key(void *context, const char *key)
{
	json_key(context, key);
}

static void sink_null(void *context)
{
	json_write_null(context);
}

static void sink_bool(void *context, bool value)
{
	json_write_bool(context, value);
}

static void sink_u64(void *context, uint64_t value)
{
	json_write_u64(context, value);
}

static void sink_i64(void *context, int64_t value)
{
	json_write_i64(context, value);
}

static void sink_double(void *context, double value)
{
	json_write_double(context, value);
}

static void sink_string(void *context, const char *text)
{
	json_write_string(context, text);
}

static const struct value_sink json_sink = {
	sink_begin_object, sink_end_object, sink_begin_array, sink_end_array,
	sink_key,	   sink_null,	    sink_bool,	      sink_u64,
	sink_i64,	   sink_double,	    sink_string,
};

static inline void value_write_json(const struct value_tree *tree, const struct value_node *node,
				    struct strbuf *out)
{
	struct json_writer w = json_writer_to(out, JSON_COMPACT);

	value_write(tree, node, &json_sink, &w);
}

#endif
