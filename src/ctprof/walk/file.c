// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/thread.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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

int ctprof_walk_file_read(int folder, const char *path, struct ctprof_walk_buffer *into)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	int errnum;

	into->n = 0;
	if (fd < 0)
		return errno;
	errnum = read_whole(fd, into);
	close(fd);
	return errnum;
}

enum ctprof_reason ctprof_walk_file_reason(int folder, const char *path, int errnum)
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
	case EBADF: /* the folder of the process could not be opened any more */
		return folder < 0 ? CTPROF_SNAPSHOT_REASON_VANISHED : CTPROF_SNAPSHOT_REASON_OTHER;
	case ENOENT:
		break;
	default:
		return CTPROF_SNAPSHOT_REASON_OTHER;
	}
	if (!slash || (size_t)(slash - path) >= sizeof(thread))
		return CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE;
	memcpy(thread, path, (size_t)(slash - path));
	thread[slash - path] = '\0';
	return fstatat(folder, thread, &st, 0) == 0 ? CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE
						    : CTPROF_SNAPSHOT_REASON_VANISHED;
}
