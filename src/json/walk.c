// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json/walk.h"

#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "json/doc.h"

const struct json_walk_limits json_walk_default_limits = {
	.depth = JSON_LIMIT_WALK_DEPTH,
	.leaves = JSON_LIMIT_WALK_LEAVES,
	.name_bytes = JSON_LIMIT_WALK_NAME_BYTES,
};

struct walk {
	struct json_walk_limits limits;
	json_leaf_fn fn;
	void *context;
	struct strbuf path;
	uint64_t name_bytes;
	struct json_walk_report report;
};

static void push_step(struct walk *w, const struct json_iter *at)
{
	if (w->path.n)
		strbuf_append_char(&w->path, '.');
	if (at->key.at)
		strbuf_append_bytes(&w->path, at->key.at, at->key.n);
	else
		strbuf_appendf(&w->path, "%zu", at->index);
}

static struct error *give_leaf(struct walk *w, const struct json_value *number)
{
	struct json_leaf leaf = {
		.name = { strbuf_str(&w->path), w->path.n },
		.text = json_number_text(number),
	};

	if (!json_get_double(number, &leaf.value))
		return NULL;
	if (w->report.leaves >= w->limits.leaves ||
	    leaf.name.n > w->limits.name_bytes - w->name_bytes) {
		w->report.dropped++;
		return NULL;
	}
	w->report.leaves++;
	w->name_bytes += leaf.name.n;
	return w->fn(w->context, &leaf);
}

/* Recursion ends at limits.depth, which the parser's nesting limit bounds again. */
static struct error *walk_container(struct walk *w, const struct json_value *container,
				    unsigned int depth)
{
	struct json_iter it = json_iter_over(container);
	size_t prefix = w->path.n;
	struct error *err = NULL;

	if (depth > w->limits.depth) {
		w->report.truncated = true;
		return NULL;
	}
	while (!err && json_iter_next(&it)) {
		enum json_type type = json_type_of(it.value);

		if (type != JSON_NUMBER && type != JSON_ARRAY && type != JSON_OBJECT)
			continue;
		push_step(w, &it);
		err = type == JSON_NUMBER ? give_leaf(w, it.value)
					  : walk_container(w, it.value, depth + 1);
		w->path.n = prefix;
	}
	return err;
}

static struct error *give_sentinel(struct walk *w, const char *name, uint64_t value)
{
	_cleanup_free_ char *text = xasprintf("%llu", (unsigned long long)value);
	struct json_leaf leaf = {
		.name = { name, strlen(name) },
		.value = (double)value,
		.text = { text, strlen(text) },
	};

	return w->fn(w->context, &leaf);
}

struct error *json_walk_leaves(const struct json_value *root, const struct json_walk_limits *limits,
			       json_leaf_fn fn, void *context, struct json_walk_report *ret)
{
	struct walk w = {
		.limits = limits ? *limits : json_walk_default_limits,
		.fn = fn,
		.context = context,
	};
	struct error *err = walk_container(&w, root, 1);

	strbuf_deinit(&w.path);
	if (!err && w.report.truncated)
		err = give_sentinel(&w, JSON_WALK_TRUNCATED, w.limits.depth);
	if (!err && w.report.dropped)
		err = give_sentinel(&w, JSON_WALK_DROPPED, w.report.dropped);
	if (!err && ret)
		*ret = w.report;
	return err;
}
