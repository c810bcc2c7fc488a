// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/stages.h"

#include <pthread.h>

/* The registry has the four values of each delay in the order of the client. */
enum { VALUES_PER_DELAY = METRIC_BLKIO_DELAY_COUNT - METRIC_CPU_DELAY_COUNT };
#define IN_ORDER(id)                                                                              \
	_Static_assert(METRIC_##id##_DELAY_COUNT ==                                               \
			       METRIC_CPU_DELAY_COUNT + VALUES_PER_DELAY * PROCFS_TASKSTATS_##id, \
		       #id);                                                                      \
	_Static_assert(METRIC_##id##_DELAY_TOTAL_NS == METRIC_##id##_DELAY_COUNT + 1, #id);       \
	_Static_assert(METRIC_##id##_DELAY_MAX_NS == METRIC_##id##_DELAY_COUNT + 2, #id);         \
	_Static_assert(METRIC_##id##_DELAY_MIN_NS == METRIC_##id##_DELAY_COUNT + 3, #id);
PROCFS_TASKSTATS_DELAYS(IN_ORDER)

uint32_t ctprof_delays_kept(const struct host_accounting *accounting)
{
	uint32_t kept = 0;

	if (host_keeps_cpu_delays(accounting))
		kept |= METRIC_SOURCE_BIT(DELAY_CPU);
	if (host_keeps_block_delays(accounting))
		kept |= METRIC_SOURCE_BIT(DELAY_BLOCK);
	if (host_keeps_watermarks(accounting))
		kept |= METRIC_SOURCE_BIT(XACCT);
	return kept;
}

enum ctprof_reason ctprof_delays_reason(enum metric_source source,
					const struct host_accounting *accounting)
{
	if (source == METRIC_SOURCE_DELAY_BLOCK &&
	    accounting->delayacct == HOST_DELAYACCT_RUNTIME_OFF)
		return CTPROF_SNAPSHOT_REASON_SWITCHED_OFF;
	if (source == METRIC_SOURCE_DELAY_BLOCK && accounting->delayacct == HOST_DELAYACCT_UNKNOWN)
		return CTPROF_SNAPSHOT_REASON_OTHER;
	return CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE;
}

static void fill_one(struct metric_thread_sample *sample, unsigned int id,
		     struct procfs_reading reading)
{
	if (reading.known)
		metric_sample_set(sample, (enum metric_id)id, reading.value);
}

void ctprof_delays_fill(struct metric_thread_sample *sample,
			const struct procfs_taskstats_values *values, uint32_t sources)
{
	for (unsigned int i = 0; i < PROCFS_N_TASKSTATS_DELAYS; i++) {
		const struct procfs_taskstats_delay *delay = &values->delays[i];
		unsigned int id = METRIC_CPU_DELAY_COUNT + VALUES_PER_DELAY * i;

		if (!(sources >> metric_rows[id].source & 1))
			continue;
		fill_one(sample, id, delay->count);
		fill_one(sample, id + 1, delay->total_ns);
		fill_one(sample, id + 2, delay->max_ns);
		fill_one(sample, id + 3, delay->min_ns);
	}
	if (sources & METRIC_SOURCE_BIT(XACCT)) {
		fill_one(sample, METRIC_HIWATER_RSS_BYTES, values->hiwater_rss_bytes);
		fill_one(sample, METRIC_HIWATER_VM_BYTES, values->hiwater_vm_bytes);
	}
	sample->sources |= sources;
}

struct delays {
	struct ctprof_snapshot *snapshot;
	uint32_t wanted, kept;
	struct procfs_taskstats_client *clients; /* of each worker; fd is -1 until it asks */
	size_t *indices;			 /* of the samples to ask about */
	pthread_mutex_t lock;			 /* of what follows */
	struct ctprof_taskstats_summary summary;
	bool any_told; /* taskstats itself gave something */
	uint64_t failed[CTPROF_N_REASONS][METRIC_N_SOURCES];
};

static enum ctprof_reason reason_of(int errnum)
{
	switch (errnum) {
	case EPERM:
	case EACCES:
		return CTPROF_SNAPSHOT_REASON_NO_PERMISSION;
	case ESRCH:
		return CTPROF_SNAPSHOT_REASON_VANISHED;
	case EBADMSG:
		return CTPROF_SNAPSHOT_REASON_MALFORMED;
	default:
		return CTPROF_SNAPSHOT_REASON_OTHER;
	}
}

static void count_sources(uint64_t counts[METRIC_N_SOURCES], uint32_t sources)
{
	for (unsigned int i = 0; i < METRIC_N_SOURCES; i++)
		counts[i] += sources >> i & 1;
}

/* What taskstats could give it. */
static uint32_t lacks_of(const struct delays *d, const struct metric_thread_sample *sample)
{
	return d->wanted & d->kept & ~sample->sources & ~sample->uncounted;
}

/* Whether the query succeeds is worth knowing even when nothing is kept. */
static bool is_asked(const struct delays *d, const struct metric_thread_sample *sample)
{
	return lacks_of(d, sample) || (d->wanted && !sample->taskstats_ok);
}

static void take_answer(struct delays *d, struct metric_thread_sample *sample,
			const struct procfs_taskstats_answer *answer)
{
	uint32_t lacks = lacks_of(d, sample);
	int errnum = answer->errnum;

	/* The thread ended after it was read, and another process has its number now. */
	if (answer->ok && answer->values.tgid.known && answer->values.tgid.value != sample->tgid)
		errnum = ESRCH;
	if (!errnum) {
		ctprof_delays_fill(sample, &answer->values, lacks);
		sample->taskstats_ok = d->any_told = true;
		return;
	}
	count_sources(d->failed[reason_of(errnum)], lacks);
	if (sample->taskstats_ok)
		return; /* BPF has answered for it: each thread counts once */
	if (errnum == EPERM)
		d->summary.eperm++;
	else if (errnum == ESRCH)
		d->summary.esrch++;
	else
		d->summary.other++;
}

static void ask_some(void *arg, unsigned int worker, size_t begin, size_t end)
{
	struct delays *d = arg;
	struct procfs_taskstats_client *client = &d->clients[worker];
	struct procfs_taskstats_answer answers[PROCFS_TASKSTATS_BATCH];
	uint32_t tids[PROCFS_TASKSTATS_BATCH];
	_cleanup_error_ struct error *err = NULL;

	for (size_t i = begin; i < end; i++)
		tids[i - begin] = d->snapshot->threads.at[d->indices[i]].tid;
	if (client->fd < 0)
		err = procfs_taskstats_open(client);
	if (err)
		for (size_t i = 0; i < end - begin; i++)
			answers[i] = (struct procfs_taskstats_answer){ .errnum = error_errno(err) };
	else
		procfs_taskstats_ask(client, tids, end - begin, answers);
	pthread_mutex_lock(&d->lock);
	for (size_t i = begin; i < end; i++)
		take_answer(d, &d->snapshot->threads.at[d->indices[i]], &answers[i - begin]);
	pthread_mutex_unlock(&d->lock);
}

/* The samples to ask about; the others' reasons are known here. */
static size_t collect(struct delays *d)
{
	size_t n = 0;

	d->indices = xcalloc(d->snapshot->threads.n + 1, sizeof(*d->indices));
	for (size_t i = 0; i < d->snapshot->threads.n; i++) {
		const struct metric_thread_sample *sample = &d->snapshot->threads.at[i];

		if (is_asked(d, sample))
			d->indices[n++] = i;
		count_sources(d->failed[CTPROF_SNAPSHOT_REASON_SWITCHED_OFF],
			      d->wanted & d->kept & sample->uncounted);
	}
	return n;
}

static void ask_all(struct delays *d, const struct ctprof_options *options, size_t n)
{
	unsigned int jobs = ctprof_parallel_jobs(options, (n + PROCFS_TASKSTATS_BATCH - 1) /
								  PROCFS_TASKSTATS_BATCH);

	d->clients = xcalloc(jobs, sizeof(*d->clients));
	for (unsigned int i = 0; i < jobs; i++)
		d->clients[i].fd = -1;
	pthread_mutex_init(&d->lock, NULL);
	ctprof_parallel_run(jobs, n, PROCFS_TASKSTATS_BATCH, options->cancel, ask_some, d);
	pthread_mutex_destroy(&d->lock);
	for (unsigned int i = 0; i < jobs; i++)
		procfs_taskstats_close(&d->clients[i]);
	free(d->clients);
}

/* No query was sent: counters stay, and every thread that lacks a source has the same reason. */
static void cannot_ask(struct delays *d, const struct ctprof_options *options,
		       const struct error *why, size_t n)
{
	bool absent = error_is(why, &base_error_domain, BASE_ABSENT);
	enum ctprof_reason reason = absent ? CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE
					   : reason_of(error_errno(why));
	_cleanup_free_ char *line = NULL;

	for (size_t i = 0; i < n; i++)
		count_sources(d->failed[reason],
			      lacks_of(d, &d->snapshot->threads.at[d->indices[i]]));
	if (!options->note)
		return;
	line = xasprintf(
		"no delays and memory watermarks: %s. The kernel needs CONFIG_TASKSTATS "
		"(CONFIG_TASK_DELAY_ACCT for delays, CONFIG_TASK_XACCT for watermarks) and "
		"kernel.task_delayacct=1, and we need CAP_NET_ADMIN",
		error_message(why));
	options->note(line, options->arg);
}

/* What was not asked for, and what the kernel does not keep, every thread lacks. */
static void count_reasons(struct delays *d, const struct host_accounting *accounting)
{
	for (unsigned int source = 0; source < METRIC_N_SOURCES; source++) {
		uint64_t *reasons = d->snapshot->reasons[source];
		uint64_t lack = 0;

		if (!(CTPROF_DELAY_SOURCES >> source & 1))
			continue;
		for (size_t i = 0; i < d->snapshot->threads.n; i++)
			lack += !(d->snapshot->threads.at[i].sources >> source & 1);
		for (unsigned int reason = 0; reason < CTPROF_N_REASONS; reason++)
			reasons[reason] += d->failed[reason][source];
		if (!(d->wanted >> source & 1))
			reasons[CTPROF_SNAPSHOT_REASON_NOT_ASKED] += lack;
		else if (!(d->kept >> source & 1))
			reasons[ctprof_delays_reason((enum metric_source)source, accounting)] +=
				lack;
	}
}

void ctprof_read_delays(const struct ctprof_options *options, struct ctprof_snapshot *snapshot)
{
	struct procfs_taskstats_client client = { .fd = -1 };
	struct host_accounting accounting = snapshot->host.accounting;
	struct delays d = {
		.snapshot = snapshot,
		.wanted = options->live ? options->sources & CTPROF_DELAY_SOURCES : 0,
	};
	_cleanup_error_ struct error *err = NULL;
	size_t n;

	if (!snapshot->has_host)
		host_accounting_read(options->root, &accounting);
	d.kept = ctprof_delays_kept(&accounting);
	n = collect(&d);
	if (n) {
		err = procfs_taskstats_open(&client);
		procfs_taskstats_close(&client);
		if (err)
			cannot_ask(&d, options, err, n);
		else
			ask_all(&d, options, n);
	}
	count_reasons(&d, &accounting);
	d.summary.known = d.wanted != 0;
	for (size_t i = 0; d.wanted && i < snapshot->threads.n; i++)
		d.summary.ok += snapshot->threads.at[i].taskstats_ok;
	snapshot->taskstats = d.summary;
	for (unsigned int source = 0; d.any_told && source < METRIC_N_SOURCES; source++)
		if (d.wanted & d.kept & (UINT32_C(1) << source) &&
		    snapshot->paths[source] == CTPROF_SNAPSHOT_PATH_NONE)
			snapshot->paths[source] = CTPROF_SNAPSHOT_PATH_NETLINK;
	free(d.indices);
}
