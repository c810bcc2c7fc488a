// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `ktstr` itself, and how long each step of `ktstr test` with one test took: a JSON object in the
 * file $STAGES_FILE. $STAGES_BEGAN is CLOCK_MONOTONIC before it was started; "ended" is the
 * same clock at its end, for the one who reaps it.
 *
 * The linker puts us between the rooms (--wrap): what is measured knows nothing of it. Steps follow
 * each other with --ahead 0 and one test; with more they overlap and the figures mean nothing.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "harness/job.h"
#include "harness/judge.h"
#include "harness/session.h"
#include "vm/link/exec.h"
#include "vm/image/image.h"

enum { MARKS_LIMIT = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	const char *name;
	uint64_t ns;
} marks[MARKS_LIMIT];
static size_t n_marks;
static uint64_t last_ns;

/* What has passed since the last mark was for this. */
static void mark(const char *name)
{
	pthread_mutex_lock(&lock);
	if (n_marks < MARKS_LIMIT) {
		uint64_t now_ns = clock_monotonic_ns();

		marks[n_marks].name = name;
		marks[n_marks++].ns = now_ns - last_ns;
		last_ns = now_ns;
	}
	pthread_mutex_unlock(&lock);
}

/* Each is the room's own function, a mark before it and one when it returns. */
#define BETWEEN(name, before, label, params, args) \
	struct error *__real_##name params;        \
	struct error *__wrap_##name params;        \
	struct error *__wrap_##name params         \
	{                                          \
		struct error *err;                 \
                                                   \
		mark(before);                      \
		err = __real_##name args;          \
		mark(label);                       \
		return err;                        \
	}

BETWEEN(harness_listing_read, "process start", "list the binary",
	(const char *binary, const struct cancel *cancel, struct exchange_declared_suite *ret),
	(binary, cancel, ret))
BETWEEN(kernel_resolve, "between", "find the kernel", (const char *wanted, struct kernel **ret),
	(wanted, ret))
BETWEEN(harness_files_find, "plan", "find and hash files",
	(struct harness_file_finder * finder, const struct exchange_declared_suite *suite,
	 const struct exchange_declared_test *test, struct strbuf *mistakes,
	 struct harness_test_files *ret),
	(finder, suite, test, mistakes, ret))
BETWEEN(harness_job_record_begin, "directory, host, threads", "begin the record",
	(struct harness_job * job), (job))
BETWEEN(vm_guest_files_pack, "requirements", "pack files",
	(struct vm_guest_files * g, uint64_t limit_bytes, struct strbuf *into),
	(g, limit_bytes, into))
BETWEEN(vm_start, "between", "start the clone",
	(const struct vm_spec *spec, const struct cancel *cancel, struct vm **ret),
	(spec, cancel, ret))
BETWEEN(vm_put_bytes, "between", "send files",
	(struct vm * vm, const char *root, const void *archive, size_t n,
	 const struct cancel *cancel, uint64_t *ret_files),
	(vm, root, archive, n, cancel, ret_files))
BETWEEN(vm_exec, "between", "run the test",
	(struct vm * vm, const struct vm_command *command, const struct cancel *cancel,
	 struct vm_end *ret),
	(vm, command, cancel, ret))
BETWEEN(harness_job_record_finish, "console, verdict", "finish the record",
	(struct harness_job * job, const struct harness_guest_run *run,
	 const struct vm_facts *facts, const struct harness_kept_files *kept),
	(job, run, facts, kept))

void __real_harness_job_deinit(struct harness_job *job);
void __wrap_harness_job_deinit(struct harness_job *job);
void __wrap_harness_job_deinit(struct harness_job *job)
{
	mark("report");
	__real_harness_job_deinit(job);
	mark("end of QEMU");
}

__attribute__((constructor)) static void begin(void)
{
	const char *began = getenv("STAGES_BEGAN");

	last_ns = began ? strtoull(began, NULL, 10) : clock_monotonic_ns();
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("STAGES_FILE");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	mark("rest");
	fprintf(f, "{\"stages\": [");
	for (size_t i = 0; i < n_marks; i++)
		fprintf(f, "%s[\"%s\", %" PRIu64 "]", i ? ", " : "", marks[i].name, marks[i].ns);
	fprintf(f, "], \"ended\": %" PRIu64 "}\n", last_ns);
	fclose(f);
}
