// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/job.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/shell_word.h"
#include "base/str.h"
#include "harness/limits.h"
#include "result/frames.h"
#include "result/limits.h"
#include "result/run_dir.h"
#include "vm/image/image.h"
#include "vm/link/mailbox.h"

_Static_assert((int)RESULT_LIMIT_RECORD_NAMES >= (int)HARNESS_LIMIT_REPEAT,
	       "every repeat has a record");

static char *topology_text(const struct topo *topology)
{
	struct strbuf text = STRBUF_INIT;

	topo_format(topology, &text);
	return strbuf_take(&text);
}

/* Each kind once, in the order in which the cgroups have them. */
static char *work_type(const struct exchange_declared_test *test)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < test->cgroups.n; i++) {
		const char *kind = test->cgroups.at[i].work;
		bool known = !kind;

		for (size_t j = 0; j < i && !known; j++)
			known = test->cgroups.at[j].work &&
				strcmp(test->cgroups.at[j].work, kind) == 0;
		if (!known)
			strbuf_appendf(&text, "%s%s", text.n ? "+" : "", kind);
	}
	return text.n ? strbuf_take(&text) : NULL;
}

static struct result_clock clock_of(const struct harness_clock *clock)
{
	if (clock->kind == VM_CLOCK_VIRTUAL)
		return (struct result_clock){ RESULT_CLOCK_VIRTUAL, clock->seed };
	return (struct result_clock){ .kind = RESULT_CLOCK_REAL };
}

void harness_job_describe(const struct harness_job *job, struct result_outcome *ret)
{
	const struct harness_variant *variant = job->variant;
	const struct exchange_declared_test *test = variant->test;

	ret->suite = xstrdup(variant->suite->name);
	ret->test = xstrdup(test->name);
	ret->name = xstrdup(variant->name);
	ret->id = xstrdup(variant->id);
	ret->topology = topology_text(&variant->topology);
	ret->clock = clock_of(&variant->clock);
	ret->kernel = xstrdup(variant->kernel->release);
	ret->scheduler = harness_job_join(&test->scheduler.argv);
	ret->source = xasprintf("%s:%d", test->file, test->line);
}

static void texts_deinit(struct exchange_text_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i]);
	free(list->at);
}

static struct exchange_text_list prefixed(const char *prefix, const struct exchange_text_list *list)
{
	struct exchange_text_list all = { xcalloc(list->n + 1, sizeof(*all.at)), list->n };

	for (size_t i = 0; i < list->n; i++)
		all.at[i] = xasprintf("%s%s", prefix, list->at[i]);
	return all;
}

void harness_job_describe_record(struct harness_job *job)
{
	const char *path = result_record_path(job->record);
	struct strbuf again = STRBUF_INIT;

	strbuf_append(&again, "ktstr rerun ");
	shell_append_path(&again, path);
	free(job->outcome.record_path);
	free(job->outcome.rerun);
	job->outcome.record_path = xstrdup(path);
	job->outcome.rerun = strbuf_take(&again);
}

/*
 * A glob is for the whole name, so this is one test; and whatever the suite is called when its
 * binary stands there alone.
 */
static char *command_line(const struct harness_job *job)
{
	const struct harness_variant *variant = job->variant;
	_cleanup_free_ char *pattern = xasprintf("*:%s", variant->test->name);
	struct strbuf line = STRBUF_INIT;

	strbuf_append(&line, "ktstr test ");
	shell_append_path(&line, variant->suite->path);
	strbuf_append(&line, " -k ");
	shell_append_word(&line, pattern);
	strbuf_append(&line, " --topology ");
	shell_append_word(&line, job->outcome.topology);
	strbuf_append(&line, " --kernel ");
	shell_append_word(&line, variant->kernel->id);
	strbuf_appendf(&line, " --clock %s", vm_clock_name(variant->clock.kind));
	if (variant->clock.kind == VM_CLOCK_VIRTUAL)
		strbuf_appendf(&line, " --seed %" PRIu64, variant->clock.seed);
	if (variant->clock.mips)
		strbuf_appendf(&line, " --mips %u", variant->clock.mips);
	return strbuf_take(&line);
}

size_t harness_job_record_absent(uint64_t memory_bytes, const struct host_facts *host,
				 enum vm_clock_kind clock,
				 struct result_absent ret[HARNESS_LIMIT_RECORD_ABSENT])
{
	size_t n = 0;

	ret[n++] = (struct result_absent){ "cleanup_duration_ms",
					   "a test does not report when its cleanup ended" };
	if (clock == VM_CLOCK_REAL)
		ret[n++] = (struct result_absent){
			"digest", "the guest's clock is real, so no other run sends the same"
		};
	if (memory_bytes == 0)
		ret[n++] = (struct result_absent){
			"memory_bytes", "the test does not ask for an amount of memory"
		};
	if (host && host->cpufreq_governor.rows.n == 0)
		ret[n++] = (struct result_absent){
			"host.cpufreq_governor",
			"no CPU of the host has a frequency governor that can be read"
		};
	return n;
}

enum { N_COMMITS = 3 };

/* Commits as far as they can be known, and why the others cannot. */
struct commits {
	char *scheduler, *project;
	struct result_absent absent[N_COMMITS];
	size_t n_absent;
};

static char *find_commit(struct commits *c, const char *member, const char *path)
{
	char *commit = NULL;
	_cleanup_error_ struct error *err = result_commit_of(path, &commit);

	if (err)
		c->absent[c->n_absent++] = (struct result_absent){ member,
								   xstrdup(error_message(err)) };
	return commit;
}

static void find_commits(const struct harness_job *job, struct commits *c)
{
	bool has_scheduler = job->variant->test->scheduler.argv.n && job->files->n > 1;

	c->absent[c->n_absent++] = (struct result_absent){
		"kernel_commit", xstrdup("the image of a kernel does not name its commit")
	};
	c->project = find_commit(c, "project_commit", job->variant->suite->path);
	/* The file after the binary is the scheduler's program. */
	if (has_scheduler)
		c->scheduler = find_commit(c, "scheduler_commit", job->files->at[1].path);
	else
		c->absent[c->n_absent++] = (struct result_absent){
			"scheduler_commit", xstrdup("the test has no scheduler of its own")
		};
}

static void commits_deinit(struct commits *c)
{
	free(c->scheduler);
	free(c->project);
	for (size_t i = 0; i < c->n_absent; i++)
		free((void *)(uintptr_t)c->absent[i].why);
}

/* The files as the record wants them, the test binary first; hashes is where their texts go. */
static struct result_file *describe_files(const struct harness_test_files *from, char **ret_hashes)
{
	struct result_file *files = xcalloc(from->n + 1, sizeof(*files));
	char *hashes = xcalloc(from->n + 1, HARNESS_VARIANT_ID_CHARS + 1);

	for (size_t i = 0; i < from->n; i++) {
		const struct harness_test_file *file = &from->at[i];
		char *hash = hashes + i * (HARNESS_VARIANT_ID_CHARS + 1);

		snprintf(hash, HARNESS_VARIANT_ID_CHARS + 1, "%016" PRIx64, file->hash);
		files[i] = (struct result_file){ file->name, file->path, hash, file->build_id };
	}
	*ret_hashes = hashes;
	return files;
}

struct error *harness_job_record_begin(struct harness_job *job)
{
	const struct harness_variant *variant = job->variant;
	const struct exchange_declared_test *test = variant->test;
	const struct kernel *kernel = variant->kernel;
	_cleanup_free_ char *work = work_type(test), *command = command_line(job), *hashes = NULL;
	_cleanup_free_ struct result_file *files = describe_files(job->files, &hashes);
	_cleanup_(commits_deinit) struct commits commits = { 0 };
	_cleanup_(texts_deinit) struct exchange_text_list sysctls = prefixed(
		"sysctl.", &test->scheduler.sysctls);
	struct result_run head = {
		.test = test->name,
		.id = variant->id,
		.suite = variant->suite->name,
		.name = variant->name,
		.source = job->outcome.source,
		.topology = job->outcome.topology,
		.memory_bytes = (uint64_t)test->memory_mb << 20,
		.clock = job->outcome.clock,
		.has_seed = variant->clock.kind == VM_CLOCK_VIRTUAL,
		.has_speed = variant->clock.kind == VM_CLOCK_VIRTUAL,
		.cpu_mips = variant->clock.speed.cpu_mips,
		.total_mips = variant->clock.speed.total_mips,
		.scheduler = job->outcome.scheduler,
		.sysctls = sysctls,
		.kernel_args = test->scheduler.kernel_args,
		.work_type = work,
		.kernel = { .id = kernel->id,
			    .release = kernel->release,
			    .build_id = kernel->build_id,
			    .source = kernel->source },
		.host = job->setting->host,
		.rerun = { .binary = files[0],
			   .files = { files + 1, job->files->n ? job->files->n - 1 : 0 },
			   .scheduler_argv = test->scheduler.argv,
			   .command = command },
	};
	struct result_absent absent[N_COMMITS + HARNESS_LIMIT_RECORD_ABSENT];
	size_t n_absent;

	find_commits(job, &commits);
	head.scheduler_commit = commits.scheduler;
	head.project_commit = commits.project;
	memcpy(absent, commits.absent, commits.n_absent * sizeof(*absent));
	n_absent = commits.n_absent;
	n_absent += harness_job_record_absent(head.memory_bytes, head.host, variant->clock.kind,
					      absent + n_absent);
	head.absent = (struct result_absences){ absent, n_absent };
	return result_record_begin(job->setting->options->dir, &head, &job->record);
}

/* The record's path with another end. The caller owns it. */
static char *path_beside(const struct harness_job *job, const char *tail)
{
	const char *path = result_record_path(job->record);
	size_t n = strlen(path);

	if (str_ends_with(path, RESULT_RECORD_FILE_TAIL))
		n -= strlen(RESULT_RECORD_FILE_TAIL);
	return xasprintf("%.*s%s", (int)n, path, tail);
}

char *harness_job_kept_dir(const struct harness_job *job)
{
	return path_beside(job, ".kept");
}

const char *harness_frame_type_name(uint32_t number)
{
	enum wire_type type;

	return number <= UINT16_MAX && wire_type_find((uint16_t)number, &type)
		       ? wire_type_name(type)
		       : "unknown";
}

void harness_format_hash(uint64_t hash, char ret[HARNESS_VARIANT_ID_CHARS + 1])
{
	snprintf(ret, HARNESS_VARIANT_ID_CHARS + 1, "%016" PRIx64, hash);
}

const char *harness_ktstr_hash(char ret[HARNESS_VARIANT_ID_CHARS + 1])
{
	struct bytes agent = vm_agent_image(), plugin = vm_plugin_image();
	uint64_t hash = hash_bytes(hash_bytes(HASH_INIT, agent.at, agent.n), plugin.at, plugin.n);

	harness_format_hash(hash, ret);
	return ret;
}

void harness_job_keep_frames(struct harness_job *job, const struct vm_facts *facts)
{
	_cleanup_result_frames_ struct result_frames frames = { .digest = facts->digest };
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ char *path = NULL;
	const struct vm_frame_note *notes;
	size_t n;

	if (!job->record || facts->clock != VM_CLOCK_VIRTUAL)
		return;
	notes = vm_frame_notes(job->vm, &n);
	for (size_t i = 0; i < n; i++)
		result_frames_add(&frames,
				  &(struct result_frame){
					  .time_ns = notes[i].time_ns,
					  .hash = notes[i].hash,
					  .type = wire_type_number((enum wire_type)notes[i].type),
					  .channel = notes[i].channel,
					  .n = notes[i].n,
				  });
	path = path_beside(job, RESULT_FRAMES_FILE_TAIL);
	err = result_frames_write(job->setting->options->dir, path, &frames);
	if (err)
		result_outcome_add_note(&job->outcome, error_message(err));
	else
		job->frames_file = xstrdup(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
}

/* Texts that a record borrows until it is written. */
struct hashes {
	char digest[HARNESS_VARIANT_ID_CHARS + 1], files[HARNESS_VARIANT_ID_CHARS + 1],
		ktstr[HARNESS_VARIANT_ID_CHARS + 1];
};

/* What is known of a guest that came to be. */
static void describe_guest(const struct harness_job *job, const struct vm_facts *facts,
			   struct result_run *run, struct hashes *hashes)
{
	const struct strbuf *archive = &job->archive;

	run->accel = facts->accel;
	run->accel_reason = facts->accel_reason;
	run->cloned = facts->cloned;
	run->qemu_version = job->setting->qemu_version;
	run->has_guest_end = facts->guest_ns > 0;
	run->guest_end_ns = facts->guest_ns;
	if (facts->clock != VM_CLOCK_VIRTUAL)
		return;
	run->has_turn = facts->turn_ns > 0;
	run->turn_us = (double)facts->turn_ns / 1000;
	harness_format_hash(facts->digest, hashes->digest);
	harness_format_hash(hash_bytes(HASH_INIT, archive->at, archive->n), hashes->files);
	run->digest = hashes->digest;
	run->files_hash = hashes->files;
	run->ktstr_hash = harness_ktstr_hash(hashes->ktstr);
	run->tools_hash = job->setting->tools_hash;
}

struct error *harness_job_record_finish(struct harness_job *job,
					const struct harness_guest_run *run,
					const struct vm_facts *facts,
					const struct harness_kept_files *kept,
					const struct cancel *cancel)
{
	struct result_record_result result = {
		.outcome = &job->outcome,
		.run.kept_files = { kept->names.at, kept->names.n },
		.context = (void *)(uintptr_t)run,
	};
	struct result_stage stages[HARNESS_LIMIT_REPORT_STAGES];
	struct hashes hashes;
	_cleanup_error_ struct error *problem = NULL;
	struct error *err;

	if (facts)
		describe_guest(job, facts, &result.run, &hashes);
	result.run.frames_file = job->frames_file;
	if (run) {
		for (size_t i = 0; i < run->report.stages.n; i++)
			stages[i] = (struct result_stage){
				wire_stage_name(run->report.stages.at[i].name),
				run->report.stages.at[i].at_ms,
			};
		result.run.stages.at = stages;
		result.run.stages.n = run->report.stages.n;
		result.payloads = run->report.payloads.at;
		result.n_payloads = run->report.payloads.n;
		result.run.has_host_run_delay = run->disturbance.has;
		result.run.host_run_delay_ns = run->disturbance.run_delay_ns;
		result.stats_rows = &job_stats_rows;
		result.write_stats = harness_job_facts_write_stats;
		result.write_facts = harness_job_facts_write;
	}
	err = result_record_finish(job->record, &result, cancel, &problem);
	if (problem)
		result_outcome_add_note(&job->outcome, error_message(problem));
	harness_job_describe_record(job);
	return err;
}
