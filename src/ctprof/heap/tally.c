// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/heap/heap.h"

#include <string.h>

static bool is_refusal(int errnum)
{
	return errnum == EPERM || errnum == EACCES;
}

void ctprof_heap_tally_attached(struct ctprof_heap_tally *tally)
{
	tally->tgids_walked++;
	tally->jemalloc_detected++;
}

bool ctprof_heap_tally_not_attached(struct ctprof_heap_tally *tally,
				    enum probe_attach_error_kind kind, int errnum)
{
	bool is_usual = kind == PROBE_ATTACH_JEMALLOC_NOT_FOUND ||
			kind == PROBE_ATTACH_READLINK_FAILURE;

	tally->tgids_walked++;
	if (is_usual && !is_refusal(errnum))
		return false;
	tally->failed++;
	tally->attach[kind]++;
	tally->denied += is_refusal(errnum);
	return true;
}

void ctprof_heap_tally_panic(struct ctprof_heap_tally *tally)
{
	tally->tgids_walked++;
	tally->failed++;
	tally->attach[PROBE_ATTACH_N_ERROR_KINDS]++;
}

void ctprof_heap_tally_read(struct ctprof_heap_tally *tally)
{
	tally->probed_ok++;
}

void ctprof_heap_tally_not_read(struct ctprof_heap_tally *tally, enum probe_thread_error_kind kind,
				int errnum)
{
	tally->failed++;
	tally->thread[kind]++;
	/* A failed PTRACE_SEIZE or INTERRUPT counts as denied, whatever its errno. */
	tally->denied += is_refusal(errnum) || kind == PROBE_THREAD_PTRACE_SEIZE ||
			 kind == PROBE_THREAD_PTRACE_INTERRUPT;
}

struct dominant {
	const char *tag;
	uint64_t n;
};

static void compare(struct dominant *best, const char *tag, uint64_t n)
{
	if (n > best->n || (n && n == best->n && strcmp(tag, best->tag) < 0))
		*best = (struct dominant){ tag, n };
}

const char *ctprof_heap_tally_dominant(const struct ctprof_heap_tally *tally)
{
	struct dominant best = { NULL, 0 };

	for (int i = 0; i < PROBE_ATTACH_N_ERROR_KINDS; i++)
		compare(&best, probe_attach_error_domain.kinds[i].tag, tally->attach[i]);
	compare(&best, CTPROF_HEAP_WORKER_PANIC, tally->attach[PROBE_ATTACH_N_ERROR_KINDS]);
	for (int i = 0; i < PROBE_THREAD_N_ERROR_KINDS; i++)
		compare(&best, probe_thread_error_domain.kinds[i].tag, tally->thread[i]);
	return best.tag;
}

bool ctprof_heap_tally_is_denied(const struct ctprof_heap_tally *tally)
{
	return tally->failed && 2 * tally->denied >= tally->failed;
}

void ctprof_heap_tally_summarise(const struct ctprof_heap_tally *tally,
				 struct ctprof_snapshot *snapshot)
{
	const char *dominant = ctprof_heap_tally_dominant(tally);

	snapshot->probe = (struct ctprof_probe_summary){
		.known = true,
		/* Processes that vanished or were filtered out before their threads also count.
		 */
		.tgids_walked = snapshot->seen_processes > tally->tgids_walked
					? snapshot->seen_processes
					: tally->tgids_walked,
		.jemalloc_detected = tally->jemalloc_detected,
		.probed_ok = tally->probed_ok,
		.failed = tally->failed,
		.dominant_failure = dominant ? intern_add(&snapshot->strings, dominant) : 0,
		.privilege_dominant = ctprof_heap_tally_is_denied(tally),
	};
}
