// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/tasks.h"

#include "btf/value.h"

static const struct {
	const char *symbol, *word;
} classes[DUMP_SCHED_CLASSES] = {
	{ "fair_sched_class", "fair" }, { "rt_sched_class", "rt" },
	{ "dl_sched_class", "dl" },	{ "idle_sched_class", "idle" },
	{ "ext_sched_class", "ext" },	{ "stop_sched_class", "stop" },
};

void dump_scheduler_init(struct dump_scheduler *scheduler, struct kmem *kmem)
{
	*scheduler = (struct dump_scheduler){ .kmem = kmem };
	for (size_t i = 0; i < DUMP_SCHED_CLASSES; i++)
		error_free(kmem_symbol(kmem, classes[i].symbol, &scheduler->classes[i]));
	error_free(kmem_symbol(kmem, "runqueues", &scheduler->runqueues));
	scheduler->jiffies = dump_read_variable(kmem, "jiffies_64", 8);
}

static void read_class(const struct dump_scheduler *scheduler, uint64_t task,
		       struct dump_task_sched *ret)
{
	struct dump_member class = dump_read(scheduler->kmem, KMEM_F_TASK_SCHED_CLASS, task);

	ret->class_status = class.status ? class.status : KMEM_READ_UNKNOWN;
	for (size_t i = 0; !class.status && i < DUMP_SCHED_CLASSES; i++) {
		if (class.value && class.value == scheduler->classes[i]) {
			ret->class = classes[i].word;
			ret->class_status = KMEM_READ_OK;
		}
	}
}

static void read_cpus(const struct dump_scheduler *scheduler, uint64_t task,
		      struct dump_task_sched *ret)
{
	struct kmem *kmem = scheduler->kmem;
	const struct kmem_field *field = &kmem->fields.at[KMEM_F_TASK_CPUS];
	size_t bytes = (kmem->cpus.n + 63) / 64 * 8;
	_cleanup_free_ uint64_t *words = NULL;

	ret->cpus_status = KMEM_READ_UNKNOWN;
	if (!field->known || !bytes || bytes > field->place.size)
		return;
	words = xcalloc(bytes / 8, 8);
	ret->cpus_status = kmem_read(&kmem->space, task + field->place.offset, words, bytes, NULL);
	if (!ret->cpus_status)
		btf_value_cpus_format((struct bytes){ (const uint8_t *)words, bytes }, kmem->cpus.n,
				      &ret->cpus);
}

/* By the clock of its CPU's runqueue, which has the time of its last update. */
static struct dump_member read_waiting(const struct dump_scheduler *scheduler, uint64_t task)
{
	struct kmem *kmem = scheduler->kmem;
	struct dump_member since = dump_read(kmem, KMEM_F_TASK_LAST_QUEUED, task);
	struct dump_member cpu = dump_read(kmem, KMEM_F_TASK_CPU, task), clock;
	uint64_t rq;

	if (since.status)
		return since;
	if (!since.value || cpu.status || !scheduler->runqueues ||
	    !kmem_cpus_address(&kmem->cpus, (uint32_t)cpu.value, scheduler->runqueues, &rq))
		return (struct dump_member){ .status = KMEM_READ_UNKNOWN };
	clock = dump_read(kmem, KMEM_F_RQ_CLOCK, rq);
	/* It may have moved to a CPU whose clock is a little behind. */
	clock.value -= clock.value < since.value ? clock.value : since.value;
	return clock;
}

static struct dump_member read_runnable(const struct dump_scheduler *scheduler, uint64_t task,
					const struct dump_task_sched *sched)
{
	struct dump_member since = dump_read(scheduler->kmem, KMEM_F_SCX_TASK_SINCE, task);

	if (!sched->class || sched->class != classes[4].word || sched->on_rq.status ||
	    !sched->on_rq.value || scheduler->jiffies.status)
		return (struct dump_member){ .status = KMEM_READ_UNKNOWN };
	if (!since.status)
		since.value = scheduler->jiffies.value > since.value
				      ? scheduler->jiffies.value - since.value
				      : 0;
	return since;
}

void dump_task_sched_read(const struct dump_scheduler *scheduler, uint64_t task,
			  struct dump_task_sched *ret)
{
	*ret = (struct dump_task_sched){ .on_rq = dump_read(scheduler->kmem, KMEM_F_TASK_ON_RQ,
							    task) };
	read_class(scheduler, task, ret);
	read_cpus(scheduler, task, ret);
	ret->waiting_ns = read_waiting(scheduler, task);
	ret->runnable_jiffies = read_runnable(scheduler, task, ret);
}

void dump_task_sched_deinit(struct dump_task_sched *sched)
{
	strbuf_deinit(&sched->cpus);
}
