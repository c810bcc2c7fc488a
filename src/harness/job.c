// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/job.h"

#include <libgen.h>
#include <string.h>

#include "checks/check.h"
#include "base/io.h"
#include "base/paths.h"
#include "elf/image.h"
#include "harness/limits.h"
#include "harness/needs.h"
#include "vm/link/exec.h"
#include "vm/pages/pages.h"
#include "vm/image/image.h"
#include "vm/template/template.h"

enum { CONSOLE_BYTES = 1 << 20 };

static const struct exchange_declared_test *test_of(const struct harness_job *job)
{
	return job->variant->test;
}

bool harness_variant_measures_time(const struct harness_variant *variant)
{
	/* What the guest's clock counts does not depend on what runs beside it. */
	return variant->clock.kind == VM_CLOCK_REAL && checks_judge_time(&variant->test->checks);
}

bool harness_job_measures_time(const struct harness_job *job)
{
	return harness_variant_measures_time(job->variant);
}

static struct error *warm_up(void *context, struct vm *vm, const struct cancel *cancel)
{
	struct harness_job *job = context;
	struct error *err = harness_guest_run_warm_up(vm, job->files->at[0].name, &job->archive,
						      cancel);

	/* The test is run even if the warm-up did not end in time. */
	if (error_is(err, &base_error_domain, BASE_CANCELLED) && !cancel_requested(cancel)) {
		error_free(err);
		err = NULL;
	}
	job->files_in = !err;
	return err ? err : vm_settle(vm, cancel, &job->vm_settled);
}

static void on_template(void *context)
{
	const struct harness_job *job = context;

	if (job->setting->on_template)
		job->setting->on_template(job->setting->context, job->index);
}

/* The guest that a variant wants: the same for two variants if they can share a template. */
static struct vm_spec job_spec(const struct harness_job *job)
{
	const struct harness_clock *clock = &job->variant->clock;
	bool counts = clock->kind == VM_CLOCK_VIRTUAL;

	return (struct vm_spec){
		.kernel = job->variant->kernel,
		.topology = job->variant->topology,
		.memory_bytes = (uint64_t)test_of(job)->memory_mb << 20,
		/* Only the translator counts instructions. */
		.accel = counts ? VM_ACCEL_WISH_TCG : job->setting->options->accel,
		.clock = clock->kind,
		.mips = clock->mips,
		.seed = clock->seed,
		.kernel_args = *job->kernel_args ? job->kernel_args : NULL,
		.cold = job->setting->options->cold,
		.on_template = on_template,
		.say_context = (void *)(uintptr_t)job,
	};
}

char *harness_job_join(const struct exchange_text_list *words)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < words->n; i++)
		strbuf_appendf(&text, "%s%s", i ? " " : "", words->at[i]);
	return text.n ? strbuf_take(&text) : xstrdup("");
}

static void settle(struct harness_job *job, enum ktstr_reason reason, const char *text)
{
	result_outcome_add_part(&job->outcome, reason, NULL, 0, text);
	job->settled = true;
}

static void settle_error(struct harness_job *job, enum ktstr_reason reason, struct error *err)
{
	settle(job, reason, error_message(err));
	error_free(err);
}

/*
 * A static test binary goes without its debug information: nobody reads that in the guest, and it
 * is most of what would have to be sent.
 */
static struct error *add_binary(struct vm_guest_files *g, const struct harness_test_file *file,
				struct strbuf *bytes, bool *ret_added)
{
	_cleanup_free_ char *name = xasprintf(WIRE_TEST_DIR "/%s", file->name);
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT;
	struct error *err = io_read_file(file->path, HARNESS_LIMIT_BINARY_BYTES, &whole);

	if (err)
		return err;
	*ret_added = elf_loadable((struct bytes){ (const uint8_t *)whole.at, whole.n }, bytes);
	return *ret_added ? vm_guest_files_add_bytes(g, name, 0755, bytes->at, bytes->n) : NULL;
}

static struct error *pack(struct harness_job *job)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	const struct harness_test_files *files = job->files;
	const struct vm_spec spec = job_spec(job);
	uint64_t memory_bytes = spec.memory_bytes ? spec.memory_bytes
						  : vm_ram_default_bytes(&spec.topology);
	_cleanup_strbuf_ struct strbuf binary = STRBUF_INIT;
	bool added = false;
	struct error *err = vm_guest_files_add_dir(g, WIRE_TEST_DIR);

	if (!err)
		err = add_binary(g, &files->at[0], &binary, &added);
	for (size_t i = added; !err && i < files->n; i++) {
		const struct harness_test_file *file = &files->at[i];
		_cleanup_free_ char *name = xasprintf(WIRE_TEST_DIR "/%s", file->name);

		err = vm_guest_files_add_program_at(g, file->path, name);
	}
	if (!err)
		err = vm_guest_files_pack(g, memory_bytes / 2, &job->archive);
	/* After the files were read: what was packed must match what the record says. */
	return err ? err : harness_files_check(files);
}

void harness_job_open(struct harness_job *job, const struct harness_job_setting *setting,
		      size_t index)
{
	_cleanup_free_ char *why = NULL;
	enum ktstr_reason reason;
	struct error *err;

	*job = (struct harness_job){
		.setting = setting,
		.variant = &setting->plan->variants.at[index],
		.index = index,
		.began_ns = clock_monotonic_ns(),
	};
	job->files = setting->options->files_of(setting->options->files_context,
						job->variant->test);
	job->kernel_args = harness_job_join(&job->variant->test->scheduler.kernel_args);
	harness_job_describe(job, &job->outcome);
	err = harness_job_record_begin(job);
	if (err) {
		settle_error(job, KTSTR_REASON_HOST, err);
		return;
	}
	harness_job_describe_record(job);
	if (!harness_needs_met(test_of(job), &job->variant->topology, job->variant->kernel, &reason,
			       &why)) {
		settle(job, reason, why);
		return;
	}
	err = pack(job);
	if (err)
		settle_error(job, KTSTR_REASON_FILES, err);
}

static void settle_vm(struct harness_job *job, struct error *err, const struct cancel *cancel)
{
	struct harness_guest_run run = {
		.test = test_of(job),
		.how = cancel_requested(cancel) ? HARNESS_RUN_INTERRUPTED : HARNESS_RUN_VM_ERROR,
		.error = err,
	};

	harness_judge(&run, &job->outcome);
	job->settled = true;
	error_free(err);
}

void harness_job_prepare(struct harness_job *job, const struct cancel *cancel)
{
	struct vm_spec spec = job_spec(job);
	struct error *err;

	if (job->settled)
		return;
	spec.ret_console = &job->console;
	spec.warm_up = warm_up;
	err = vm_prepare(&spec, cancel, &job->vm);
	if (err)
		settle_vm(job, err, cancel);
	job->prepared_ns = clock_monotonic_ns();
}

static struct error *wake(struct harness_job *job, const struct cancel *cancel)
{
	struct vm_spec spec = job_spec(job);

	if (job->vm)
		return vm_release(job->vm, cancel);
	spec.ret_console = &job->console;
	return vm_start(&spec, cancel, &job->vm);
}

static void on_stage(void *context, enum wire_stage stage)
{
	const struct harness_job *job = context;

	if (job->setting->on_stage)
		job->setting->on_stage(job->setting->context, job->index, stage);
}

static bool wants_to_keep(const struct harness_job *job)
{
	return job->record && (job->setting->options->keep || (job->outcome.verdict != KTSTR_PASS &&
							       job->outcome.verdict != KTSTR_SKIP));
}

/* Last of all: the guest is asked whose the pages are, and is another then. */
static void read_pages(struct harness_job *job, struct harness_guest_run *run,
		       const struct cancel *cancel)
{
	if (vm_facts(job->vm).clock != VM_CLOCK_VIRTUAL || run->how != HARNESS_RUN_COMPLETED ||
	    !vm_facts(job->vm).cloned || !wants_to_keep(job))
		return;
	error_free(vm_pages_format(job->vm, cancel, &run->pages));
}

/* A directory beside the record, to find out why the test failed. */
static void keep(struct harness_job *job, const struct harness_guest_run *run,
		 struct harness_kept_files *ret)
{
	struct error *err;
	char *dir;

	if (!wants_to_keep(job))
		return;
	dir = harness_job_kept_dir(job);
	err = harness_kept_write(dir, &job->console, run, ret);
	if (!err && ret->names.n) {
		job->outcome.kept_dir = dir;
		return;
	}
	if (err) {
		/* Half of it takes the room that the record may need. */
		result_outcome_add_note(&job->outcome, error_message(err));
		error_free(paths_remove(dir));
	}
	error_free(err);
	free(dir);
}

/* Where both have no room, the verdict is worth more than the logs. */
static struct error *finish_record(struct harness_job *job, const struct harness_guest_run *run,
				   const struct vm_facts *facts, struct harness_kept_files *kept,
				   const struct cancel *cancel)
{
	struct error *err = harness_job_record_finish(job, run, facts, kept, cancel);

	if (!err || error_errno(err) != ENOSPC || !job->outcome.kept_dir)
		return err;
	error_free(err);
	error_free(paths_remove(job->outcome.kept_dir));
	free(take_ptr(job->outcome.kept_dir));
	harness_kept_files_deinit(kept);
	*kept = (struct harness_kept_files){ 0 };
	result_outcome_add_note(&job->outcome, "console and logs were given up: the disk is full");
	return harness_job_record_finish(job, run, facts, kept, cancel);
}

/* The guest is over; the rest is paper. */
static void close_job(struct harness_job *job, const struct harness_guest_run *run,
		      const struct vm_facts *facts, const struct cancel *cancel)
{
	_cleanup_harness_kept_files_ struct harness_kept_files kept = { 0 };
	struct error *err;

	job->outcome.wall_ns = clock_monotonic_ns() - job->began_ns;
	result_outcome_settle(&job->outcome);
	keep(job, run, &kept);
	if (!job->record)
		return;
	err = finish_record(job, run, facts, &kept, cancel);
	if (err) {
		result_outcome_add_part(&job->outcome, KTSTR_REASON_HOST, NULL, 0,
					error_message(err));
		result_outcome_settle(&job->outcome);
		error_free(err);
	}
}

/* A guest that hung or panicked is frozen and kept for inspection. */
static void keep_guest(struct harness_job *job, const struct harness_guest_run *run)
{
	_cleanup_free_ char *note = NULL;
	const char *id = vm_facts(job->vm).id;

	if (!job->setting->options->keep_guest_sec || !vm_can_be_kept(job->vm, run->error) ||
	    !job->setting->may_keep_guest(job->setting->context))
		return;
	error_free(vm_freeze(job->vm));
	note = xasprintf(
		"the guest is kept for %u s: `ktstr inspect vm:%s --freeze`, `ktstr vm kill %s`",
		job->setting->options->keep_guest_sec, id, id);
	result_outcome_add_note(&job->outcome, note);
	job->keeps_guest = true;
}

void harness_job_run(struct harness_job *job, const struct cancel *cancel)
{
	_cleanup_harness_guest_run_ struct harness_guest_run run = {
		.test = test_of(job),
		.topology = &job->variant->topology,
		.program = job->files->at[0].name,
		.archive = job->files_in ? NULL : &job->archive,
		.settled = job->vm_settled,
		.on_stage = on_stage,
		.context = job,
	};
	struct vm_facts facts = { 0 };
	struct error *err;

	/* While others ran, it cost nothing. */
	if (job->prepared_ns)
		job->began_ns += clock_monotonic_ns() - job->prepared_ns;
	if (job->settled) {
		close_job(job, NULL, NULL, cancel);
		return;
	}
	err = wake(job, cancel);
	if (err) {
		settle_vm(job, err, cancel);
		close_job(job, NULL, NULL, cancel);
		return;
	}
	harness_guest_run(&run, job->vm, cancel);
	/* Only now it is known what it sent. */
	facts = vm_facts(job->vm);
	error_free(vm_console_read_tail(facts.console_path, CONSOLE_BYTES, &job->console));
	if (facts.clock == VM_CLOCK_VIRTUAL && facts.touched)
		result_outcome_add_note(&job->outcome,
					"the guest was stopped from outside while it ran: another "
					"run may differ");
	harness_judge(&run, &job->outcome);
	harness_job_keep_frames(job, &facts);
	read_pages(job, &run, cancel);
	keep_guest(job, &run);
	close_job(job, &run, &facts, cancel);
}

void harness_job_deinit(struct harness_job *job)
{
	vm_free(job->vm);
	result_record_free(job->record);
	result_outcome_deinit(&job->outcome);
	strbuf_deinit(&job->archive);
	strbuf_deinit(&job->console);
	free(job->kernel_args);
	free(job->frames_file);
	*job = (struct harness_job){ 0 };
}
