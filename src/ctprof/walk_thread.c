// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk_thread.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "ctprof/path_glob.h"
#include "ctprof/walk_fields.h"
#include "procfs/thread_files.h"

enum { PATH_BYTES = 48 };

/* One thread while it is read. */
struct reading_of {
	struct thread_reader *reader;
	struct thread_sample *sample;
	struct walk_notes notes;
	int folder;
	uint32_t sources;
	char path[PATH_BYTES]; /* "TID/" and room for the name of a file */
	size_t path_n;
};

void thread_reader_init(struct thread_reader *reader, const struct capture_options *options,
			struct walk_tables *tables)
{
	*reader = (struct thread_reader){ .options = options, .tables = tables };
	walk_buffer_init(&reader->buffer);
	affinity_init(&reader->affinity);
}

void thread_reader_deinit(struct thread_reader *reader)
{
	walk_buffer_deinit(&reader->buffer);
	affinity_deinit(&reader->affinity);
	cpu_ids_deinit(&reader->ids);
	strbuf_deinit(&reader->last_cgroup);
}

int thread_reader_name(struct thread_reader *reader, int folder, const char *path,
		       uint32_t *ret_string)
{
	int errnum = walk_file_read(folder, path, &reader->buffer);
	struct slice name;

	if (errnum)
		return errnum;
	name = slice_trim((struct slice){ reader->buffer.at, reader->buffer.n });
	if (name.n == 0)
		return ENODATA;
	*ret_string = walk_tables_add_string(reader->tables, name);
	return 0;
}

static bool wants(const struct reading_of *of, enum metric_source source)
{
	return of->sources >> source & 1;
}

static void got(struct reading_of *of, enum metric_source source)
{
	of->sample->sources |= UINT32_C(1) << source;
}

static const char *path_of(struct reading_of *of, const char *file)
{
	memcpy(of->path + of->path_n, file, strlen(file) + 1);
	return of->path;
}

static int read_source(struct reading_of *of, enum metric_source source)
{
	return walk_file_read(of->folder, path_of(of, metric_sources[source].file),
			      &of->reader->buffer);
}

static void note_errno(struct reading_of *of, enum metric_source source, int errnum)
{
	walk_notes_unreadable(
		&of->notes, source,
		walk_file_reason(of->folder, path_of(of, metric_sources[source].file), errnum));
}

/* Reads it when it is wanted; false when there is no text, which is noted. */
static bool text_of(struct reading_of *of, enum metric_source source)
{
	int errnum;

	if (!wants(of, source))
		return false;
	errnum = read_source(of, source);
	if (errnum)
		note_errno(of, source, errnum);
	return errnum == 0;
}

static void took(struct reading_of *of, enum metric_source source, bool makes_sense)
{
	if (makes_sense)
		got(of, source);
	else
		walk_notes_absent(&of->notes, source, SNAPSHOT_REASON_MALFORMED);
}

static void read_comm(struct reading_of *of)
{
	int errnum;

	if (!wants(of, METRIC_SOURCE_COMM))
		return;
	errnum = thread_reader_name(of->reader, of->folder, path_of(of, "comm"), &of->sample->comm);
	if (errnum == 0)
		got(of, METRIC_SOURCE_COMM);
	else if (errnum == ENODATA)
		walk_notes_absent(&of->notes, METRIC_SOURCE_COMM, SNAPSHOT_REASON_MALFORMED);
	else
		note_errno(of, METRIC_SOURCE_COMM, errnum);
}

static void take_cgroup(struct reading_of *of, struct slice path)
{
	struct thread_reader *reader = of->reader;

	if (!slice_equal(path, strbuf_str(&reader->last_cgroup))) {
		strbuf_clear(&reader->last_cgroup);
		strbuf_append_bytes(&reader->last_cgroup, path.at, path.n);
		reader->last_cgroup_id = walk_tables_add_string(reader->tables, path);
	}
	of->sample->cgroup = reader->last_cgroup_id;
}

static void read_cgroup(struct reading_of *of)
{
	const struct walk_buffer *text = &of->reader->buffer;
	struct slice path;

	if (!text_of(of, METRIC_SOURCE_CGROUP))
		return;
	if (!proc_cgroup_parse((struct slice){ text->at, text->n }, &path)) {
		/* Lines of v1 alone: this kernel has no v2 tree to be in. */
		walk_notes_absent(&of->notes, METRIC_SOURCE_CGROUP,
				  text->n ? SNAPSHOT_REASON_NO_SUCH_FILE
					  : SNAPSHOT_REASON_MALFORMED);
		return;
	}
	take_cgroup(of, path);
	got(of, METRIC_SOURCE_CGROUP);
}

/* Asked of a thread whose cgroup was just read. */
static bool is_wanted(const struct reading_of *of)
{
	const char *glob = of->reader->options->cgroup_glob;

	return !glob || (of->sample->sources & METRIC_SOURCE_BIT(CGROUP) &&
			 path_glob_matches(glob, strbuf_str(&of->reader->last_cgroup)));
}

static void set_cpus(struct reading_of *of, uint32_t list, size_t n)
{
	of->sample->cpu_affinity = list;
	sample_set(of->sample, METRIC_CPU_AFFINITY, n);
	got(of, METRIC_SOURCE_AFFINITY);
}

/* False when the text of the status file has to do. */
static bool ask_affinity(struct reading_of *of)
{
	struct thread_reader *reader = of->reader;
	bool same;
	int errnum = affinity_read(&reader->affinity, (pid_t)of->sample->tid, &same);

	if (errnum) {
		walk_notes_absent(&of->notes, METRIC_SOURCE_AFFINITY,
				  walk_file_reason(of->folder, "", errnum));
		return false;
	}
	if (!same) {
		affinity_ids(&reader->affinity, &reader->ids);
		reader->last_cpus = walk_tables_add_cpus(reader->tables, &reader->ids);
		reader->last_n_cpus = (uint32_t)reader->ids.ids.n;
	}
	set_cpus(of, reader->last_cpus, reader->last_n_cpus);
	return true;
}

static void take_cpus(struct reading_of *of, struct slice text)
{
	struct thread_reader *reader = of->reader;

	if (!cpu_list_parse(text.at, text.n, &reader->ids)) {
		walk_notes_absent(&of->notes, METRIC_SOURCE_AFFINITY, SNAPSHOT_REASON_MALFORMED);
		return;
	}
	of->notes.absent &= ~METRIC_SOURCE_BIT(AFFINITY);
	set_cpus(of, walk_tables_add_cpus(reader->tables, &reader->ids), reader->ids.ids.n);
}

/* Both in one: the file also tells the CPUs when nobody else does. */
static void read_status_and_affinity(struct reading_of *of)
{
	const struct walk_buffer *text = &of->reader->buffer;
	bool needs_cpus = wants(of, METRIC_SOURCE_AFFINITY) &&
			  !(of->reader->options->live && ask_affinity(of));
	struct slice cpus = { "", 0 };
	int errnum;

	if (!wants(of, METRIC_SOURCE_STATUS) && !needs_cpus)
		return;
	errnum = read_source(of, METRIC_SOURCE_STATUS);
	if (wants(of, METRIC_SOURCE_STATUS)) {
		if (errnum)
			note_errno(of, METRIC_SOURCE_STATUS, errnum);
		else
			took(of, METRIC_SOURCE_STATUS,
			     walk_take_status(text->at, text->n, of->sample, &cpus));
	} else if (!errnum) {
		proc_line_find((struct slice){ text->at, text->n }, "Cpus_allowed_list", &cpus);
	}
	if (!needs_cpus)
		return;
	if (errnum)
		walk_notes_absent(&of->notes, METRIC_SOURCE_AFFINITY,
				  walk_file_reason(of->folder, path_of(of, "status"), errnum));
	else
		take_cpus(of, cpus);
}

static void read_sched(struct reading_of *of)
{
	const struct walk_buffer *text = &of->reader->buffer;

	if (text_of(of, METRIC_SOURCE_SCHED))
		took(of, METRIC_SOURCE_SCHED,
		     walk_take_sched(text->at, text->n, of->sample, &of->notes.negative_times));
}

static void read_smaps(struct reading_of *of)
{
	const struct walk_buffer *text = &of->reader->buffer;
	struct stat st;
	int errnum;

	if (!wants(of, METRIC_SOURCE_SMAPS) || of->sample->tid != of->sample->tgid)
		return;
	errnum = read_source(of, METRIC_SOURCE_SMAPS);
	path_of(of, "");
	if (errnum == ESRCH && fstatat(of->folder, of->path, &st, 0) == 0) {
		walk_notes_absent(&of->notes, METRIC_SOURCE_SMAPS, SNAPSHOT_REASON_NO_MEMORY);
		return;
	}
	if (errnum) {
		note_errno(of, METRIC_SOURCE_SMAPS, errnum);
		return;
	}
	took(of, METRIC_SOURCE_SMAPS,
	     walk_tables_add_smaps(of->reader->tables, text->at, text->n, &of->sample->smaps));
}

/*
 * A kernel that does not count writes "0 0 0". A thread that was switched has been on a CPU, so
 * of such a one these are no numbers.
 */
static void doubt_schedstat(struct reading_of *of)
{
	static const enum metric_id ids[] = { METRIC_RUN_TIME_NS, METRIC_WAIT_TIME_NS,
					      METRIC_TIMESLICES };
	struct thread_sample *sample = of->sample;

	if (!(of->sources & sample->sources & METRIC_SOURCE_BIT(SCHEDSTAT)) ||
	    sample->values[METRIC_VOLUNTARY_CSW] + sample->values[METRIC_NONVOLUNTARY_CSW] == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (!sample_knows(sample, ids[i]) || sample->values[ids[i]])
			return;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		sample_forget(sample, ids[i]);
	sample->sources &= ~METRIC_SOURCE_BIT(SCHEDSTAT);
	walk_notes_absent(&of->notes, METRIC_SOURCE_SCHEDSTAT, SNAPSHOT_REASON_SWITCHED_OFF);
}

/* It is there, and something else than its end kept us from reading. */
static bool was_kept_from_us(const struct reading_of *of)
{
	for (int source = 0; source < N_METRIC_SOURCES; source++)
		if ((of->notes.absent >> source & 1) &&
		    of->notes.reasons[source] == SNAPSHOT_REASON_OTHER)
			return true;
	return false;
}

static bool is_ghost(const struct reading_of *of)
{
	const uint32_t identity = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT);

	if (was_kept_from_us(of))
		return false;
	if (of->sources & identity)
		return of->sample->comm == 0 && of->sample->start_ticks == 0;
	return of->sources && of->sample->sources == 0;
}

static void begin(struct reading_of *of, struct thread_reader *reader, int task_folder,
		  uint32_t sources, struct thread_sample *sample)
{
	*of = (struct reading_of){
		.reader = reader,
		.sample = sample,
		.folder = task_folder,
		.sources = sources,
	};
	of->path_n = (size_t)snprintf(of->path, sizeof(of->path), "%" PRIu32 "/", sample->tid);
}

static void read_the_rest(struct reading_of *of)
{
	const struct walk_buffer *text = &of->reader->buffer;
	struct thread_sample *sample = of->sample;

	if (text_of(of, METRIC_SOURCE_STAT))
		took(of, METRIC_SOURCE_STAT, walk_take_stat(text->at, text->n, sample));
	if (text_of(of, METRIC_SOURCE_SCHEDSTAT))
		took(of, METRIC_SOURCE_SCHEDSTAT, walk_take_schedstat(text->at, text->n, sample));
	if (text_of(of, METRIC_SOURCE_IO))
		took(of, METRIC_SOURCE_IO, walk_take_io(text->at, text->n, sample));
	read_status_and_affinity(of);
	read_sched(of);
	read_smaps(of);
	doubt_schedstat(of);
}

enum thread_outcome thread_reader_read(struct thread_reader *reader, int task_folder,
				       uint32_t sources, struct thread_sample *sample)
{
	struct reading_of of;

	if (reader->options->cgroup_glob)
		sources |= METRIC_SOURCE_BIT(CGROUP);
	begin(&of, reader, task_folder, sources, sample);
	reader->tally.tids_walked++;
	read_comm(&of);
	read_cgroup(&of);
	if (!is_wanted(&of))
		return THREAD_UNWANTED;
	read_the_rest(&of);
	if (is_ghost(&of))
		return THREAD_GHOST;
	walk_tally_commit(&reader->tally, &of.notes);
	return THREAD_KEPT;
}

/* Whether the number still belongs to the thread that began then. */
static bool is_same_thread(struct reading_of *of, uint64_t start_ticks)
{
	const struct walk_buffer *text = &of->reader->buffer;
	struct thread_sample now = { .tid = of->sample->tid, .tgid = of->sample->tgid };

	return read_source(of, METRIC_SOURCE_STAT) == 0 &&
	       walk_take_stat(text->at, text->n, &now) && now.start_ticks == start_ticks;
}

void thread_reader_fill(struct thread_reader *reader, int task_folder, uint32_t sources,
			struct thread_sample *sample)
{
	const struct thread_sample before = *sample;
	struct reading_of of;

	begin(&of, reader, task_folder, sources & ~sample->sources, sample);
	read_comm(&of);
	read_cgroup(&of);
	read_the_rest(&of);
	if (before.start_ticks && !is_same_thread(&of, before.start_ticks)) {
		*sample = before;
		for (uint32_t left = of.sources & ~of.notes.absent; left; left &= left - 1)
			walk_notes_absent(&of.notes, (enum metric_source)__builtin_ctz(left),
					  SNAPSHOT_REASON_VANISHED);
	}
	walk_tally_commit(&reader->tally, &of.notes);
}
