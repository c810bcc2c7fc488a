// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/job.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "harness/needs.h"

/* The first in PATH is the test's own directory. */
#define GUEST_PATH \
	"PATH=" WIRE_TEST_DIR ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Only to be translated; a binary that hangs here will hang again, and then it counts. */
enum { WARM_UP_SEC = 60 };

void harness_guest_run_deinit(struct harness_guest_run *run)
{
	error_free(run->error);
	harness_test_report_deinit(&run->report);
	strbuf_deinit(&run->pages);
	for (size_t i = 0; i < ARRAY_SIZE(run->streams); i++)
		strbuf_deinit(&run->streams[i].text);
}

struct listener {
	struct harness_guest_run *run;
	struct vm *vm;
	bool report_is_bad;
};

/* Half of the room is for the beginning, half for the end. */
static void keep(struct harness_guest_stream *stream, const char *bytes, size_t n)
{
	struct strbuf *text = &stream->text;
	size_t half = HARNESS_GUEST_RUN_STREAM_BYTES / 2;
	size_t excess;

	strbuf_append_bytes(text, bytes, n);
	if (text->n <= HARNESS_GUEST_RUN_STREAM_BYTES)
		return;
	excess = text->n - HARNESS_GUEST_RUN_STREAM_BYTES;
	memmove(text->at + half, text->at + half + excess, text->n - half - excess);
	text->n -= excess;
	stream->dropped_bytes += excess;
}

static void end_watch(struct harness_guest_run *run)
{
	if (run->watching_)
		harness_disturbance_end(&run->watch_, run->disturbance.tcg, run->disturbance.vcpus,
					&run->disturbance);
	run->watching_ = false;
}

static void sample_host(void *context)
{
	struct harness_guest_run *run = ((struct listener *)context)->run;

	if (run->watching_)
		harness_disturbance_sample(&run->watch_);
}

static void follow_stage(struct harness_guest_run *run, struct vm *vm, bool had_stage,
			 enum wire_stage before)
{
	const struct harness_test_report *report = &run->report;

	if (!report->has_stage || (had_stage && report->stage == before))
		return;
	if (report->stage == WIRE_STAGE_WORK && !run->clock.is_virtual) {
		harness_disturbance_begin("/proc", vm_facts(vm).qemu_pid, &run->watch_);
		run->watching_ = true;
	} else {
		end_watch(run);
	}
	if (run->on_stage)
		run->on_stage(run->context, report->stage);
}

static struct error *listen(void *context, enum vm_stream stream, const void *bytes, size_t n)
{
	struct listener *listener = context;
	struct harness_guest_run *run = listener->run;
	bool had_stage = run->report.has_stage;
	enum wire_stage before = run->report.stage;
	struct error *err;

	if (stream != VM_REPORT) {
		keep(&run->streams[stream], bytes, n);
		return NULL;
	}
	run->heard_ns_ = vm_facts(listener->vm).guest_ns;
	err = harness_test_report_take(&run->report, bytes, n);
	listener->report_is_bad = err != NULL;
	follow_stage(run, listener->vm, had_stage, before);
	return err;
}

/* NULL with a real clock: what cannot repeat is not to look as if a seed decided it. */
static char *seed_variable(const struct vm *vm)
{
	const struct vm_facts facts = vm_facts(vm);

	if (facts.clock != VM_CLOCK_VIRTUAL)
		return NULL;
	return xasprintf(WIRE_SEED_ENV "=%" PRIu64, facts.seed);
}

static void run_test(struct harness_guest_run *run, struct vm *vm, const struct cancel *cancel)
{
	_cleanup_free_ char *program = xasprintf("./%s", run->program);
	_cleanup_free_ char *slowness = xasprintf(WIRE_SLOWNESS_ENV "=%.3f", run->slowness);
	_cleanup_free_ char *descriptor = xasprintf(WIRE_REPORT_ENV "=%d", WIRE_REPORT_FD);
	_cleanup_free_ char *seed = seed_variable(vm);
	const char *const argv[] = { program, "--run", run->test->name, NULL };
	const char *const env[] = { GUEST_PATH, slowness, descriptor, seed, NULL };
	struct listener listener = { .run = run, .vm = vm };
	struct vm_command command = {
		.argv = argv,
		.env = env,
		.cwd = WIRE_TEST_DIR,
		.stdin_fd = -1,
		.report = true,
		.on_output = listen,
		.tick = sample_host,
		.context = &listener,
		.timeout_ns = run->limit_ns,
		.patience_ns = harness_time_limit_silence_ns(run->test),
	};

	run->error = vm_exec(vm, &command, cancel, &run->exit);
	if (!run->error) {
		run->has_exit = true;
		run->error = harness_test_report_finish(&run->report);
		listener.report_is_bad = run->error != NULL;
	}
	if (!run->error)
		run->how = HARNESS_RUN_COMPLETED;
	else if (listener.report_is_bad)
		run->how = HARNESS_RUN_REPORT_ERROR;
	else if (error_is(run->error, &base_error_domain, BASE_CANCELLED))
		run->how = cancel_requested(cancel) ? HARNESS_RUN_INTERRUPTED
						    : HARNESS_RUN_TIMED_OUT;
	else
		run->how = HARNESS_RUN_VM_ERROR;
}

static struct error *put_files(struct vm *vm, const struct strbuf *archive,
			       const struct cancel *cancel)
{
	uint64_t n_files;

	return vm_put_bytes(vm, "/", archive->at, archive->n, cancel, &n_files);
}

struct error *harness_guest_run_warm_up(struct vm *vm, const char *program,
					const struct strbuf *archive, const struct cancel *cancel)
{
	_cleanup_free_ char *path = xasprintf("./%s", program);
	const char *const argv[] = { path, "--list", NULL };
	struct vm_command command = {
		.argv = argv,
		.cwd = WIRE_TEST_DIR,
		.stdin_fd = -1,
		.timeout_ns = WARM_UP_SEC * NS_PER_SEC,
	};
	struct error *err = put_files(vm, archive, cancel);
	struct vm_end end;

	/* Whether a guest was kept ready must not be seen in what it does. */
	if (err || vm_facts(vm).clock == VM_CLOCK_VIRTUAL)
		return err;
	/* How it ends is not looked at: that is the test's business, and it will come to light. */
	return vm_exec(vm, &command, cancel, &end);
}

void harness_guest_run_take_clock(struct harness_guest_run *run, const struct vm_facts *facts)
{
	struct checks_model *model = &run->clock.model;

	run->clock.is_virtual = facts->clock == VM_CLOCK_VIRTUAL;
	model->turn_ns = facts->turn_ns;
	model->vcpus = topo_cpus(run->topology);
	run->has_model = facts->model != NULL;
	if (!facts->model)
		return;
	run->model = *facts->model;
	/* 0: a kernel without membarrier(2), or one CPU. */
	model->has_ipi = facts->model->ipi_busy_max_ns > 0;
	model->ipi_ns = facts->model->ipi_busy_max_ns;
}

/* How long it may take, by which clock, and what is known of that clock. */
static void set_limits(struct harness_guest_run *run, const struct vm_facts *facts)
{
	bool is_virtual = facts->clock == VM_CLOCK_VIRTUAL;
	bool emulated = !is_virtual && strcmp(facts->accel, "kvm") != 0;
	unsigned int vcpus = topo_cpus(run->topology);
	unsigned int slowness = is_virtual ? harness_slowness_of_speed(facts->speed.cpu_mips)
					   : harness_slowness(emulated, vcpus);

	harness_guest_run_take_clock(run, facts);
	run->slowness = slowness;
	run->limit_ns = harness_time_limit_ns(run->test, slowness, vcpus);
	run->disturbance.tcg = emulated;
	run->disturbance.vcpus = vcpus;
}

/* By the guest's clock: with a virtual one the text of a verdict repeats. A guest can lie. */
static uint64_t silence_ns(const struct harness_guest_run *run, uint64_t began_ns,
			   uint64_t ended_ns)
{
	uint64_t heard_ns = run->heard_ns_ ? run->heard_ns_ : began_ns;

	return ended_ns > heard_ns ? ended_ns - heard_ns : 0;
}

void harness_guest_run(struct harness_guest_run *run, struct vm *vm, const struct cancel *cancel)
{
	const struct vm_facts facts = vm_facts(vm);
	uint64_t began_ns = clock_monotonic_ns();

	set_limits(run, &facts);
	run->error = run->archive ? put_files(vm, run->archive, cancel) : NULL;
	if (!run->error && !run->settled.known)
		run->error = vm_settle(vm, cancel, &run->settled);
	if (!run->error)
		run_test(run, vm, cancel);
	else if (cancel_requested(cancel))
		run->how = HARNESS_RUN_INTERRUPTED;
	else
		run->how = error_domain_of(run->error) == &vm_error_domain
				   ? HARNESS_RUN_VM_ERROR
				   : HARNESS_RUN_FILES_ERROR;
	end_watch(run);
	run->wall_ns = clock_monotonic_ns() - began_ns;
	run->quiet_ns = silence_ns(run, facts.guest_ns, vm_facts(vm).guest_ns);
}
