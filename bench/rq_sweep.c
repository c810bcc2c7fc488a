// SPDX-License-Identifier: GPL-2.0-or-later
#include "rq_sweep.h"

#include "base/alloc.h"
#include "lens.h"

static const enum kmem_field_id number_fields[] = {
	[DUMP_RQ_NR_RUNNING] = KMEM_F_RQ_NR_RUNNING,
	[DUMP_RQ_CFS] = KMEM_F_RQ_CFS_NR,
	[DUMP_RQ_RT] = KMEM_F_RQ_RT_NR,
	[DUMP_RQ_DL] = KMEM_F_RQ_DL_NR,
	[DUMP_RQ_SCX] = KMEM_F_RQ_SCX_NR,
	[DUMP_RQ_NR_SWITCHES] = KMEM_F_RQ_NR_SWITCHES,
	[DUMP_RQ_CLOCK] = KMEM_F_RQ_CLOCK,
	[DUMP_RQ_CURR] = KMEM_F_RQ_CURR,
	[DUMP_RQ_IDLE] = KMEM_F_RQ_IDLE,
};
static const enum kmem_field_id task_fields[] = { KMEM_F_TASK_PID, KMEM_F_TASK_COMM };

/* From the first byte of some members of a struct to the last. */
struct span {
	uint64_t from;
	size_t n;
};

struct dump_rq_sweep {
	struct kmem *kmem;
	struct span rq_span, task_span;
	struct kmem_lens *queues, *tasks;
	VEC(struct dump_rq) rqs;
};

void dump_rq_sweep_free(struct dump_rq_sweep *sweep)
{
	if (!sweep)
		return;
	kmem_lens_free(sweep->queues);
	kmem_lens_free(sweep->tasks);
	vec_deinit(&sweep->rqs);
	free(sweep);
}

static struct error *span_of(const struct kmem_fields *fields, const enum kmem_field_id *ids,
			     size_t n, struct span *ret)
{
	uint64_t from = UINT64_MAX, end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kmem_field *field = &fields->at[ids[i]];

		if (!field->known)
			continue;
		if (field->place.offset < from)
			from = field->place.offset;
		if (field->place.offset + field->place.size > end)
			end = field->place.offset + field->place.size;
	}
	if (from >= end || end - from > DUMP_LIMIT_SPAN_BYTES)
		return base_error(BASE_LIMIT, 0, "members that lie %llu bytes apart",
				  (unsigned long long)(end - from));
	*ret = (struct span){ from, (size_t)(end - from) };
	return NULL;
}

static struct error *find_queues(struct dump_rq_sweep *sweep)
{
	const struct kmem *kmem = sweep->kmem;
	uint64_t runqueues;
	struct error *err = kmem_symbol(sweep->kmem, "runqueues", &runqueues);

	for (uint32_t cpu = 0; !err && cpu < kmem->cpus.n; cpu++) {
		struct dump_rq rq = { .cpu = cpu };
		uint64_t at;
		size_t i;

		if (!kmem_cpus_address(&kmem->cpus, cpu, runqueues, &at))
			continue;
		/* Numbers of places and of queues are the same. */
		err = kmem_lens_add(sweep->queues, at + sweep->rq_span.from, sweep->rq_span.n, &i);
		vec_push(&sweep->rqs, rq);
	}
	return err;
}

struct error *dump_rq_sweep_new(struct kmem *kmem, struct dump_rq_sweep **ret)
{
	_cleanup_dump_rq_sweep_ struct dump_rq_sweep *sweep = xnew(struct dump_rq_sweep);
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_RQ);

	if (!err)
		err = kmem_fields_require(&kmem->fields, KMEM_VIEW_TASKS);
	if (!err && kmem->cpus.n == 0)
		err = kmem_error(KMEM_UNREAD, 0, "the CPUs are not known: %s",
				 kmem->no_cpus ? error_message(kmem->no_cpus) : "there are none");
	if (!err)
		err = span_of(&kmem->fields, number_fields, ARRAY_SIZE(number_fields),
			      &sweep->rq_span);
	if (!err)
		err = span_of(&kmem->fields, task_fields, ARRAY_SIZE(task_fields),
			      &sweep->task_span);
	if (err)
		return err;
	sweep->kmem = kmem;
	sweep->queues = kmem_lens_new(&kmem->space);
	sweep->tasks = kmem_lens_new(&kmem->space);
	err = find_queues(sweep);
	if (err)
		return err;
	*ret = take_ptr(sweep);
	return NULL;
}

/* A member out of bytes that were read before: those of the object from `from` on. */
static enum kmem_status field_of(const struct kmem_fields *fields, enum kmem_field_id id,
				 struct bytes object, uint64_t from, uint64_t *ret)
{
	const struct btf_place *place = &fields->at[id].place;
	struct cursor c = cursor_over(object);

	if (!fields->at[id].known || place->bits || place->size == 0 || place->size > 8 ||
	    place->offset < from)
		return KMEM_READ_UNKNOWN;
	cursor_seek(&c, place->offset - from);
	*ret = cursor_uint(&c, (unsigned int)place->size);
	return c.failed ? KMEM_READ_UNKNOWN : KMEM_READ_OK;
}

static void take_queue(const struct dump_rq_sweep *sweep, size_t i, struct dump_rq *rq)
{
	struct bytes object = { 0 };
	enum kmem_status status = kmem_lens_at(sweep->queues, i, &object);

	for (size_t k = 0; k < DUMP_RQ_N_NUMBERS; k++) {
		struct dump_member *number = &rq->numbers[k];

		*number = (struct dump_member){ .status = status };
		if (!sweep->kmem->fields.at[number_fields[k]].known)
			number->status = KMEM_READ_UNKNOWN;
		else if (!status)
			number->status = field_of(&sweep->kmem->fields, number_fields[k], object,
						  sweep->rq_span.from, &number->value);
	}
}

static void take_task(const struct dump_rq_sweep *sweep, size_t i, struct dump_rq *rq)
{
	const struct btf_place *comm = &sweep->kmem->fields.at[KMEM_F_TASK_COMM].place;
	struct bytes object = { 0 };
	enum kmem_status status = kmem_lens_at(sweep->tasks, i, &object);
	uint64_t pid = 0;

	rq->comm[0] = 0;
	if (!status)
		status = field_of(&sweep->kmem->fields, KMEM_F_TASK_PID, object,
				  sweep->task_span.from, &pid);
	rq->pid = (struct dump_member){ .status = status,
					.is_signed = true,
					.value = (uint64_t)(int64_t)(int32_t)pid };
	if (status)
		return;
	size_t n = comm->size < sizeof(rq->comm) ? (size_t)comm->size : sizeof(rq->comm) - 1;

	memcpy(rq->comm, object.at + (comm->offset - sweep->task_span.from), n);
	rq->comm[n] = 0;
}

static void look_at_tasks(struct dump_rq_sweep *sweep)
{
	kmem_lens_clear(sweep->tasks);
	for (size_t i = 0; i < sweep->rqs.n; i++) {
		const struct dump_member *curr = &sweep->rqs.at[i].numbers[DUMP_RQ_CURR];
		size_t place;

		/* As many places as there are queues, and these fitted. */
		error_free(kmem_lens_add(sweep->tasks,
					 (curr->status ? 0 : curr->value) + sweep->task_span.from,
					 sweep->task_span.n, &place));
	}
	kmem_lens_look(sweep->tasks);
	for (size_t i = 0; i < sweep->rqs.n; i++) {
		struct dump_rq *rq = &sweep->rqs.at[i];

		take_task(sweep, i, rq);
		if (rq->numbers[DUMP_RQ_CURR].status)
			rq->pid.status = rq->numbers[DUMP_RQ_CURR].status;
	}
}

const struct dump_rq *dump_rq_sweep(struct dump_rq_sweep *sweep, bool tasks, size_t *ret_n)
{
	kmem_lens_look(sweep->queues);
	for (size_t i = 0; i < sweep->rqs.n; i++) {
		struct dump_rq *rq = &sweep->rqs.at[i];

		take_queue(sweep, i, rq);
		rq->pid = (struct dump_member){ .status = KMEM_READ_UNKNOWN, .is_signed = true };
		rq->comm[0] = 0;
	}
	if (tasks)
		look_at_tasks(sweep);
	*ret_n = sweep->rqs.n;
	return sweep->rqs.at;
}
