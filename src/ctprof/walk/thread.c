// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "ctprof/group/group.h"
#include "procfs/thread_files.h"

enum { PATH_BYTES = 48 };

/* One thread while it is read. */
struct thread_read {
	struct ctprof_reader *reader;
	struct metric_thread_sample *sample;
	struct ctprof_walk_notes notes;
	int dir;
	uint32_t sources;
	char path[PATH_BYTES]; /* "TID/" and room for the name of a file */
	size_t path_n;
};

void ctprof_reader_init(struct ctprof_reader *reader, const struct ctprof_options *options,
			struct ctprof_walk_tables *tables)
{
	*reader = (struct ctprof_reader){ .options = options, .tables = tables };
	ctprof_walk_buffer_init(&reader->buffer);
	ctprof_affinity_init(&reader->affinity);
}

void ctprof_reader_deinit(struct ctprof_reader *reader)
{
	ctprof_walk_buffer_deinit(&reader->buffer);
	ctprof_affinity_deinit(&reader->affinity);
	procfs_cpu_ids_deinit(&reader->ids);
	strbuf_deinit(&reader->last_cgroup);
}

int ctprof_reader_name(struct ctprof_reader *reader, int dir, const char *path,
		       uint32_t *ret_string)
{
	int errnum = ctprof_walk_file_read(dir, path, &reader->buffer);
	struct slice name;

	if (errnum)
		return errnum;
	name = slice_trim((struct slice){ reader->buffer.at, reader->buffer.n });
	if (name.n == 0)
		return ENODATA;
	*ret_string = ctprof_walk_tables_add_string(reader->tables, name);
	return 0;
}

static bool wants(const struct thread_read *r, enum metric_source source)
{
	return r->sources >> source & 1;
}

static void mark_read(struct thread_read *r, enum metric_source source)
{
	r->sample->sources |= UINT32_C(1) << source;
}

static const char *path_of(struct thread_read *r, const char *file)
{
	memcpy(r->path + r->path_n, file, strlen(file) + 1);
	return r->path;
}

static int read_source(struct thread_read *r, enum metric_source source)
{
	return ctprof_walk_file_read(r->dir, path_of(r, metric_sources[source].file),
				     &r->reader->buffer);
}

static void note_errno(struct thread_read *r, enum metric_source source, int errnum)
{
	ctprof_walk_notes_unreadable(
		&r->notes, source,
		ctprof_walk_file_reason(r->dir, path_of(r, metric_sources[source].file), errnum));
}

/* Reads it when it is wanted; false when there is no text, which is noted. */
static bool text_of(struct thread_read *r, enum metric_source source)
{
	int errnum;

	if (!wants(r, source))
		return false;
	errnum = read_source(r, source);
	if (errnum)
		note_errno(r, source, errnum);
	return errnum == 0;
}

static void mark_parsed(struct thread_read *r, enum metric_source source, bool makes_sense)
{
	if (makes_sense)
		mark_read(r, source);
	else
		ctprof_walk_notes_absent(&r->notes, source, CTPROF_SNAPSHOT_REASON_MALFORMED);
}

static void read_comm(struct thread_read *r)
{
	int errnum;

	if (!wants(r, METRIC_SOURCE_COMM))
		return;
	errnum = ctprof_reader_name(r->reader, r->dir, path_of(r, "comm"), &r->sample->comm);
	if (errnum == 0)
		mark_read(r, METRIC_SOURCE_COMM);
	else if (errnum == ENODATA)
		ctprof_walk_notes_absent(&r->notes, METRIC_SOURCE_COMM,
					 CTPROF_SNAPSHOT_REASON_MALFORMED);
	else
		note_errno(r, METRIC_SOURCE_COMM, errnum);
}

static void take_cgroup(struct thread_read *r, struct slice path)
{
	struct ctprof_reader *reader = r->reader;

	if (!slice_equal(path, strbuf_str(&reader->last_cgroup))) {
		strbuf_clear(&reader->last_cgroup);
		strbuf_append_bytes(&reader->last_cgroup, path.at, path.n);
		reader->last_cgroup_id = ctprof_walk_tables_add_string(reader->tables, path);
	}
	r->sample->cgroup = reader->last_cgroup_id;
}

static void read_cgroup(struct thread_read *r)
{
	const struct ctprof_walk_buffer *text = &r->reader->buffer;
	struct slice path;

	if (!text_of(r, METRIC_SOURCE_CGROUP))
		return;
	if (!procfs_cgroup_parse((struct slice){ text->at, text->n }, &path)) {
		/* Lines of v1 alone: this kernel has no v2 tree to be in. */
		ctprof_walk_notes_absent(&r->notes, METRIC_SOURCE_CGROUP,
					 text->n ? CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE
						 : CTPROF_SNAPSHOT_REASON_MALFORMED);
		return;
	}
	take_cgroup(r, path);
	mark_read(r, METRIC_SOURCE_CGROUP);
}

/* Asked of a thread whose cgroup was just read. */
static bool is_wanted(const struct thread_read *r)
{
	const char *glob = r->reader->options->cgroup_glob;

	return !glob || (r->sample->sources & METRIC_SOURCE_BIT(CGROUP) &&
			 ctprof_path_glob_matches(glob, strbuf_str(&r->reader->last_cgroup)));
}

static void set_cpus(struct thread_read *r, uint32_t list, size_t n)
{
	r->sample->cpu_affinity = list;
	metric_sample_set(r->sample, METRIC_CPU_AFFINITY, n);
	mark_read(r, METRIC_SOURCE_AFFINITY);
}

/* False when the text of the status file has to do. */
static bool ask_affinity(struct thread_read *r)
{
	struct ctprof_reader *reader = r->reader;
	bool same;
	int errnum = ctprof_affinity_read(&reader->affinity, (pid_t)r->sample->tid, &same);

	if (errnum) {
		ctprof_walk_notes_absent(&r->notes, METRIC_SOURCE_AFFINITY,
					 ctprof_walk_file_reason(r->dir, "", errnum));
		return false;
	}
	if (!same) {
		ctprof_affinity_ids(&reader->affinity, &reader->ids);
		reader->last_cpus = ctprof_walk_tables_add_cpus(reader->tables, &reader->ids);
		reader->last_n_cpus = (uint32_t)reader->ids.ids.n;
	}
	set_cpus(r, reader->last_cpus, reader->last_n_cpus);
	return true;
}

static void take_cpus(struct thread_read *r, struct slice text)
{
	struct ctprof_reader *reader = r->reader;

	if (!procfs_cpu_list_parse(text.at, text.n, &reader->ids)) {
		ctprof_walk_notes_absent(&r->notes, METRIC_SOURCE_AFFINITY,
					 CTPROF_SNAPSHOT_REASON_MALFORMED);
		return;
	}
	r->notes.absent &= ~METRIC_SOURCE_BIT(AFFINITY);
	set_cpus(r, ctprof_walk_tables_add_cpus(reader->tables, &reader->ids), reader->ids.ids.n);
}

/* Both in one: the status file also has the CPUs if sched_getaffinity() was not used. */
static void read_status_and_affinity(struct thread_read *r)
{
	const struct ctprof_walk_buffer *text = &r->reader->buffer;
	bool needs_cpus = wants(r, METRIC_SOURCE_AFFINITY) &&
			  !(r->reader->options->live && ask_affinity(r));
	struct slice cpus = { "", 0 };
	int errnum;

	if (!wants(r, METRIC_SOURCE_STATUS) && !needs_cpus)
		return;
	errnum = read_source(r, METRIC_SOURCE_STATUS);
	if (wants(r, METRIC_SOURCE_STATUS)) {
		if (errnum)
			note_errno(r, METRIC_SOURCE_STATUS, errnum);
		else
			mark_parsed(r, METRIC_SOURCE_STATUS,
				    ctprof_walk_take_status(text->at, text->n, r->sample, &cpus));
	} else if (!errnum) {
		procfs_line_find((struct slice){ text->at, text->n }, "Cpus_allowed_list", &cpus);
	}
	if (!needs_cpus)
		return;
	if (errnum)
		ctprof_walk_notes_absent(
			&r->notes, METRIC_SOURCE_AFFINITY,
			ctprof_walk_file_reason(r->dir, path_of(r, "status"), errnum));
	else
		take_cpus(r, cpus);
}

static void read_values(struct thread_read *r, enum metric_source source)
{
	const struct ctprof_walk_buffer *text = &r->reader->buffer;

	if (text_of(r, source))
		mark_parsed(r, source,
			    ctprof_walk_take(source, text->at, text->n, r->sample,
					     &r->notes.negative_times));
}

static void read_smaps(struct thread_read *r)
{
	const struct ctprof_walk_buffer *text = &r->reader->buffer;
	struct stat st;
	int errnum;

	if (!wants(r, METRIC_SOURCE_SMAPS) || r->sample->tid != r->sample->tgid)
		return;
	errnum = read_source(r, METRIC_SOURCE_SMAPS);
	path_of(r, "");
	if (errnum == ESRCH && fstatat(r->dir, r->path, &st, 0) == 0) {
		ctprof_walk_notes_absent(&r->notes, METRIC_SOURCE_SMAPS,
					 CTPROF_SNAPSHOT_REASON_NO_MEMORY);
		return;
	}
	if (errnum) {
		note_errno(r, METRIC_SOURCE_SMAPS, errnum);
		return;
	}
	mark_parsed(r, METRIC_SOURCE_SMAPS,
		    ctprof_walk_tables_add_smaps(r->reader->tables, text->at, text->n,
						 &r->sample->smaps));
}

/*
 * A kernel that does not count writes "0 0 0". A thread that was switched has been on a CPU, so
 * for such a thread the zeros are not a measurement.
 */
static void check_schedstat(struct thread_read *r)
{
	static const enum metric_id ids[] = { METRIC_RUN_TIME_NS, METRIC_WAIT_TIME_NS,
					      METRIC_TIMESLICES };
	struct metric_thread_sample *sample = r->sample;

	if (!(r->sources & sample->sources & METRIC_SOURCE_BIT(SCHEDSTAT)) ||
	    sample->values[METRIC_VOLUNTARY_CSW] + sample->values[METRIC_NONVOLUNTARY_CSW] == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (!metric_sample_knows(sample, ids[i]) || sample->values[ids[i]])
			return;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		metric_sample_forget(sample, ids[i]);
	sample->sources &= ~METRIC_SOURCE_BIT(SCHEDSTAT);
	ctprof_walk_notes_absent(&r->notes, METRIC_SOURCE_SCHEDSTAT,
				 CTPROF_SNAPSHOT_REASON_SWITCHED_OFF);
}

/* It is there, and something else than its end kept us from reading. */
static bool read_was_denied(const struct thread_read *r)
{
	for (int source = 0; source < METRIC_N_SOURCES; source++)
		if ((r->notes.absent >> source & 1) &&
		    r->notes.reasons[source] == CTPROF_SNAPSHOT_REASON_OTHER)
			return true;
	return false;
}

static bool is_ghost(const struct thread_read *r)
{
	const uint32_t identity = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT);

	if (read_was_denied(r))
		return false;
	if (r->sources & identity)
		return r->sample->comm == 0 && r->sample->start_ticks == 0;
	return r->sources && r->sample->sources == 0;
}

static void begin(struct thread_read *r, struct ctprof_reader *reader, int task_dir,
		  uint32_t sources, struct metric_thread_sample *sample)
{
	*r = (struct thread_read){
		.reader = reader,
		.sample = sample,
		.dir = task_dir,
		.sources = sources,
	};
	r->path_n = (size_t)snprintf(r->path, sizeof(r->path), "%" PRIu32 "/", sample->tid);
}

static void read_sources(struct thread_read *r)
{
	read_values(r, METRIC_SOURCE_STAT);
	read_values(r, METRIC_SOURCE_SCHEDSTAT);
	read_values(r, METRIC_SOURCE_IO);
	read_status_and_affinity(r);
	read_values(r, METRIC_SOURCE_SCHED);
	read_smaps(r);
	check_schedstat(r);
}

enum ctprof_thread_outcome ctprof_reader_read(struct ctprof_reader *reader, int task_dir,
					      uint32_t sources, struct metric_thread_sample *sample)
{
	struct thread_read r;

	if (reader->options->cgroup_glob)
		sources |= METRIC_SOURCE_BIT(CGROUP);
	begin(&r, reader, task_dir, sources, sample);
	reader->tally.tids_walked++;
	read_comm(&r);
	read_cgroup(&r);
	if (!is_wanted(&r))
		return CTPROF_THREAD_UNWANTED;
	read_sources(&r);
	if (is_ghost(&r))
		return CTPROF_THREAD_GHOST;
	ctprof_walk_tally_commit(&reader->tally, &r.notes);
	return CTPROF_THREAD_KEPT;
}

/* Whether the number still belongs to the thread that began then. */
static bool is_same_thread(struct thread_read *r, uint64_t start_ticks)
{
	const struct ctprof_walk_buffer *text = &r->reader->buffer;
	struct metric_thread_sample now = { .tid = r->sample->tid, .tgid = r->sample->tgid };

	return read_source(r, METRIC_SOURCE_STAT) == 0 &&
	       ctprof_walk_take(METRIC_SOURCE_STAT, text->at, text->n, &now, NULL) &&
	       now.start_ticks == start_ticks;
}

void ctprof_reader_fill(struct ctprof_reader *reader, int task_dir, uint32_t sources,
			struct metric_thread_sample *sample)
{
	const struct metric_thread_sample before = *sample;
	struct thread_read r;

	begin(&r, reader, task_dir, sources & ~sample->sources, sample);
	read_comm(&r);
	read_cgroup(&r);
	read_sources(&r);
	if (before.start_ticks && !is_same_thread(&r, before.start_ticks)) {
		*sample = before;
		for (uint32_t left = r.sources & ~r.notes.absent; left; left &= left - 1)
			ctprof_walk_notes_absent(&r.notes, (enum metric_source)__builtin_ctz(left),
						 CTPROF_SNAPSHOT_REASON_VANISHED);
	}
	ctprof_walk_tally_commit(&reader->tally, &r.notes);
}
