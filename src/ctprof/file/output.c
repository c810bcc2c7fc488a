// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/file.h"

#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"

struct ctprof_snapshot_output {
	char *path;
	bool stream; /* written into as it stands: standard output, a pipe, a device */
	int fd;	     /* -1 before the first snapshot of a file */
	/* Of a file: the end of the last whole frame. */
	off_t end;
};

/* Where a link leads is replaced, not the link. */
static char *where_it_leads(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : xstrdup(path);
}

static struct error *check_dir(const char *path)
{
	_cleanup_free_ char *for_dirname = xstrdup(path);
	const char *dir = dirname(for_dirname);

	if (access(dir, W_OK | X_OK) < 0)
		return base_error(BASE_IO, errno, "cannot create %s: directory %s", path, dir);
	return NULL;
}

struct error *ctprof_snapshot_output_open(const char *path, struct ctprof_snapshot_output **ret)
{
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = xnew(
		struct ctprof_snapshot_output);
	struct stat st;

	output->fd = -1;
	if (strcmp(path, "-") == 0) {
		output->path = xstrdup("standard output");
		output->stream = true;
		output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (output->fd < 0)
			return base_error(BASE_IO, errno, "standard output");
		*ret = take_ptr(output);
		return NULL;
	}
	output->path = where_it_leads(path);
	if (stat(output->path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return base_error(BASE_IO, EISDIR, "%s", path);
		output->stream = !S_ISREG(st.st_mode);
	} else if (errno != ENOENT || !*path) {
		return base_error(BASE_IO, errno, "%s", *path ? path : "an empty file name");
	}
	if (output->stream) {
		output->fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (output->fd < 0)
			return base_error(BASE_IO, errno, "cannot open %s", path);
	} else {
		struct error *err = check_dir(output->path);

		if (err)
			return err;
	}
	*ret = take_ptr(output);
	return NULL;
}

void ctprof_snapshot_output_free(struct ctprof_snapshot_output *output)
{
	if (!output)
		return;
	if (output->fd >= 0)
		close(output->fd);
	free(output->path);
	free(output);
}

/* A file in the directory that has no name yet, so that a kill leaves nothing behind; -1: cannot
 * be.
 */
static int open_nameless(const char *dir)
{
	return open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

/* Names it: in one step when there is nothing to replace, else by way of a name nobody knows. */
static struct error *give_name(int fd, char *temporary, const char *path)
{
	_cleanup_free_ char *self = xasprintf("/proc/self/fd/%d", fd);

	if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
		return NULL;
	if (errno != EEXIST)
		return base_error(BASE_IO, errno, "name %s", path);
	/* Only its name is wanted; mkstemp() knows which are free. */
	close(mkostemp(temporary, O_CLOEXEC));
	unlink(temporary);
	if (linkat(AT_FDCWD, self, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) < 0)
		return base_error(BASE_IO, errno, "name %s", temporary);
	if (rename(temporary, path) < 0) {
		struct error *err = base_error(BASE_IO, errno, "rename %s to %s", temporary, path);

		unlink(temporary);
		return err;
	}
	return NULL;
}

static struct error *fill(int fd, const char *path, const struct ctprof_snapshot *snapshot,
			  struct ctprof_snapshot_frame_size *ret)
{
	/* A new one is its owner's alone. */
	struct error *err = io_copy_owner_mode(fd, path);

	if (!err)
		err = ctprof_snapshot_write_frame(snapshot, fd, path, ret);
	if (!err && fsync(fd) < 0)
		err = base_error(BASE_IO, errno, "fsync %s", path);
	return err;
}

/* Without O_TMPFILE: a temporary name until the file is complete. */
static struct error *fill_and_rename(int fd, const char *temporary, const char *path,
				     const struct ctprof_snapshot *snapshot,
				     struct ctprof_snapshot_frame_size *ret)
{
	struct error *err = fill(fd, path, snapshot, ret);

	if (!err && rename(temporary, path) < 0)
		err = base_error(BASE_IO, errno, "rename %s to %s", temporary, path);
	if (err)
		unlink(temporary);
	return err;
}

static struct error *add_first(struct ctprof_snapshot_output *output,
			       const struct ctprof_snapshot *snapshot,
			       struct ctprof_snapshot_frame_size *ret)
{
	_cleanup_free_ char *for_dirname = xstrdup(output->path);
	const char *dir = dirname(for_dirname);
	_cleanup_free_ char *temporary = xasprintf("%s/.ktstr-XXXXXX", dir);
	_cleanup_close_ int fd = open_nameless(dir);
	struct error *err;

	if (fd >= 0) {
		err = fill(fd, output->path, snapshot, ret);
		if (!err)
			err = give_name(fd, temporary, output->path);
	} else {
		fd = mkostemp(temporary, O_CLOEXEC);
		if (fd < 0)
			return base_error(BASE_IO, errno, "create a temporary file in %s", dir);
		err = fill_and_rename(fd, temporary, output->path, snapshot, ret);
	}
	if (err)
		return err;
	output->end = (off_t)ret->file_bytes;
	output->fd = take_fd(fd);
	return io_sync_dir_of(output->path);
}

static struct error *append(struct ctprof_snapshot_output *output,
			    const struct ctprof_snapshot *snapshot,
			    struct ctprof_snapshot_frame_size *ret)
{
	struct error *err = ctprof_snapshot_write_frame(snapshot, output->fd, output->path, ret);

	if (!err && fdatasync(output->fd) < 0)
		err = base_error(BASE_IO, errno, "fsync %s", output->path);
	if (err) {
		/* Removes the incomplete frame; if that fails, readers report it as incomplete. */
		if (ftruncate(output->fd, output->end) == 0)
			lseek(output->fd, output->end, SEEK_SET);
		return err;
	}
	output->end += (off_t)ret->file_bytes;
	return NULL;
}

struct error *ctprof_snapshot_output_add(struct ctprof_snapshot_output *output,
					 const struct ctprof_snapshot *snapshot,
					 struct ctprof_snapshot_frame_size *ret)
{
	struct ctprof_snapshot_frame_size size = { 0 };
	struct error *err;

	if (output->stream)
		err = ctprof_snapshot_write_frame(snapshot, output->fd, output->path, &size);
	else if (output->fd < 0)
		err = add_first(output, snapshot, &size);
	else
		err = append(output, snapshot, &size);
	if (!err && ret)
		*ret = size;
	return err;
}
