/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside the room: where kinds of events are seen, and what is written down there. */
#ifndef KTSTR_OBSERVE_EVENTS_H
#define KTSTR_OBSERVE_EVENTS_H

#include "base/vec.h"
#include "json/rows.h"
#include "kmem/kmem.h"
#include "observe/observe.h"
#include "wire/observe.h"

/* An argument by the name that the kernel's types give it, or a member of what it points to. */
struct observe_value_row {
	const char *name;
	const char *param; /* "current" is the running task, whatever the function */
	int field;	   /* enum kmem_field_id; OBSERVE_ITSELF: the argument */
};
enum { OBSERVE_ITSELF = -1 };

struct observe_event_row {
	const char *word;
	const char *function;
	/* Of functions that are written in assembly, which have no types: names in their order. */
	const char *const *params;
	struct observe_value_row values[OBSERVE_LIMIT_VALUES];
};

extern const struct observe_event_row observe_events[OBSERVE_N_KINDS];

/* What the plugin is to do, and what it means. */
struct observe_plan {
	struct wire_observe_hook hooks[OBSERVE_N_KINDS];
	const struct observe_event_row *rows[OBSERVE_N_KINDS];
	size_t n;
	uint64_t current_offset;
	struct strbuf blind; /* what is missing, in words */
};

void observe_plan_make(struct kmem *kmem, struct observe_plan *ret);
void observe_plan_deinit(struct observe_plan *plan);

/* The first line of a trace: what the bytes behind it mean. */
struct observe_head_value {
	char *name;
	uint32_t width; /* bytes; 16: text */
};
struct observe_head_hook {
	char *kind, *function;
	VEC(struct observe_head_value) values;
};
struct observe_head {
	char *kernel;
	char *blind;
	VEC(uint64_t) cpus; /* gs_base of each */
	VEC(struct observe_head_hook) hooks;
};
extern const struct json_rows observe_head_table;

void observe_plan_describe(const struct observe_plan *plan, const struct kmem *kmem,
			   struct observe_head *ret);

#endif
