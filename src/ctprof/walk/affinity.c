// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/thread.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	WORD_BITS = 8 * sizeof(unsigned long),
	FIRST_BITS = 8192,
	MOST_BITS = 262144,
};

void ctprof_affinity_init(struct ctprof_affinity *affinity)
{
	*affinity = (struct ctprof_affinity){ .n_words = FIRST_BITS / WORD_BITS };
	/* The second half holds the mask of the call before. */
	affinity->words = xcalloc(2 * affinity->n_words, sizeof(unsigned long));
}

void ctprof_affinity_deinit(struct ctprof_affinity *affinity)
{
	free(affinity->words);
	*affinity = (struct ctprof_affinity){ 0 };
}

/* The system call, not the function of the C library, which zeroes what it was given to the end. */
static long ask(struct ctprof_affinity *affinity, pid_t tid)
{
	for (;;) {
		long n = syscall(SYS_sched_getaffinity, tid,
				 affinity->n_words * sizeof(unsigned long), affinity->words);

		/* The kernel has room for more CPUs than we. */
		if (n >= 0 || errno != EINVAL || affinity->n_words * WORD_BITS >= MOST_BITS)
			return n;
		affinity->n_words = affinity->n_words ? 2 * affinity->n_words : 1;
		affinity->used_words = 0;
		affinity->words = xreallocarray(affinity->words, 2 * affinity->n_words,
						sizeof(unsigned long));
	}
}

int ctprof_affinity_read(struct ctprof_affinity *affinity, pid_t tid, bool *ret_same)
{
	unsigned long *last, any = 0;
	long n = ask(affinity, tid);
	size_t words;

	if (n < 0)
		return errno;
	last = affinity->words + affinity->n_words;
	words = (size_t)n / sizeof(unsigned long);
	for (size_t i = 0; i < words; i++)
		any |= affinity->words[i];
	if (!any)
		return ENODATA;
	*ret_same = words == affinity->used_words && memcmp(last, affinity->words, (size_t)n) == 0;
	memcpy(last, affinity->words, (size_t)n);
	affinity->used_words = words;
	return 0;
}

void ctprof_affinity_ids(const struct ctprof_affinity *affinity, struct procfs_cpu_ids *ret)
{
	vec_clear(&ret->ids);
	for (size_t i = 0; i < affinity->used_words; i++)
		for (unsigned long left = affinity->words[affinity->n_words + i]; left;
		     left &= left - 1)
			vec_push(&ret->ids,
				 (uint32_t)(i * WORD_BITS + (unsigned int)__builtin_ctzl(left)));
}
