// SPDX-License-Identifier: LGPL-2.1-or-later
/* A trace: a line of JSON, then events as the plugin wrote them. Foreign bytes. */
#include <string.h>

#include "base/alloc.h"
#include "observe/events.h"

static const struct json_row value_rows[] = {
	{ JSON_SCALAR(struct observe_head_value, name), .presence = JSON_REQUIRED,
	  .means = "what the value is called" },
	{ JSON_SCALAR(struct observe_head_value, width), .presence = JSON_REQUIRED,
	  .limit = WIRE_OBSERVE_WIDTH, .means = "bytes; more than 8 are a text" },
};
static const struct json_rows value_table = { JSON_TABLE(value_rows) };

static const struct json_row hook_rows[] = {
	{ JSON_SCALAR(struct observe_head_hook, kind), .presence = JSON_REQUIRED,
	  .means = "the kind of event" },
	{ JSON_SCALAR(struct observe_head_hook, function), .presence = JSON_REQUIRED,
	  .means = "the kernel's function at whose beginning it is seen" },
	{ JSON_OBJECTS(struct observe_head_hook, values, &value_table), .presence = JSON_REQUIRED,
	  .limit = OBSERVE_LIMIT_VALUES, .means = "what is written down" },
};
static const struct json_rows hook_table = { JSON_TABLE(hook_rows) };

static const struct json_row head_rows[] = {
	{ JSON_SCALAR(struct observe_head, kernel), .presence = JSON_REQUIRED,
	  .means = "as uname -r says" },
	{ JSON_SCALAR(struct observe_head, blind), .means = "kinds that could not be observed" },
	{ JSON_NUMBERS(struct observe_head, cpus), .presence = JSON_REQUIRED,
	  .means = "by which address an event's CPU is known" },
	{ JSON_OBJECTS(struct observe_head, hooks, &hook_table), .presence = JSON_REQUIRED,
	  .limit = WIRE_OBSERVE_HOOKS, .means = "what was observed" },
};
const struct json_rows observe_head_table = { JSON_TABLE(head_rows), .version_name = "ktstr_trace",
					      .version = 1 };

struct observe_trace {
	struct observe_head head;
	struct bytes bytes;
	size_t at;
};

struct error *observe_trace_open(struct bytes bytes, struct observe_trace **ret)
{
	const uint8_t *end = bytes.n ? memchr(bytes.at, '\n', bytes.n) : NULL;
	struct observe_trace *trace;
	struct error *err;

	if (!end || bytes.at[0] != '{')
		return observe_error(OBSERVE_TRACE, 0, "a trace begins with a line of JSON");
	trace = xnew(struct observe_trace);
	*trace = (struct observe_trace){ .bytes = bytes, .at = (size_t)(end - bytes.at) + 1 };
	err = json_rows_parse(&observe_head_table, (const char *)bytes.at, trace->at, "the trace",
			      &trace->head);
	if (err) {
		observe_trace_free(trace);
		return error_recast(err, &observe_error_domain, OBSERVE_TRACE);
	}
	*ret = trace;
	return NULL;
}

void observe_trace_free(struct observe_trace *trace)
{
	if (!trace)
		return;
	json_rows_deinit(&observe_head_table, &trace->head);
	free(trace);
}

const char *observe_trace_blind(const struct observe_trace *trace)
{
	return trace->head.blind ? trace->head.blind : "";
}

static void read_cpu(const struct observe_trace *trace, uint64_t gs_base, struct observe_event *ret)
{
	for (size_t i = 0; i < trace->head.cpus.n; i++)
		if (trace->head.cpus.at[i] == gs_base) {
			ret->cpu = (uint32_t)i;
			ret->has_cpu = true;
			return;
		}
}

static void read_value(const struct observe_head_value *head, bool known, const uint8_t *at,
		       struct observe_value *ret)
{
	*ret = (struct observe_value){ .name = head->name,
				       .known = known,
				       .is_text = head->width > sizeof(ret->number) };
	if (known && ret->is_text)
		memcpy(ret->text, at, head->width);
	else if (known)
		memcpy(&ret->number, at, head->width);
}

struct error *observe_trace_next(struct observe_trace *trace, struct observe_event *ret,
				 bool *ret_got)
{
	const uint8_t *at = trace->bytes.at + trace->at;
	size_t left = trace->bytes.n - trace->at, used = sizeof(struct wire_observe_event);
	const struct observe_head_hook *hook;
	struct wire_observe_event raw;

	*ret_got = false;
	if (left == 0)
		return NULL;
	if (left < used)
		return observe_error(OBSERVE_TRACE, 0, "the trace ends in the middle of an event");
	memcpy(&raw, at, sizeof(raw));
	if (raw.hook >= trace->head.hooks.n || raw.bytes > left || raw.bytes < used)
		return observe_error(OBSERVE_TRACE, 0, "event %llu of the trace is damaged",
				     (unsigned long long)raw.sequence);
	hook = &trace->head.hooks.at[raw.hook];
	*ret = (struct observe_event){ .sequence = raw.sequence,
				       .time_ns = raw.time_ns,
				       .early_ns = raw.early_ns,
				       .kind = hook->kind };
	read_cpu(trace, raw.gs_base, ret);
	for (size_t i = 0; i < hook->values.n; i++) {
		size_t width = hook->values.at[i].width > 8 ? WIRE_OBSERVE_WIDTH : 8;

		if (raw.bytes < used + width)
			return observe_error(OBSERVE_TRACE, 0, "event %llu of the trace is short",
					     (unsigned long long)raw.sequence);
		read_value(&hook->values.at[i], !(raw.unreadable >> i & 1), at + used,
			   &ret->values[ret->n++]);
		used += width;
	}
	trace->at += raw.bytes;
	*ret_got = true;
	return NULL;
}
