// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "ctprof/file/load.h"

enum { COPY_BYTES = 64 << 10, MEMINFO_BYTES = 64 << 10 };

void ctprof_snapshot_origin_deinit(struct ctprof_snapshot_origin *origin)
{
	free(origin->path);
	*origin = (struct ctprof_snapshot_origin){ 0 };
}

/* Half of what can be had without anybody else suffering. */
static uint64_t spare_memory(void)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file("/proc/meminfo", MEMINFO_BYTES, &text);
	const char *line = err ? NULL : strstr(strbuf_str(&text), "MemAvailable:");
	uint64_t kb = line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) : 0;
	uint64_t bytes = kb * 512;

	if (bytes < CTPROF_SNAPSHOT_MEMORY_LEAST)
		return CTPROF_SNAPSHOT_MEMORY_LEAST;
	return bytes > CTPROF_LIMIT_SNAPSHOT_MEMORY ? CTPROF_LIMIT_SNAPSHOT_MEMORY : bytes;
}

/* FILE@N, unless a file bears the whole name. */
static struct error *split_name(const char *name, char **ret_path, uint64_t *ret_frame)
{
	const char *at = strrchr(name, '@');
	struct stat st;
	char *end;

	*ret_frame = 1;
	if (!at || at == name || !at[1] || at[1 + strspn(at + 1, "0123456789")] ||
	    stat(name, &st) == 0) {
		*ret_path = xstrdup(name);
		return NULL;
	}
	errno = 0;
	*ret_frame = strtoull(at + 1, &end, 10);
	if (errno || *ret_frame == 0)
		return base_error(BASE_ABSENT, 0, "%s: snapshots of a file count from @1", name);
	*ret_path = xstrndup(name, (size_t)(at - name));
	return NULL;
}

/* Frames are found by seeking; what cannot seek is copied first. */
static struct error *copy_stream(int from, const char *path, uint64_t limit, int *ret)
{
	_cleanup_close_ int fd = memfd_create("ktstr-snapshot", MFD_CLOEXEC);
	uint64_t total = 0;

	if (fd < 0)
		return base_error(BASE_IO, errno, "copy %s", path);
	for (;;) {
		char chunk[COPY_BYTES];
		ssize_t n = read(from, chunk, sizeof(chunk));
		struct error *err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return base_error(BASE_IO, errno, "read %s", path);
		if (n == 0)
			break;
		total += (uint64_t)n;
		if (total > limit)
			return base_error(BASE_LIMIT, 0, "%s is longer than %" PRIu64 " bytes",
					  path, limit);
		err = io_write_all(fd, path, chunk, (size_t)n);
		if (err)
			return err;
	}
	*ret = take_fd(fd);
	return NULL;
}

static struct error *open_snapshot(const char *path, uint64_t limit, int *ret,
				   uint64_t *ret_file_bytes)
{
	bool is_stdin = strcmp(path, "-") == 0;
	_cleanup_close_ int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
					  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct error *err;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return base_error(BASE_IO, errno, "cannot open %s", path);
	if (S_ISDIR(st.st_mode))
		return base_error(BASE_IO, EISDIR, "%s", path);
	/* What was read of standard input before is not ours: it is a stream, even from a file. */
	if (is_stdin || !S_ISREG(st.st_mode)) {
		int copy = -1;

		err = copy_stream(fd, path, limit, &copy);
		if (err)
			return err;
		close(fd);
		fd = copy;
		if (fstat(fd, &st) < 0)
			return base_error(BASE_IO, errno, "%s", path);
	}
	*ret_file_bytes = (uint64_t)st.st_size;
	*ret = take_fd(fd);
	return NULL;
}

/* One frame through the decompressor into the loader. */
struct inflater {
	ZSTD_DCtx *zstd;
	char *in, *out;
};

static void inflater_deinit(struct inflater *inflater)
{
	ZSTD_freeDCtx(inflater->zstd);
	free(inflater->in);
	free(inflater->out);
}

static struct error *inflate_chunk(struct inflater *inflater, size_t n, const char *path,
				   struct ctprof_loader *loader)
{
	ZSTD_inBuffer in = { .src = inflater->in, .size = n };

	for (;;) {
		ZSTD_outBuffer out = { .dst = inflater->out, .size = ZSTD_DStreamOutSize() };
		size_t left = ZSTD_decompressStream(inflater->zstd, &out, &in);
		struct error *err;

		if (ZSTD_isError(left))
			return base_error(BASE_PARSE, 0, "decompress %s: %s", path,
					  ZSTD_getErrorName(left));
		err = ctprof_loader_feed(loader, inflater->out, out.pos);
		if (err)
			return error_wrap(err, "%s", path);
		/* A full buffer may hide more that is decompressed already. */
		if (in.pos == in.size && out.pos < out.size)
			return NULL;
	}
}

static struct error *inflate(int fd, const char *path, const struct ctprof_frames_found *frame,
			     const struct cancel *cancel, struct ctprof_loader *loader)
{
	_cleanup_(inflater_deinit) struct inflater inflater = {
		.zstd = ZSTD_createDCtx(),
		.in = xcalloc(1, ZSTD_DStreamInSize()),
		.out = xcalloc(1, ZSTD_DStreamOutSize()),
	};
	uint64_t done = 0;

	if (!inflater.zstd)
		return base_error(BASE_LIMIT, ENOMEM, "decompress %s", path);
	if (ZSTD_isError(ZSTD_DCtx_setParameter(inflater.zstd, ZSTD_d_windowLogMax,
						CTPROF_LIMIT_WINDOW_LOG)))
		return base_error(BASE_PARSE, 0, "decompress %s: no such window", path);
	while (done < frame->bytes) {
		uint64_t want = frame->bytes - done;
		struct error *err = cancel_error(cancel, path);
		ssize_t n;

		if (err)
			return err;
		if (want > ZSTD_DStreamInSize())
			want = ZSTD_DStreamInSize();
		n = pread(fd, inflater.in, (size_t)want, (off_t)(frame->offset + done));
		if (n <= 0)
			return base_error(BASE_IO, n ? errno : 0, "read %s", path);
		err = inflate_chunk(&inflater, (size_t)n, path, loader);
		if (err)
			return err;
		done += (uint64_t)n;
	}
	return NULL;
}

static struct error *find_frame(int fd, const char *path, uint64_t file_bytes, uint64_t wanted,
				struct ctprof_frames_found *ret)
{
	struct error *err = ctprof_frames_count(fd, path, file_bytes, wanted, ret);

	if (err || wanted <= ret->whole)
		return err;
	if (ret->whole == 0)
		return ret->torn_bytes
			       ? base_error(
					 BASE_PARSE, 0,
					 "%s contains no complete snapshot: the only one is truncated",
					 path)
			       : base_error(BASE_PARSE, 0, "%s is empty", path);
	return base_error(BASE_ABSENT, 0, "%s has %" PRIu64 " snapshot%s and no @%" PRIu64 "%s",
			  path, ret->whole, ret->whole == 1 ? "" : "s", wanted,
			  ret->torn_bytes ? "; another one after them is truncated" : "");
}

static struct error *load(const char *name, const struct ctprof_snapshot_load_options *options,
			  struct ctprof_snapshot *ret, struct ctprof_snapshot_origin *origin)
{
	uint64_t memory = options->memory_bytes ? options->memory_bytes : spare_memory();
	_cleanup_ctprof_loader_ struct ctprof_loader loader;
	struct ctprof_frames_found found;
	_cleanup_close_ int fd = -1;
	uint64_t file_bytes = 0;
	struct error *err;

	ctprof_loader_init(&loader, memory);
	err = split_name(name, &origin->path, &origin->frame);
	if (!err)
		err = open_snapshot(origin->path, memory, &fd, &file_bytes);
	if (!err && strcmp(origin->path, "-") == 0) {
		free(origin->path);
		origin->path = xstrdup("standard input");
	}
	if (!err)
		err = find_frame(fd, origin->path, file_bytes, origin->frame, &found);
	if (!err)
		err = inflate(fd, origin->path, &found, options->cancel, &loader);
	if (err)
		return err;
	origin->frames = found.whole;
	origin->torn_bytes = found.torn_bytes;
	return error_wrap(ctprof_loader_finish(&loader, ret), "%s", origin->path);
}

struct error *ctprof_snapshot_load(const char *name,
				   const struct ctprof_snapshot_load_options *options,
				   struct ctprof_snapshot *ret,
				   struct ctprof_snapshot_origin *ret_origin)
{
	static const struct ctprof_snapshot_load_options defaults;
	_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
	struct error *err = load(name, options ? options : &defaults, ret, &origin);

	if (!err && ret_origin) {
		*ret_origin = origin;
		origin.path = NULL;
	}
	return err;
}
