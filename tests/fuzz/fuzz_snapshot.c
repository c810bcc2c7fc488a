// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/ctprof/file/load.c src/ctprof/file/split.c src/ctprof/file/value.c */
/* covers: src/ctprof/file/presence.c src/ctprof/file/record_cgroup.c src/ctprof/file/members.c */
/* covers: src/ctprof/file/record_pressure.c src/ctprof/file/record_thread.c */
#include <sys/mman.h>
#include <unistd.h>

#include "ctprof/file/file.h"
#include "ctprof/file/load.h"
#include "fuzz.h"
#include "fuzz_json.h"

enum { MEMORY_BYTES = 4 << 20 };

static struct error *load(const char *bytes, size_t n, size_t step, struct ctprof_snapshot *ret)
{
	_cleanup_ctprof_loader_ struct ctprof_loader loader;
	struct error *err = NULL;

	ctprof_loader_init(&loader, MEMORY_BYTES);
	for (size_t at = 0; at < n && !err; at += step)
		err = ctprof_loader_feed(&loader, bytes + at, n - at < step ? n - at : step);
	return err ? err : ctprof_loader_finish(&loader, ret);
}

static void must_be_sound(const struct ctprof_snapshot *s)
{
	for (size_t i = 0; i < s->threads.n; i++) {
		const struct metric_thread_sample *t = &s->threads.at[i];

		FUZZ_MUST(t->tid && t->tgid);
		FUZZ_MUST(i == 0 || t[-1].tgid < t->tgid ||
			  (t[-1].tgid == t->tgid && t[-1].tid <= t->tid));
		FUZZ_MUST(t->pcomm < s->strings.strings.n && t->comm < s->strings.strings.n &&
			  t->cgroup < s->strings.strings.n);
		FUZZ_MUST(t->smaps == METRIC_SAMPLE_NO_ENTRY || t->smaps < s->smaps.n);
		FUZZ_MUST(metric_sample_knows(t, METRIC_CPU_AFFINITY) ==
			  (t->cpu_affinity != METRIC_SAMPLE_NO_ENTRY));
		FUZZ_MUST(t->cpu_affinity == METRIC_SAMPLE_NO_ENTRY ||
			  s->cpu_lists.at[t->cpu_affinity].n == t->values[METRIC_CPU_AFFINITY]);
		for (int id = 0; id < METRIC_N; id++)
			FUZZ_MUST(metric_sample_knows(t, (enum metric_id)id) || t->values[id] == 0);
	}
	for (size_t i = 1; i < s->cgroups.n; i++)
		FUZZ_MUST(strcmp(intern_text(&s->strings, s->cgroups.at[i - 1].path),
				 intern_text(&s->strings, s->cgroups.at[i].path)) < 0);
}

static int written(const struct ctprof_snapshot *s, uint64_t *ret_bytes)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct ctprof_snapshot_frame_size size;

	FUZZ_MUST(fd >= 0 && !ctprof_snapshot_write_frame(s, fd, "memory", &size));
	*ret_bytes = size.file_bytes;
	return fd;
}

static void must_come_back(const struct ctprof_snapshot *s)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot again = { 0 };
	_cleanup_close_ int first = -1, second = -1;
	uint64_t n, m;
	void *a, *b;
	char name[64];

	first = written(s, &n);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", first);
	FUZZ_MUST(!ctprof_snapshot_load(name, NULL, &again, NULL));
	second = written(&again, &m);
	FUZZ_MUST(n == m);
	a = mmap(NULL, n, PROT_READ, MAP_SHARED, first, 0);
	b = mmap(NULL, n, PROT_READ, MAP_SHARED, second, 0);
	FUZZ_MUST(a != MAP_FAILED && b != MAP_FAILED && memcmp(a, b, n) == 0);
	munmap(a, n);
	munmap(b, n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 }, in_pieces = { 0 };
	_cleanup_error_ struct error *refused = load((const char *)data, n, n ? n : 1, &s);
	_cleanup_error_ struct error *also = load((const char *)data, n, 3, &in_pieces);

	if (fuzz_is_json(data, n))
		fuzz_mark_deep();
	FUZZ_MUST(!refused == !also);
	FUZZ_MUST(!refused || strcmp(error_message(refused), error_message(also)) == 0);
	if (refused)
		return 0;
	FUZZ_MUST(s.threads.n == in_pieces.threads.n);
	must_be_sound(&s);
	must_come_back(&s);
	return 0;
}
