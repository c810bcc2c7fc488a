// SPDX-License-Identifier: GPL-2.0-or-later
#include "fake_engine.h"

#include "base/alloc.h"
#include "base/clock.h"

DEFINE_ERROR_DOMAIN(probe_attach, PROBE_ATTACH, PROBE_ATTACH_ERRORS);
DEFINE_ERROR_DOMAIN(probe_thread, PROBE_THREAD, PROBE_THREAD_ERRORS);

struct fake_engine fake_engine;

struct probe {
	pid_t pid;
	const struct cancel *cancel;
};

const char *probe_evidence_name(enum probe_evidence evidence)
{
	return evidence == PROBE_EVIDENCE_DWARF ? "dwarf" : "layout-table";
}

const char *probe_method_name(enum probe_method method)
{
	return method == PROBE_METHOD_GLIBC ? "glibc-thread-list" : "ptrace";
}

struct error *probe_attach(pid_t pid, const struct probe_options *options, struct probe **ret)
{
	fake_engine.stop = options->stop;
	switch (fake_engine.attach) {
	case FAKE_ATTACH_NOT_FOUND:
		return probe_attach_error(PROBE_ATTACH_JEMALLOC_NOT_FOUND, 0, "nothing in pid %d",
					  pid);
	case FAKE_ATTACH_CANCELLED:
		return base_error(BASE_CANCELLED, 0, "reading debug information");
	case FAKE_ATTACH_OK:
		break;
	}
	fake_engine.n_attached++;
	*ret = xnew(struct probe);
	(*ret)->pid = pid;
	(*ret)->cancel = options->cancel;
	return NULL;
}

void probe_free(struct probe *probe)
{
	fake_engine.n_freed += probe != NULL;
	free(probe);
}

static void play(const struct fake_thread *threads, size_t n, uint64_t grown,
		 struct probe_snapshot *ret)
{
	struct probe_thread *out = xcalloc(n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		const struct fake_thread *in = &threads[i];

		out[i] = (struct probe_thread){
			.tid = in->tid,
			.comm = in->comm ? xstrdup(in->comm) : NULL,
			.has_start_time = in->start_time_jiffies != 0,
			.start_time_jiffies = in->start_time_jiffies,
			.method = PROBE_METHOD_GLIBC,
			.allocated_bytes = in->allocated_bytes + grown,
			.deallocated_bytes = in->deallocated_bytes,
		};
		if (in->error_errno)
			out[i].error = probe_thread_error(PROBE_THREAD_PTRACE_SEIZE,
							  in->error_errno, "tid %d", in->tid);
	}
	*ret = (struct probe_snapshot){ .timestamp_unix_sec = 1700000000,
					.monotonic_ns = clock_monotonic_ns(),
					.threads = out,
					.n_threads = n };
}

struct error *probe_take_snapshot(struct probe *probe, struct probe_snapshot *ret)
{
	int number = ++fake_engine.n_snapshots;

	if (number == fake_engine.fail_listing_at)
		return base_error(BASE_IO, ESRCH, "/proc/%d/task", probe->pid);
	play(fake_engine.threads, fake_engine.n_threads,
	     fake_engine.grows_by * (uint64_t)(number - 1), ret);
	ret->interrupted = number == fake_engine.interrupt_at;
	if (fake_engine.after_snapshot)
		fake_engine.after_snapshot(number);
	return NULL;
}

bool probe_target_was_replaced(const struct probe *probe UNUSED)
{
	return fake_engine.replaced_at && fake_engine.n_snapshots >= fake_engine.replaced_at;
}

bool probe_finish(struct probe *probe UNUSED)
{
	return !fake_engine.finish_cancelled;
}

const char *probe_use_name(enum probe_use use)
{
	return use == PROBE_USE_SOME ? "in-use" : use == PROBE_USE_NONE ? "unused" : "unknown";
}

struct probe_facts probe_facts(const struct probe *probe UNUSED)
{
	return (struct probe_facts){
		.evidence = PROBE_EVIDENCE_LAYOUT_TABLE,
		.object_path = "/usr/bin/program",
		.offsets_source = "layout table, 5.3.0: a test",
		.others = fake_engine.others,
		.n_others = fake_engine.n_others,
		.stopped_threads = 3,
		.stopped_ns = 4500,
	};
}

bool probe_wait(struct probe *probe, uint64_t ns)
{
	return cancel_sleep(probe->cancel, ns);
}

void probe_snapshot_deinit(struct probe_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_threads; i++) {
		free(snapshot->threads[i].comm);
		error_free(snapshot->threads[i].error);
	}
	free(snapshot->threads);
}

struct probe_report fake_report(const struct fake_thread *threads, size_t n_threads, size_t n)
{
	struct probe_report report = {
		.pid = 100,
		.started_at_unix_sec = 1700000000,
		.started_ns = 5000,
		.interval_ms = n > 1 ? 1000 : 0,
		.evidence = "dwarf",
	};

	for (size_t i = 0; i < n; i++) {
		struct probe_snapshot snapshot;

		play(threads, n_threads, i * fake_engine.grows_by, &snapshot);
		snapshot.timestamp_unix_sec = 1700000000 + i;
		snapshot.monotonic_ns = 5000 + 250 + i * NS_PER_SEC;
		vec_push(&report.snapshots, snapshot);
	}
	return report;
}
