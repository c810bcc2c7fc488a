// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/run_record.h"

#include <stdlib.h>
#include <string.h>

#include "result/limits.h"

/* Absent and null both mean unknown. */
#define TABLE(rows)                                                                        \
	{ JSON_TABLE(rows), .null_is_absent = true, .text_limit = RESULT_LIMIT_TEXT_BYTES, \
	  .list_limit = RESULT_LIMIT_LIST }
#define ROW(member)	     JSON_SCALAR(struct result_run, member)
#define ROW_AS(member, name) JSON_SCALAR_AS(struct result_run, member, name)

static const char *const state_names[RESULT_N_STATES] = {
	[RESULT_STARTED] = "started",
	[RESULT_FINISHED] = "finished",
};

static const struct json_row state_rows[] = {
	{ JSON_WORD(struct result_run, state, state_names), .presence = JSON_REQUIRED,
	  .means = "a record that stays started is of a run whose end nobody saw" },
};

const struct json_rows result_state_rows = {
	JSON_TABLE(state_rows),
	.version_name = "schema",
	.version = RESULT_SCHEMA,
	.oldest_version = RESULT_OLDEST_SCHEMA,
};

static const struct json_row verdict_rows[] = {
	{ JSON_WORD(struct result_run, verdict, result_verdict_names), .presence = JSON_REQUIRED,
	  .means = "what came of the test" },
	{ JSON_WORD(struct result_run, reason, exchange_reason_names), .presence = JSON_REQUIRED,
	  .means = "why, in one word, see ktstr-test(1)" },
	{ ROW(why), .presence = JSON_REQUIRED,
	  .means = "why, in one line; empty for a plain pass" },
	/* The reference has no other words: a skip is a pass that is marked. */
	{ ROW(passed), .means = "whether the verdict is pass or skip" },
	{ ROW(skipped), .means = "whether the verdict is skip" },
	{ ROW_AS(problem, "record_problem"),
	  .means = "why this record could not replace the one that was started" },
	{ ROW(left_out), .means = "what is not here, since the record would be too large" },
};

static const char *check_verdict(const void *of)
{
	const struct result_run *run = of;

	return result_reason_verdict(run->reason) == run->verdict
		       ? NULL
		       : "has a reason that does not give its verdict";
}

const struct json_rows result_verdict_rows = {
	JSON_TABLE(verdict_rows),
	.null_is_absent = true,
	.text_limit = RESULT_LIMIT_TEXT_BYTES,
	.check = check_verdict,
};

static const struct json_row kernel_rows[] = {
	{ ROW_AS(kernel.id, "id"), .means = "its name in the cache" },
	{ ROW_AS(kernel.release, "release"), .means = "what uname -r says in the guest" },
	{ ROW_AS(kernel.build_id, "build_id"), .means = "its build ID" },
	{ ROW_AS(kernel.source, "source"), .means = "package and version, or path" },
};
static const struct json_rows kernel_table = TABLE(kernel_rows);

static const struct json_row runner_rows[] = {
	{ ROW_AS(runner_pid, "pid"), .means = "its number" },
	{ ROW_AS(runner_start_jiffies, "start_time_jiffies"), .absent_zero = true,
	  .means = "when it started, which tells it from a later one of the same number" },
};
static const struct json_rows runner_table = TABLE(runner_rows);

#define FILE(member) JSON_SCALAR(struct result_file, member)
static const struct json_row file_rows[] = {
	{ FILE(name), .means = "what it is called in the guest" },
	{ FILE(path), .presence = JSON_REQUIRED, .means = "where it was on the host" },
	{ FILE(hash), .means = "hash of its content" },
	{ FILE(build_id), .means = "its build ID, if it has one" },
};
static const struct json_rows file_table = TABLE(file_rows);

static const struct json_row rerun_rows[] = {
	{ JSON_OBJECT_AS(struct result_run, rerun.binary, "binary", &file_table),
	  .absent_zero = true, .means = "the test binary" },
	{ ROW_AS(rerun.test, "test"), .means = "the test's name" },
	{ ROW_AS(rerun.topology, "topology"), .means = "the topology that was booted" },
	{ ROW_AS(rerun.memory_bytes, "memory_bytes"), .absent_zero = true,
	  .means = "memory that the test asked for" },
	{ ROW_AS(rerun.kernel_id, "kernel_id"), .means = "the kernel's name in the cache" },
	{ ROW_AS(rerun.kernel_build_id, "kernel_build_id"), .means = "the kernel's build ID" },
	{ JSON_STRINGS_AS(struct result_run, rerun.kernel_args, "kernel_args"),
	  .means = "what was added to the kernel's command line" },
	{ JSON_STRINGS_AS(struct result_run, rerun.scheduler_argv, "scheduler_argv"),
	  .means = "the scheduler and its arguments" },
	{ JSON_OBJECTS_AS(struct result_run, rerun.files, "files", &file_table),
	  .means = "files that were sent into the guest beside the binary" },
	{ ROW_AS(rerun.command, "command"),
	  .means = "a command line that runs this variant alone" },
};
static const struct json_rows rerun_table = TABLE(rerun_rows);

static struct error *read_host(const struct json_value *value, void *member)
{
	struct host_facts *host = xnew(struct host_facts);
	struct error *err = host_facts_load(value, "host", host);

	*(const struct host_facts **)member = host;
	return err;
}

static bool host_is_absent(const void *member)
{
	return !*(const struct host_facts *const *)member;
}

static void write_host(const void *member, struct json_writer *w)
{
	host_facts_write(*(const struct host_facts *const *)member, w);
}

static void host_deinit(void *member)
{
	struct host_facts **host = member;

	if (*host)
		host_facts_deinit(*host);
	free(*host);
	*host = NULL;
}

static const struct json_codec host_codec = {
	.type = "object",
	.read = read_host,
	.is_absent = host_is_absent,
	.write = write_host,
	.deinit = host_deinit,
	.rows = &host_facts_rows,
};

static const struct json_row absent_rows[] = {
	{ JSON_SCALAR(struct result_absent, member), .presence = JSON_REQUIRED,
	  .means = "the member, which another record or version may have" },
	{ JSON_SCALAR(struct result_absent, why), .presence = JSON_REQUIRED,
	  .means = "why it is not there" },
};
static const struct json_rows absent_table = TABLE(absent_rows);

static const struct json_row head_rows[] = {
	{ ROW_AS(test, "test_name"), .presence = JSON_REQUIRED, .means = "the test's name" },
	{ ROW_AS(id, "variant_id"), .presence = JSON_REQUIRED,
	  .means = "hash of what makes two runs the same variant of a test" },
	{ ROW(name), .means = "the variant's name, as reports show it" },
	{ ROW(suite), .means = "name of the test binary" },
	{ ROW(source), .means = "file and line of the test" },
	{ ROW(topology), .means = "the topology that was booted" },
	{ ROW(memory_bytes), .absent_zero = true, .means = "memory that the test asked for" },
	{ JSON_WORD_AS(struct result_run, clock.kind, "clock", result_clock_names),
	  .absent_zero = true,
	  .means = "what time is in the guest: real, the host's, or virtual, which counts its "
		   "instructions; without it real" },
	{ ROW_AS(clock.seed, "seed"), JSON_HAS(struct result_run, has_seed),
	  .means = "of a virtual clock: what decides random bytes and where turns of CPUs end" },
	{ ROW(cpu_mips), JSON_HAS(struct result_run, has_speed),
	  .means = "of a virtual clock: millions of instructions per second that one CPU executes "
		   "when all are busy" },
	{ ROW(total_mips), .with = "cpu_mips", .means = "the same of all CPUs together" },
	{ ROW(scheduler), .means = "the scheduler and its arguments; empty for the kernel's own" },
	{ ROW(scheduler_commit),
	  .means = "commit that was checked out around the scheduler's program" },
	{ ROW(project_commit), .means = "commit that was checked out around the test binary" },
	{ ROW(payload), .means = "the program that the test is about" },
	{ JSON_STRINGS(struct result_run, sysctls), .means = "settings of the guest's kernel" },
	{ JSON_STRINGS_AS(struct result_run, kernel_args, "kargs"),
	  .means = "what was added to the kernel's command line" },
	{ ROW_AS(kernel.release, "kernel_version"), .means = "the same as kernel.release" },
	{ ROW_AS(kernel.commit, "kernel_commit"), .means = "the kernel's commit" },
	{ JSON_GROUP("kernel", &kernel_table), .means = "the guest's kernel" },
	{ ROW(timestamp), .means = "when the run was started, in UTC" },
	{ ROW(run_id), .means = "what tells this run from every other" },
	{ ROW(run_source), .means = "where it ran: ci if KTSTR_CI was set, else local" },
	{ JSON_GROUP("runner", &runner_table), .means = "the process that ran the test" },
	{ ROW(work_type), .means = "kinds of work of the cgroups, joined by a plus" },
	{ JSON_GROUP("rerun", &rerun_table), .means = "what ktstr-rerun(1) needs" },
	{ JSON_CUSTOM(struct result_run, host, &host_codec), .means = "the host" },
	{ JSON_OBJECTS(struct result_run, absent, &absent_table),
	  .means = "members that this record does not have, and why" },
};
const struct json_rows result_head_rows = TABLE(head_rows);

static struct error *read_part_verdict(const struct json_value *value, void *member)
{
	const enum ktstr_reason *reason = member;

	if (!json_text_is(json_string(value), result_verdict_name(result_reason_verdict(*reason))))
		return base_error(BASE_PARSE, 0, "not the verdict that the reason gives");
	return NULL;
}

static void write_part_verdict(const void *member, struct json_writer *w)
{
	json_write_string(
		w, result_verdict_name(result_reason_verdict(*(const enum ktstr_reason *)member)));
}

static const struct json_codec part_verdict_codec = {
	.type = "string",
	.read = read_part_verdict,
	.write = write_part_verdict,
};

static const struct json_row part_rows[] = {
	{ JSON_WORD(struct exchange_part, reason, exchange_reason_names), .presence = JSON_REQUIRED,
	  .means = "why, in one word" },
	{ JSON_CUSTOM_AS(struct exchange_part, reason, "verdict", &part_verdict_codec),
	  .presence = JSON_REQUIRED, .means = "the verdict that the reason gives" },
	{ JSON_SCALAR(struct exchange_part, text), .presence = JSON_REQUIRED,
	  .means = "what was seen" },
	{ JSON_SCALAR(struct exchange_part, file), .means = "source file of the check" },
	{ JSON_SCALAR(struct exchange_part, line), .with = "file", .means = "its line" },
};
static const struct json_rows part_table = TABLE(part_rows);

static const struct json_row stage_rows[] = {
	{ JSON_SCALAR(struct result_stage, name), .means = "the stage that was entered" },
	{ JSON_SCALAR(struct result_stage, at_ms),
	  .means = "when, by the guest's clock from the beginning of the test" },
};
static const struct json_rows stage_table = TABLE(stage_rows);

/* Reruns compare it. */
static const char *check_digest(const void *member)
{
	const char *text = *(const char *const *)member;

	return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16
		       ? NULL
		       : "is not 16 hexadecimal digits";
}

/* It is opened in the record's directory: a path could lead out of it. */
static const char *check_file_name(const void *member)
{
	const char *text = *(const char *const *)member;

	return *text && *text != '.' && !strchr(text, '/') ? NULL : "is not the name of a file";
}

static const struct json_row fact_rows[] = {
	{ JSON_OBJECTS(struct result_run, parts, &part_table),
	  .means = "all that the verdict is made of; the heaviest decides" },
	{ JSON_STRINGS(struct result_run, notes), .means = "what is worth knowing beside it" },
	{ ROW(wall_ms), JSON_HAS(struct result_run, has_wall),
	  .means = "how long it took the host" },
	{ ROW_AS(cleanup_ms, "cleanup_duration_ms"), JSON_HAS(struct result_run, has_cleanup),
	  .means = "how long the stage cleanup took" },
	{ ROW(accel), .means = "accelerator of the guest: kvm or tcg" },
	{ ROW(accel_reason), .with = "accel", .means = "why this accelerator was chosen" },
	{ ROW(cloned), .with = "accel", .means = "whether the guest is a clone of a template" },
	{ ROW(qemu_version), .means = "the version of QEMU" },
	{ ROW(ktstr_hash), .means = "of a virtual clock: hash of ktstr's agent in the guest and of "
				    "its plugin in QEMU" },
	{ ROW(tools_hash), .check = check_digest,
	  .means = "of a virtual clock: a hash of the guest's busybox and of its libraries, which "
		   "come from the host" },
	{ ROW(files_hash), .check = check_digest,
	  .means =
		  "of a virtual clock: a hash of all files that were sent into the guest, libraries "
		  "of programs among them" },
	{ ROW(turn_us), JSON_HAS(struct result_run, has_turn),
	  .means = "of a virtual clock: the longest turn of a CPU, in the guest's time" },
	{ ROW(guest_end_ns), JSON_HAS(struct result_run, has_guest_end),
	  .means = "the guest's CLOCK_MONOTONIC when it was last heard" },
	{ ROW(digest), .check = check_digest,
	  .means = "of a virtual clock: a hash of everything that the guest sent and when; the "
		   "same for a run that is identical to the bit" },
	{ ROW(frames_file), .check = check_file_name,
	  .means = "of a virtual clock: the file beside the record that has a line for every frame "
		   "that the guest sent" },
	{ ROW(host_run_delay_ns), JSON_HAS(struct result_run, has_host_run_delay),
	  .means = "how long QEMU's threads waited for a CPU of the host" },
	{ JSON_OBJECTS(struct result_run, stages, &stage_table), .means = "stages of the test" },
	{ ROW(kept_dir),
	  .means = "directory with console, logs and dumps, unless the test passed or was skipped "
		   "without --keep; a relative path starts where ktstr test was started" },
	{ JSON_STRINGS(struct result_run, kept_files), .with = "kept_dir", .means = "files in it" },
};
const struct json_rows result_fact_rows = TABLE(fact_rows);
