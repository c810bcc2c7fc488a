// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "agent/machine.h"
#include "base/alloc.h"
#include "wire/cpio.h"
#include "wire/crc32c.h"

/* Files put into a directory change its date, so directories are dated last. */
struct dir {
	char *name;
	struct stat attributes;
};

struct agent_put {
	uint32_t channel;
	int root; /* the destination; nothing outside it is reached */
	struct wire_cpio_reader *reader;
	uint64_t bytes; /* of the archive */
	uint32_t crc;
	uint64_t files;
	VEC(struct dir) dirs;

	/* The entry that is being unpacked. */
	char *name;
	int fd; /* of a regular file */
	struct stat attributes;
};

/* Owner first: a change of owner takes the set-user-id bit away. */
static bool set_attributes(int fd, const struct stat *st)
{
	const struct timespec times[2] = { st->st_mtim, st->st_mtim };

	return fchown(fd, st->st_uid, st->st_gid) == 0 && fchmod(fd, st->st_mode & 07777) == 0 &&
	       futimens(fd, times) == 0;
}

static struct error *failed(const struct agent_put *put, const char *what)
{
	return agent_error(AGENT_PUT, errno, "%s %s", what, put->name);
}

static struct error *make_dir(struct agent_put *put, int parent, const char *base)
{
	_cleanup_close_ int fd = -1;

	if (mkdirat(parent, base, 0700) < 0 && errno != EEXIST)
		return failed(put, "creating the directory");
	/* A link to a directory is accepted for a directory: /lib is one on many systems. */
	fd = agent_below_open(put->root, put->name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return failed(put, "creating the directory");
	vec_push(&put->dirs, (struct dir){ xstrdup(put->name), put->attributes });
	return NULL;
}

static struct error *make_other(struct agent_put *put, int parent, const char *base,
				const struct wire_cpio_entry *entry)
{
	const struct stat *st = &put->attributes;
	const struct timespec times[2] = { st->st_mtim, st->st_mtim };

	if (S_ISLNK(entry->mode)) {
		if (symlinkat(entry->target, parent, base) < 0)
			return failed(put, "making the link");
	} else if (mknodat(parent, base, entry->mode,
			   makedev(entry->device_major, entry->device_minor)) < 0 ||
		   fchmodat(parent, base, st->st_mode & 07777, 0) < 0) {
		return failed(put, "making the node");
	}
	if (fchownat(parent, base, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0 ||
	    utimensat(parent, base, times, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(put, "owner and date of");
	return NULL;
}

static struct error *on_begin(void *context, const struct wire_cpio_entry *entry)
{
	struct agent_put *put = context;
	_cleanup_close_ int parent = -1;
	const char *base;

	free(put->name);
	put->name = xstrdup(entry->name);
	put->attributes = (struct stat){
		.st_mode = entry->mode,
		.st_uid = entry->uid,
		.st_gid = entry->gid,
		.st_mtim.tv_sec = entry->mtime,
	};
	/* The destination itself is there; it only gets its mode and date. */
	if (S_ISDIR(entry->mode) && strcmp(put->name, ".") == 0)
		return make_dir(put, put->root, ".");
	parent = agent_below_parent(put->root, put->name, &base);
	if (parent < 0)
		return failed(put, "opening the directory of");
	if (S_ISDIR(entry->mode))
		return make_dir(put, parent, base);
	/* A new file in place of the old one: a program that runs keeps its own. */
	if (unlinkat(parent, base, 0) < 0 && errno != ENOENT)
		return failed(put, "replacing");
	if (!S_ISREG(entry->mode))
		return make_other(put, parent, base, entry);
	put->fd = openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (put->fd < 0)
		return failed(put, "creating");
	put->files++;
	return NULL;
}

static struct error *on_data(void *context, const void *bytes, size_t n)
{
	struct agent_put *put = context;

	for (size_t at = 0; at < n;) {
		ssize_t done = write(put->fd, (const char *)bytes + at, n - at);

		if (done < 0 && errno != EINTR)
			return failed(put, "writing");
		at += done > 0 ? (size_t)done : 0;
	}
	return NULL;
}

static struct error *on_end(void *context)
{
	struct agent_put *put = context;
	_cleanup_close_ int fd = take_fd(put->fd);

	if (fd >= 0 && !set_attributes(fd, &put->attributes))
		return failed(put, "mode and date of");
	return NULL;
}

struct error *agent_put_new(uint32_t channel, const char *root, const char *destination,
			    struct agent_put **ret)
{
	static const struct wire_cpio_events events = {
		.begin = on_begin,
		.data = on_data,
		.end = on_end,
	};
	_cleanup_close_ int top = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct agent_put *put;
	int fd = top < 0 ? -1 : agent_below_make_directories(top, destination);

	if (fd < 0)
		return agent_error(AGENT_PUT, errno, "destination %s", destination);
	put = xnew(struct agent_put);
	put->channel = channel;
	put->root = fd;
	put->fd = -1;
	put->reader = wire_cpio_reader_new(&events, put);
	*ret = put;
	return NULL;
}

void agent_put_free(struct agent_put *put)
{
	if (!put)
		return;
	for (size_t i = 0; i < put->dirs.n; i++)
		free(put->dirs.at[i].name);
	vec_deinit(&put->dirs);
	wire_cpio_reader_free(put->reader);
	cleanup_fd(&put->fd);
	cleanup_fd(&put->root);
	free(put->name);
	free(put);
}

uint32_t agent_put_channel(const struct agent_put *put)
{
	return put->channel;
}

struct error *agent_put_data(struct agent_put *put, struct bytes bytes)
{
	put->bytes += bytes.n;
	put->crc = wire_crc32c(put->crc, bytes.at, bytes.n);
	return wire_cpio_reader_feed(put->reader, bytes.at, bytes.n);
}

static struct error *date_dirs(struct agent_put *put)
{
	/* Backwards: the contents of a directory come after it in the archive. */
	for (size_t i = put->dirs.n; i-- > 0;) {
		const struct dir *dir = &put->dirs.at[i];
		_cleanup_close_ int fd = agent_below_open(put->root, dir->name,
							  O_RDONLY | O_DIRECTORY);

		if (fd < 0 || !set_attributes(fd, &dir->attributes))
			return agent_error(AGENT_PUT, errno, "mode and date of %s", dir->name);
	}
	return NULL;
}

struct error *agent_put_end(struct agent_put *put, uint64_t bytes, uint32_t crc,
			    struct wire_put_done *ret)
{
	struct error *err;

	if (bytes != put->bytes)
		return agent_error(AGENT_PUT, 0, "%llu bytes were sent, %llu arrived",
				   (unsigned long long)bytes, (unsigned long long)put->bytes);
	if (crc != put->crc)
		return agent_error(AGENT_PUT, 0, "the archive's checksum is 0x%08x, not 0x%08x",
				   put->crc, crc);
	err = wire_cpio_reader_finish(put->reader);
	if (!err)
		err = date_dirs(put);
	if (!err)
		*ret = (struct wire_put_done){ put->files,
					       wire_cpio_reader_file_bytes(put->reader) };
	return err;
}
