// SPDX-License-Identifier: LGPL-2.1-or-later
#include "observe/events.h"

#include <string.h>

#include "base/alloc.h"

enum { N_ARGUMENTS = 6 }; /* in registers, on x86 */

/* Which argument has the name; -1: not known. */
static int find_param(struct kmem *kmem, const struct observe_event_row *row, const char *name)
{
	const struct btf *btf = kmem_types(kmem);
	struct btf_type func, proto;
	struct error *err;

	for (int i = 0; row->params && row->params[i]; i++)
		if (strcmp(row->params[i], name) == 0)
			return i;
	if (!btf || !btf_find(btf, BTF_FUNC, row->function, &func))
		return -1;
	err = btf_func_proto(btf, &func, &proto);
	for (uint32_t i = 0; !err && i < proto.n && i < N_ARGUMENTS; i++) {
		struct btf_param param;

		err = btf_proto_param(btf, &proto, i, &param);
		if (!err && strcmp(param.name, name) == 0)
			return (int)i;
	}
	error_free(err);
	return -1;
}

/* Why not, or NULL. */
static const char *place_value(struct kmem *kmem, const struct observe_event_row *row,
			       const struct observe_value_row *value, uint64_t current_offset,
			       struct wire_observe_value *ret)
{
	const struct kmem_field *field;
	int param;

	*ret = (struct wire_observe_value){ .reg = WIRE_OBSERVE_CURRENT };
	if (strcmp(value->param, "current") == 0) {
		if (!current_offset)
			return "the running task is not known";
	} else {
		param = find_param(kmem, row, value->param);
		if (param < 0)
			return "its arguments have other names";
		ret->reg = (uint8_t)(WIRE_OBSERVE_RDI + param);
	}
	if (value->field == OBSERVE_ITSELF)
		return NULL;
	field = &kmem->fields.at[value->field];
	if (!field->known || field->place.bits || field->place.size > WIRE_OBSERVE_WIDTH ||
	    field->place.size == 0 || field->place.offset > UINT32_MAX)
		return "a member is not known";
	ret->offset = (uint32_t)field->place.offset;
	ret->width = (uint8_t)field->place.size;
	return NULL;
}

/* Why not, or NULL. */
static const char *place_event(struct kmem *kmem, const struct observe_event_row *row,
			       uint64_t current_offset, struct wire_observe_hook *ret)
{
	struct error *err = kmem_symbol(kmem, row->function, &ret->address);

	if (err) {
		error_free(err);
		return "the function is not there, or there are several";
	}
	for (ret->n = 0; ret->n < OBSERVE_LIMIT_VALUES && row->values[ret->n].name; ret->n++) {
		const char *why = place_value(kmem, row, &row->values[ret->n], current_offset,
					      &ret->values[ret->n]);

		if (why)
			return why;
	}
	return NULL;
}

/* Per CPU; before 6.15 a member of a struct. */
static uint64_t find_current(struct kmem *kmem)
{
	static const char *const names[] = { "current_task", "pcpu_hot" };
	uint64_t address = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct error *err = kmem_symbol(kmem, names[i], &address);

		if (!err)
			return address;
		error_free(err);
	}
	return 0;
}

void observe_plan_make(struct kmem *kmem, struct observe_plan *ret)
{
	*ret = (struct observe_plan){ .blind = STRBUF_INIT, .current_offset = find_current(kmem) };
	for (size_t i = 0; i < OBSERVE_N_KINDS; i++) {
		const struct observe_event_row *row = &observe_events[i];
		struct wire_observe_hook hook = { 0 };
		const char *why = place_event(kmem, row, ret->current_offset, &hook);

		if (why) {
			strbuf_appendf(&ret->blind, "%s%s (%s: %s)", ret->blind.n ? ", " : "",
				       row->word, row->function, why);
			continue;
		}
		ret->rows[ret->n] = row;
		ret->hooks[ret->n++] = hook;
	}
}

void observe_plan_deinit(struct observe_plan *plan)
{
	strbuf_deinit(&plan->blind);
}

void observe_plan_describe(const struct observe_plan *plan, const struct kmem *kmem,
			   struct observe_head *ret)
{
	*ret = (struct observe_head){ .kernel = xstrdup(kmem->uname.release),
				      .blind = xstrdup(strbuf_str(&plan->blind)) };
	for (uint32_t i = 0; i < kmem->cpus.n; i++)
		vec_push(&ret->cpus, kmem->cpus.offsets[i]);
	for (size_t i = 0; i < plan->n; i++) {
		struct observe_head_hook hook = { .kind = xstrdup(plan->rows[i]->word),
						  .function = xstrdup(plan->rows[i]->function) };

		for (uint32_t k = 0; k < plan->hooks[i].n; k++) {
			uint8_t width = plan->hooks[i].values[k].width;

			vec_push(&hook.values,
				 ((struct observe_head_value){
					 .name = xstrdup(plan->rows[i]->values[k].name),
					 .width = width ? width : 8 }));
		}
		vec_push(&ret->hooks, hook);
	}
}
