// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More than any file of a thread has on an ordinary host: one read is enough. */
enum { FIRST_BYTES = 16 << 10, PATH_BYTES = 64 };

void ctprof_walk_buffer_init(struct ctprof_walk_buffer *buffer)
{
	*buffer = (struct ctprof_walk_buffer){
		.at = xcalloc(1, FIRST_BYTES),
		.capacity = FIRST_BYTES,
	};
}

void ctprof_walk_buffer_deinit(struct ctprof_walk_buffer *buffer)
{
	free(buffer->at);
	*buffer = (struct ctprof_walk_buffer){ 0 };
}

static int read_some(int fd, struct ctprof_walk_buffer *into, ssize_t *ret)
{
	do {
		*ret = read(fd, into->at + into->n, into->capacity - into->n);
	} while (*ret < 0 && errno == EINTR);
	return *ret < 0 ? errno : 0;
}

static int read_whole(int fd, struct ctprof_walk_buffer *into)
{
	for (;;) {
		ssize_t got;
		int errnum = read_some(fd, into, &got);

		if (errnum)
			return errnum;
		into->n += (size_t)got;
		/* The kernel makes these files in one piece: only a full buffer may hide more. */
		if (into->n < into->capacity)
			return 0;
		if (into->capacity >= CTPROF_LIMIT_FILE_BYTES)
			return EFBIG;
		into->capacity *= 2;
		into->at = xreallocarray(into->at, into->capacity, 1);
	}
}

int ctprof_walk_file_read(int dir, const char *path, struct ctprof_walk_buffer *into)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	int errnum;

	into->n = 0;
	if (fd < 0)
		return errno;
	errnum = read_whole(fd, into);
	close(fd);
	return errnum;
}

enum ctprof_reason ctprof_walk_file_reason(int dir, const char *path, int errnum)
{
	const char *slash = strchr(path, '/');
	char thread[PATH_BYTES];
	struct stat st;

	switch (errnum) {
	case EACCES:
	case EPERM:
		return CTPROF_SNAPSHOT_REASON_NO_PERMISSION;
	case ESRCH:
		return CTPROF_SNAPSHOT_REASON_VANISHED;
	case EBADF: /* the directory of the process could not be opened any more */
		return dir < 0 ? CTPROF_SNAPSHOT_REASON_VANISHED : CTPROF_SNAPSHOT_REASON_OTHER;
	case ENOENT:
		break;
	default:
		return CTPROF_SNAPSHOT_REASON_OTHER;
	}
	if (!slash || (size_t)(slash - path) >= sizeof(thread))
		return CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE;
	memcpy(thread, path, (size_t)(slash - path));
	thread[slash - path] = '\0';
	return fstatat(dir, thread, &st, 0) == 0 ? CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE
						 : CTPROF_SNAPSHOT_REASON_VANISHED;
}

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
