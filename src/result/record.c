// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "result/limits.h"
#include "result/new_file.h"

static struct error *cannot_reach(const char *path, int errnum)
{
	if (errnum == ENOENT || errnum == ENOTDIR)
		return base_error(
			BASE_ABSENT, 0,
			"sidecar file not found at %s; run the test first, which writes it, then use --sidecar again",
			path);
	return base_error(BASE_IO, errnum, "open %s", path);
}

struct error *result_record_exists(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
		return NULL;
	return cannot_reach(path, errno);
}

static struct error *not_a_file(const char *path)
{
	return base_error(BASE_IO, 0, "%s is not a regular file", path);
}

static struct error *read_record(const char *path, struct strbuf *into)
{
	/* Not blocking: opening a FIFO would wait for a writer that never comes. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return cannot_reach(path, errno);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return not_a_file(path);
	return io_read_fd(fd, path, RESULT_LIMIT_RECORD_BYTES, into);
}

static struct error *append_locked(const char *path, const struct result_append *append,
				   struct error **ret_warning)
{
	_cleanup_strbuf_ struct strbuf before = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf after = STRBUF_INIT;
	struct error *err = read_record(path, &before);

	if (err)
		return err;
	err = result_append_text(strbuf_str(&before), before.n, path, append, &after);
	if (err)
		return err;
	return io_replace_locked_file(path, after.at, after.n, ret_warning);
}

struct error *result_append_metrics(const char *path, const struct result_append *append,
				    const struct cancel *cancel, struct error **ret_warning)
{
	_cleanup_free_ char *target = realpath(path, NULL);
	_cleanup_free_ char *lock_path = NULL;
	_cleanup_close_ int lock_fd = -1;
	struct error *err;
	struct stat st;

	/* Before the lock, so that a mistyped name leaves no lock file behind. */
	if (!target || stat(target, &st) < 0)
		return cannot_reach(path, errno);
	if (!S_ISREG(st.st_mode))
		return not_a_file(path);
	lock_path = xasprintf("%s.lock", target);
	err = result_lock_acquire(lock_path, RESULT_LIMIT_LOCK_MS * NS_PER_MS, cancel, &lock_fd);
	if (err)
		return err;
	return append_locked(target, append, ret_warning);
}
