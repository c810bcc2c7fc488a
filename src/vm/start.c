// SPDX-License-Identifier: LGPL-2.1-or-later
/* From what is asked for to a guest that answers: cold, or a clone. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/image/image.h"
#include "vm/model.h"
#include "vm/state.h"
#include "vm/link/exec.h"
#include "vm/link/settle.h"

enum {
	HEARTBEAT_MS = 1000,
	RELEASE_SEC = 60, /* to wake a clone */
	CONSOLE_KEPT_BYTES = 16 << 10,
};

/* Takes a dozen milliseconds: only done for a cold boot. */
static struct error *build_initramfs(const struct kernel *kernel, struct strbuf *ret)
{
	struct vm_initramfs_options options = { .agent = vm_agent_image(), .kernel = kernel };

	return error_wrap(vm_initramfs_build(&options, ret), "building the initramfs");
}

static void keep_console(const struct vm *vm, const struct vm_spec *spec)
{
	if (spec->ret_console && vm->console_path)
		error_free(vm_console_read_tail(vm->console_path, CONSOLE_KEPT_BYTES,
						spec->ret_console));
}

static struct error *prepare_cold(struct vm *vm, const struct vm_spec *spec)
{
	_cleanup_strbuf_ struct strbuf initramfs = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf arguments = STRBUF_INIT;
	const char *image;
	struct error *err;

	err = build_initramfs(spec->kernel, &initramfs);
	if (err)
		return err;
	err = vm_boot_image(spec->kernel, spec->clock, &image);
	if (err)
		return err;
	vm_boot_format_args(&spec->topology, spec->clock, spec->kernel_args, &arguments);
	vm->kernel_args = strbuf_take(&arguments);
	vm->cold_image = xstrdup(image);
	err = vm_boot_make_files(vm, &initramfs);
	return err ? err : vm_open_run_dir(vm);
}

static struct error *release_cold(struct vm *vm, const struct cancel *cancel)
{
	struct vm_machine_plan plan = vm_clone_plan(vm);

	plan.kernel_path = vm->cold_image;
	plan.kernel_args = vm->kernel_args;
	return vm_boot_until_ready(vm, &plan, NULL, HEARTBEAT_MS, cancel);
}

/* A clone that was launched; at the end it has proved that it is one. */
static struct error *wake(struct vm *vm, const struct cancel *cancel)
{
	uint64_t start_ns = clock_monotonic_ns();
	uint64_t deadline_ns = start_ns + RELEASE_SEC * NS_PER_SEC;
	struct error *err;

	/*
	 * One after the other: QEMU may lose a `cont` while it loads; and data that reaches a
	 * guest while its state is loaded is signalled by a device that is not ready yet.
	 */
	err = vm_await(vm, &vm->loaded, "loading the clone's state", deadline_ns, cancel);
	if (!err)
		err = vm_explain_if_ended(vm, vm_guest_ram_check_nonce(vm, &vm->template->proof),
					  "looking for the nonce");
	return err ? err
		   : vm_clone_wake(vm, &vm->template->proof, HEARTBEAT_MS, start_ns, deadline_ns,
				   cancel);
}

/* What a guest says or does itself it does again; anything else may be the host's. */
static bool is_of_guest(const struct error *err)
{
	return error_is(err, &vm_error_domain, VM_AGENT) ||
	       error_is(err, &vm_error_domain, VM_BUSY) ||
	       error_is(err, &vm_error_domain, VM_PANIC) || error_is(err, &vm_error_domain, VM_OOM);
}

static struct error *settle_and_measure(struct vm *clone, const struct cancel *cancel,
					struct vm_model *ret)
{
	struct vm_settled settled;
	struct error *err = vm_settle(clone, cancel, &settled);

	return err ? err : vm_measure(clone, VM_MODEL_PHASE_MS, cancel, ret);
}

/*
 * In a clone that ends with it: what is saved was never measured, and two templates of a kind stay
 * the same. *ret is untouched where the guest cannot measure itself.
 */
static struct error *measure_draft(const struct vm_template_draft *draft, const struct vm *vm,
				   const struct vm_spec *spec,
				   const struct vm_template_proof *proof,
				   const struct cancel *cancel, struct vm_model *ret)
{
	_cleanup_vm_ struct vm *clone = vm_new(spec);
	struct error *err;

	vm_say(vm, "measuring the machine");
	clone->cancel = cancel;
	clone->speed = vm->speed;
	clone->seed = clone->random_seed = VM_SEED_DEFAULT;
	clone->cloned = true;
	clone->template = vm_template_new(draft->dir, proof, vm->topology.nodes);
	clone->template_key = xstrdup(draft->name);
	err = vm_choose_qemu(clone, spec->accel);
	if (!err)
		err = vm_open_run_dir(clone);
	if (!err)
		err = vm_clone_launch(clone);
	if (!err)
		err = wake(clone, cancel);
	if (err)
		return error_wrap(err, "measuring a new template");
	err = settle_and_measure(clone, cancel, ret);
	if (is_of_guest(err)) {
		vm_say(vm, "not measured: %s", error_message(err));
		error_free(take_ptr(err));
	}
	return error_wrap(err, "measuring a new template");
}

static struct error *make_template(struct vm *vm, const struct vm_spec *spec, const char *key,
				   const struct cancel *cancel)
{
	_cleanup_strbuf_ struct strbuf initramfs = STRBUF_INIT;
	_cleanup_vm_template_draft_ struct vm_template_draft draft = { .lock_fd = -1 };
	_cleanup_vm_ struct vm *first = NULL;
	pid_t maker = vm_template_maker(key);
	struct vm_template_proof proof;
	struct vm_model model = { 0 };
	struct error *err;

	if (maker > 0)
		vm_say(vm, "waiting for process %d, which makes this template", maker);
	err = vm_template_draft_begin(key, cancel, &draft);
	if (!err)
		err = vm_template_draft_existing(&draft, &vm->template);
	if (err || vm->template)
		return err;
	vm_say(vm, "booting a template");
	if (spec->on_template)
		spec->on_template(spec->say_context);
	first = vm_new(spec);
	first->cancel = cancel;
	first->speed = vm->speed;
	/* All seeds share the template. */
	first->seed = first->random_seed = VM_SEED_DEFAULT;
	err = vm_choose_qemu(first, spec->accel);
	if (!err)
		err = build_initramfs(spec->kernel, &initramfs);
	if (!err)
		err = vm_clone_save_template(&draft, first, spec, &initramfs, cancel, &proof);
	if (err) {
		keep_console(first, spec);
		return err;
	}
	if (spec->clock == VM_CLOCK_VIRTUAL)
		err = measure_draft(&draft, vm, spec, &proof, cancel, &model);
	if (err)
		return err;
	return vm_template_draft_finish(&draft, &proof, model.cpus ? &model : NULL,
					vm->topology.nodes, &vm->template);
}

static struct error *prepare_clone(struct vm *vm, const struct vm_spec *spec,
				   const struct cancel *cancel)
{
	struct vm_initramfs_options options = { .agent = vm_agent_image() };
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;
	uint64_t identity;
	struct error *err;

	err = vm_initramfs_identity(&options, &identity);
	if (!err)
		err = vm_clone_key(vm, spec, identity, &key);
	if (!err)
		err = vm_template_open(strbuf_str(&key), &vm->template);
	if (!err && !vm->template)
		err = make_template(vm, spec, strbuf_str(&key), cancel);
	if (!err)
		vm_say(vm, "template %s", vm->template->dir);
	if (!err)
		err = vm_open_run_dir(vm);
	if (err)
		return err;
	vm->cloned = true;
	vm->model = vm->template->model;
	vm->template_key = vm_template_name(strbuf_str(&key));
	return vm_clone_launch(vm);
}

/* What does not wake may have a damaged template: the next one boots anew. */
static bool speaks_against_template(const struct error *err)
{
	return error_domain_of(err) == &vm_error_domain && error_kind_of(err) != VM_QEMU_KILLED &&
	       error_kind_of(err) != VM_QEMU_MISSING;
}

static struct error *release_clone(struct vm *vm, const struct cancel *cancel)
{
	struct error *err = wake(vm, cancel);

	if (err && speaks_against_template(err) && vm_template_discard(vm->template))
		return error_wrap(err, "waking a clone (its template is removed)");
	if (err)
		return error_wrap(err, "waking a clone");
	/* QEMU has the files open: from now on they may be removed. */
	vm_template_free(take_ptr(vm->template));
	return NULL;
}

/* QEMU may take long to answer, or never do it: starting a guest does not wait for that. */
static void heed(struct vm *vm, const struct cancel *cancel)
{
	vm->cancel = cancel;
	if (vm->qmp)
		vm_qmp_heed(vm->qmp, cancel);
}

static struct error *prepare(struct vm *vm, const struct vm_spec *spec, const struct cancel *cancel)
{
	struct error *err;

	err = vm_choose_qemu(vm, spec->accel);
	if (!err && spec->clock == VM_CLOCK_VIRTUAL)
		err = vm_speed_choose(spec->mips, topo_cpus(&spec->topology), &vm->speed);
	if (err)
		return err;
	vm_say(vm, "accelerator %s: %s", vm->accel.name, vm->accel.reason);
	heed(vm, cancel);
	err = spec->cold ? prepare_cold(vm, spec) : prepare_clone(vm, spec, cancel);
	heed(vm, NULL);
	vm->prepared_ns = clock_monotonic_ns();
	return err;
}

static struct error *release(struct vm *vm, const struct cancel *cancel)
{
	struct error *err;

	heed(vm, cancel);
	err = vm->cloned ? release_clone(vm, cancel) : release_cold(vm, cancel);
	heed(vm, NULL);
	return err;
}

/* KVM said yes to a small program; whether it runs a whole kernel shows now. */
static bool note_trial(const struct vm *vm, const struct error *err)
{
	if (!vm->accel.boot_is_trial)
		return false;
	if (!err)
		vm_accel_kvm_boot_worked();
	else if (vm_accel_speaks_against_kvm(err))
		vm_accel_kvm_boot_failed(error_message(err));
	return err && vm_accel_speaks_against_kvm(err);
}

/* A request for KVM is obeyed, and a failure mentions the failed trial. */
static struct error *tell_of_trial(const struct vm_spec *spec, struct error *err)
{
	struct vm_kvm_probe probe;

	if (spec->accel != VM_ACCEL_WISH_KVM)
		return err;
	vm_accel_probe(&probe);
	return probe.usable ? err : error_wrap(err, "KVM was asked for, though %s", probe.reason);
}

/*
 * A clone that is kept for later. An emulated guest spends its first tenth of a second
 * translating the code it runs; a spare has proved itself and run one command already, and
 * then stands still, clock included. When it is wanted it is greeted anew: wall-clock time,
 * randomness and session are those of that moment.
 */
/* The way a command takes: shell, fork, exec, exit. */
static struct error *warm_up(struct vm *vm, const struct cancel *cancel)
{
	static const char *const argv[] = { "sh", "-c", "true", NULL };
	struct vm_end end;
	struct error *err;

	err = vm_exec(vm, &(struct vm_command){ .argv = argv, .stdin_fd = -1 }, cancel, &end);
	if (!err && (end.how != WIRE_END_EXITED || end.value != 0))
		err = vm_error(VM_AGENT, 0, "a first command ended with %u", end.value);
	return err;
}

/*
 * One with a virtual clock is held wherever it wants input: it stands still by itself. What it has
 * done by then must not depend on whether it was kept ready, so the caller's warm-up is a part of
 * the run, and there is no second greeting.
 */
static struct error *park_virtual(struct vm *vm, const struct vm_spec *spec,
				  const struct cancel *cancel)
{
	struct error *err = spec->warm_up ? spec->warm_up(spec->say_context, vm, cancel) : NULL;

	vm->is_parked = !err;
	return error_wrap(err, "keeping a clone ready");
}

static struct error *park(struct vm *vm, const struct vm_spec *spec, const struct cancel *cancel)
{
	struct error *err = spec->warm_up ? spec->warm_up(spec->say_context, vm, cancel)
					  : warm_up(vm, cancel);

	if (!err)
		err = vm_freeze(vm);
	if (err)
		return error_wrap(err, "keeping a clone ready");
	vm->parked = vm_clone_proof(vm,
				    vm->ready.monotonic_ns + clock_monotonic_ns() - vm->greeted_ns);
	vm->is_parked = true;
	return NULL;
}

static struct error *wake_spare(struct vm *vm, const struct cancel *cancel)
{
	uint64_t start_ns = clock_monotonic_ns();

	vm->is_parked = false;
	if (vm->clock == VM_CLOCK_VIRTUAL)
		return NULL;
	return error_wrap(vm_clone_wake(vm, &vm->parked, vm->heartbeat_ms, start_ns,
					start_ns + RELEASE_SEC * NS_PER_SEC, cancel),
			  "waking a spare");
}

struct error *vm_prepare(const struct vm_spec *spec, const struct cancel *cancel, struct vm **ret)
{
	for (;;) {
		_cleanup_vm_ struct vm *vm = vm_new(spec);
		struct error *err = prepare(vm, spec, cancel);

		if (!err && vm->cloned)
			err = release(vm, cancel);
		if (!err && vm->cloned)
			err = vm->clock == VM_CLOCK_VIRTUAL ? park_virtual(vm, spec, cancel)
							    : park(vm, spec, cancel);
		if (!err) {
			*ret = take_ptr(vm);
			return NULL;
		}
		if (!note_trial(vm, err))
			return tell_of_trial(spec, err);
		error_free(err);
	}
}

struct error *vm_release(struct vm *vm, const struct cancel *cancel)
{
	struct error *err = vm->is_parked ? wake_spare(vm, cancel) : release(vm, cancel);

	note_trial(vm, err);
	return err;
}

struct error *vm_start(const struct vm_spec *spec, const struct cancel *cancel, struct vm **ret)
{
	for (;;) {
		_cleanup_vm_ struct vm *vm = vm_new(spec);
		struct error *err = prepare(vm, spec, cancel);

		if (!err)
			err = release(vm, cancel);
		/* After a failed trial the choice is another one. */
		if (err && note_trial(vm, err)) {
			error_free(err);
			continue;
		}
		if (err) {
			keep_console(vm, spec);
			return tell_of_trial(spec, err);
		}
		note_trial(vm, NULL);
		*ret = take_ptr(vm);
		return NULL;
	}
}
