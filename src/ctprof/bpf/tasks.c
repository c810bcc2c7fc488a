// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/stages.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "bpfload/bpfload.h"
#include "ctprof/bpf/sample.h"
#include "ctprof/walk/thread.h"

/* bpf/ctprof_task.bpf.c */
extern const char ctprof_task_object_start[], ctprof_task_object_end[];

struct bpf_pass {
	const struct ctprof_options *options;
	struct ctprof_snapshot *snapshot;
	uint32_t wanted;
	struct ctprof_bpf_rules rules;
	struct ctprof_bpf_cgroups cgroups;
	/* Most threads have the CPUs of the one before them. */
	uint64_t last_cpus[CTPROF_BPF_RECORD_CPU_WORDS];
	uint32_t last_list;
	size_t last_n_cpus;
	bool has_last;
	uint64_t below_0;
};

/* The name of the process also where that of the thread is left to its file. */
static bool set_names(struct bpf_pass *pass, const struct ctprof_bpf_record *record,
		      struct metric_thread_sample *sample)
{
	struct intern *strings = &pass->snapshot->strings;
	struct slice name;

	if (ctprof_bpf_sample_leader_name(record, &name))
		sample->pcomm = intern_add_n(strings, name.at, name.n);
	if (!ctprof_bpf_sample_name(record, &name))
		return false;
	sample->comm = intern_add_n(strings, name.at, name.n);
	return true;
}

static void list_cpus(struct bpf_pass *pass, const struct ctprof_bpf_record *record)
{
	uint32_t ids[CTPROF_BPF_RECORD_CPU_WORDS * 64];
	size_t n = 0;

	for (size_t word = 0; word < CTPROF_BPF_RECORD_CPU_WORDS; word++)
		for (uint64_t left = record->cpus[word] & pass->rules.cpus[word]; left;
		     left &= left - 1)
			ids[n++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
	pass->last_n_cpus = n;
	pass->last_list = n ? ctprof_snapshot_add_cpu_list(pass->snapshot, ids, n)
			    : METRIC_SAMPLE_NO_ENTRY;
	memcpy(pass->last_cpus, record->cpus, sizeof(record->cpus));
	pass->has_last = true;
}

static bool set_cpus(struct bpf_pass *pass, const struct ctprof_bpf_record *record,
		     struct metric_thread_sample *sample)
{
	if (!pass->rules.has_cpus)
		return false;
	if (!pass->has_last || memcmp(pass->last_cpus, record->cpus, sizeof(record->cpus)) != 0)
		list_cpus(pass, record);
	if (pass->last_n_cpus == 0)
		return false;
	sample->cpu_affinity = pass->last_list;
	metric_sample_set(sample, METRIC_CPU_AFFINITY, pass->last_n_cpus);
	return true;
}

static bool set_cgroup(struct bpf_pass *pass, const struct ctprof_bpf_record *record,
		       struct metric_thread_sample *sample)
{
	return record->has & CTPROF_BPF_HAS_CGROUP &&
	       ctprof_bpf_cgroups_find(&pass->cgroups, record->cgroup_id, &pass->snapshot->strings,
				       &sample->cgroup);
}

static void add_thread(struct bpf_pass *pass, const struct ctprof_bpf_record *record)
{
	struct metric_thread_sample *sample;

	if (!ctprof_bpf_sample_is_listed(record))
		return;
	vec_reserve_one_(&pass->snapshot->threads);
	sample = &pass->snapshot->threads.at[pass->snapshot->threads.n++];
	memset(sample, 0, sizeof(*sample));
	sample->cpu_affinity = sample->smaps = METRIC_SAMPLE_NO_ENTRY;
	pass->below_0 += ctprof_bpf_sample_set(record, &pass->rules, pass->wanted, sample);
	if (pass->wanted & METRIC_SOURCE_BIT(COMM) && set_names(pass, record, sample))
		sample->sources |= METRIC_SOURCE_BIT(COMM);
	if (pass->wanted & METRIC_SOURCE_BIT(AFFINITY) && set_cpus(pass, record, sample))
		sample->sources |= METRIC_SOURCE_BIT(AFFINITY);
	if (pass->wanted & METRIC_SOURCE_BIT(CGROUP) && set_cgroup(pass, record, sample))
		sample->sources |= METRIC_SOURCE_BIT(CGROUP);
}

static struct error *add_threads(const void *bytes, size_t n, void *arg)
{
	struct bpf_pass *pass = arg;
	const struct ctprof_bpf_record *records = bytes;
	size_t more = n / sizeof(*records);

	if (n % sizeof(*records))
		return bpfload_error(BPFLOAD_READ, 0, "%zu bytes are not a whole number of records",
				     n);
	if (pass->snapshot->threads.n + more > CTPROF_LIMIT_THREADS)
		return base_error(BASE_LIMIT, 0, "more than %d threads", CTPROF_LIMIT_THREADS);
	for (size_t i = 0; i < more; i++)
		add_thread(pass, &records[i]);
	return cancel_error(pass->options->cancel, "reading the threads");
}

static bool is_wanted_number(const struct ctprof_options *options, uint32_t number)
{
	for (size_t i = 0; i < options->n_pids; i++)
		if ((uint32_t)options->pids[i] == number)
			return true;
	return false;
}

/* In order; a number may be the one of a thread, its process is meant then. */
static void drop_unwanted(struct bpf_pass *pass)
{
	struct metric_thread_sample *samples = pass->snapshot->threads.at;
	size_t n = pass->snapshot->threads.n, kept = 0;

	if (pass->options->n_pids == 0)
		return;
	for (size_t begin = 0, end; begin < n; begin = end) {
		bool is_wanted = is_wanted_number(pass->options, samples[begin].tgid);

		for (end = begin; end < n && samples[end].tgid == samples[begin].tgid; end++)
			is_wanted |= is_wanted_number(pass->options, samples[end].tid);
		if (!is_wanted)
			continue;
		memmove(samples + kept, samples + begin, (end - begin) * sizeof(*samples));
		kept += end - begin;
	}
	pass->snapshot->threads.n = kept;
}

static void finish(struct bpf_pass *pass, uint64_t read_at_ns)
{
	struct ctprof_snapshot *snapshot = pass->snapshot;
	uint32_t any = 0;

	ctprof_walk_sort(snapshot->threads.at, snapshot->threads.n);
	/* An exec by another thread gives that one the number of the leader, under our eyes. */
	snapshot->threads.n = ctprof_walk_unique(snapshot->threads.at, snapshot->threads.n);
	drop_unwanted(pass);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		snapshot->threads.at[i].read_at_ns = read_at_ns;
		any |= snapshot->threads.at[i].sources;
	}
	for (unsigned int i = 0; i < METRIC_N_SOURCES; i++)
		if (any >> i & 1)
			snapshot->paths[i] = CTPROF_SNAPSHOT_PATH_BPF;
	snapshot->parse.negative_dotted_values += pass->below_0;
}

struct ctprof_bpf_tasks {
	struct bpfload *load;
};

struct error *ctprof_bpf_tasks_open(struct ctprof_bpf_tasks **ret)
{
	struct bpfload *load;
	struct error *err;

	err = bpfload_open("ctprof_task", ctprof_task_object_start,
			   (size_t)(ctprof_task_object_end - ctprof_task_object_start), &load);
	if (err)
		return err;
	*ret = xnew(struct ctprof_bpf_tasks);
	(*ret)->load = load;
	return NULL;
}

void ctprof_bpf_tasks_free(struct ctprof_bpf_tasks *tasks)
{
	if (tasks)
		bpfload_free(tasks->load);
	free(tasks);
}

static struct error *read_since(struct ctprof_bpf_tasks *tasks,
				const struct ctprof_options *options, uint64_t began_ns,
				struct ctprof_snapshot *snapshot)
{
	struct bpf_pass pass = {
		.options = options,
		.snapshot = snapshot,
		.wanted = options->sources & CTPROF_BPF_SOURCES,
	};
	struct error *err;

	ctprof_bpf_rules_read(options->root, &pass.rules);
	ctprof_bpf_cgroups_init(&pass.cgroups);
	err = bpfload_read(tasks->load, "ctprof_task", add_threads, &pass);
	ctprof_bpf_cgroups_deinit(&pass.cgroups);
	if (err)
		vec_clear(&snapshot->threads);
	else
		finish(&pass, clock_monotonic_ns() - began_ns);
	return err;
}

static struct error *open_and_read(const struct ctprof_options *options,
				   struct ctprof_snapshot *snapshot)
{
	_cleanup_ctprof_bpf_tasks_ struct ctprof_bpf_tasks *own = NULL;
	uint64_t began_ns = clock_monotonic_ns();
	struct error *err = options->bpf_tasks ? NULL : ctprof_bpf_tasks_open(&own);

	if (err)
		return err;
	return read_since(own ? own : options->bpf_tasks, options, began_ns, snapshot);
}

/* Takes the line. */
static void note(const struct ctprof_options *options, char *line)
{
	if (options->note)
		options->note(line, options->arg);
	free(line);
}

/* If the number of threads is unknown, BPF is used. */
static bool is_worth_loading(const struct ctprof_options *options)
{
	uint64_t n;

	if (options->bpf_tasks || !options->bpf_from_threads ||
	    !ctprof_thread_count_read(options, &n) || n >= options->bpf_from_threads)
		return true;
	note(options, xasprintf("threads are read through /proc, not BPF: there are %" PRIu64
				", and loading the iterator pays from %" PRIu64 " on",
				n, options->bpf_from_threads));
	return false;
}

static void note_refusal(const struct ctprof_options *options, const struct error *err)
{
	note(options, xasprintf("threads are read through /proc, not BPF: [%s] %s", error_tag(err),
				error_message(err)));
}

void ctprof_bpf_tasks_open_for_series(struct ctprof_options *options, struct ctprof_bpf_tasks **ret)
{
	_cleanup_error_ struct error *err = ctprof_bpf_tasks_open(ret);

	options->bpf_tasks = *ret;
	options->bpf = !err;
	if (err)
		note_refusal(options, err);
	else
		note(options,
		     xstrdup("threads are read through BPF: a series loads the iterator once"));
}

struct error *ctprof_read_bpf(const struct ctprof_options *options,
			      struct ctprof_snapshot *snapshot)
{
	struct error *err;

	if (!options->live || !options->bpf || !(options->sources & CTPROF_BPF_SOURCES))
		return NULL;
	if (!is_worth_loading(options))
		return NULL;
	err = open_and_read(options, snapshot);
	if (!err && !options->bpf_tasks)
		note(options, xasprintf("threads are read through BPF: %s",
					options->bpf_from_threads ? "there are enough of them"
								  : "however many there are"));
	if (!err || error_is(err, &base_error_domain, BASE_CANCELLED))
		return err;
	note_refusal(options, err);
	error_free(err);
	return NULL;
}
