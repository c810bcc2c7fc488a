// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/file.h"

#include <zstd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "ctprof/file/record.h"

enum {
	COMPRESSION_LEVEL = 3,
	/* JSON that is gathered before the compressor sees it. */
	GATHERED_BYTES = 64 << 10,
};

/* JSON on its way through the compressor into a file; never the whole of it at once. */
struct frame {
	int fd;
	const char *label;
	ZSTD_CCtx *zstd;
	struct strbuf json;
	char *out;
	size_t out_bytes;
	struct ctprof_snapshot_frame_size size;
};

static struct error *zstd_error(const char *label, size_t code)
{
	return base_error(BASE_IO, 0, "compress %s: %s", label, ZSTD_getErrorName(code));
}

static void frame_deinit(struct frame *frame)
{
	ZSTD_freeCCtx(frame->zstd);
	strbuf_deinit(&frame->json);
	free(frame->out);
}

static struct error *frame_init(struct frame *frame, int fd, const char *label)
{
	size_t code;

	*frame = (struct frame){
		.fd = fd,
		.label = label,
		.zstd = ZSTD_createCCtx(),
		.out_bytes = ZSTD_CStreamOutSize(),
	};
	frame->out = xcalloc(1, frame->out_bytes);
	if (!frame->zstd)
		return base_error(BASE_IO, ENOMEM, "compress %s", label);
	code = ZSTD_CCtx_setParameter(frame->zstd, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	if (!ZSTD_isError(code))
		/* The checksum distinguishes a corrupted frame from a truncated one. */
		code = ZSTD_CCtx_setParameter(frame->zstd, ZSTD_c_checksumFlag, 1);
	return ZSTD_isError(code) ? zstd_error(label, code) : NULL;
}

static struct error *frame_push(struct frame *frame, ZSTD_EndDirective directive)
{
	ZSTD_inBuffer in = { .src = strbuf_str(&frame->json), .size = frame->json.n };
	size_t left;

	frame->size.json_bytes += in.size;
	do {
		ZSTD_outBuffer out = { .dst = frame->out, .size = frame->out_bytes };
		struct error *err;

		left = ZSTD_compressStream2(frame->zstd, &out, &in, directive);
		if (ZSTD_isError(left))
			return zstd_error(frame->label, left);
		err = io_write_all(frame->fd, frame->label, frame->out, out.pos);
		if (err)
			return err;
		frame->size.file_bytes += out.pos;
	} while (directive == ZSTD_e_end ? left != 0 : in.pos < in.size);
	strbuf_clear(&frame->json);
	return NULL;
}

static struct error *frame_flush_if_full(struct frame *frame)
{
	return frame->json.n < GATHERED_BYTES ? NULL : frame_push(frame, ZSTD_e_continue);
}

/* All but threads and cgroups, which stand behind it. */
static void write_head(const struct ctprof_snapshot *snapshot,
		       const struct ctprof_presence_sets *sets, struct json_writer *w)
{
	json_add_u64(w, "schema_version", CTPROF_SNAPSHOT_SCHEMA_VERSION);
	for (const struct ctprof_member *member = ctprof_snapshot_members.at + 1;
	     member->type != CTPROF_MEMBER_CGROUPS; member++) {
		if (member->type != CTPROF_MEMBER_PRESENCE) {
			ctprof_member_write(member, &snapshot->strings, snapshot, w);
			continue;
		}
		json_key(w, member->key);
		ctprof_presence_write(snapshot, sets, w);
	}
}

static struct error *write_cgroups(const struct ctprof_snapshot *snapshot, struct frame *frame,
				   struct json_writer *w)
{
	struct error *err = NULL;

	json_open_object(w, "cgroup_stats");
	for (size_t i = 0; i < snapshot->cgroups.n && !err; i++) {
		const struct ctprof_snapshot_cgroup *cgroup = &snapshot->cgroups.at[i];

		json_key(w, intern_text(&snapshot->strings, cgroup->path));
		ctprof_cgroup_stats_write(snapshot, &cgroup->stats, w);
		err = frame_flush_if_full(frame);
	}
	json_end_object(w);
	return err;
}

static struct error *write_threads(const struct ctprof_snapshot *snapshot,
				   struct ctprof_presence_sets *sets, struct frame *frame,
				   struct json_writer *w)
{
	struct error *err = NULL;

	json_open_array(w, "threads");
	for (size_t i = 0; i < snapshot->threads.n && !err; i++) {
		const struct metric_thread_sample *sample = &snapshot->threads.at[i];

		ctprof_thread_write(snapshot, sample, ctprof_presence_add(sets, sample), w);
		err = frame_flush_if_full(frame);
	}
	json_end_array(w);
	return err;
}

struct error *ctprof_snapshot_write_frame(const struct ctprof_snapshot *snapshot, int fd,
					  const char *label, struct ctprof_snapshot_frame_size *ret)
{
	_cleanup_ctprof_presence_sets_ struct ctprof_presence_sets sets = { 0 };
	_cleanup_(frame_deinit) struct frame frame;
	struct error *err = frame_init(&frame, fd, label);
	struct json_writer w = json_writer_to(&frame.json, JSON_COMPACT);

	if (err)
		return err;
	/* Sets precede the threads that refer to them. */
	for (size_t i = 0; i < snapshot->threads.n; i++)
		ctprof_presence_add(&sets, &snapshot->threads.at[i]);
	json_begin_object(&w);
	write_head(snapshot, &sets, &w);
	err = write_cgroups(snapshot, &frame, &w);
	if (!err)
		err = write_threads(snapshot, &sets, &frame, &w);
	json_end_object(&w);
	if (!err)
		err = frame_push(&frame, ZSTD_e_end);
	if (!err && ret)
		*ret = frame.size;
	return err;
}
