// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/deterministic/deterministic.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/spawn.h"
#include "vm/image/image.h"
#include "vm/state.h"

enum {
	/* Counting instructions makes a guest several times slower. */
	SLOWER = 4,
	/* How often what has been said is looked at; the guest does not notice. */
	SLICE_MS = 50,
	READ_CHUNK = 64 << 10,
};

struct session {
	const struct vm_deterministic_spec *spec;
	struct vm *vm;
	struct vm_plan_answers answers;
	struct strbuf frames;
	uint64_t deadline_ns; /* 0: none */
};

static struct error *choose_qemu(struct vm *vm, const struct vm_deterministic_spec *spec)
{
	if (spec->vm.accel == VM_ACCEL_WISH_KVM)
		return vm_error(VM_QEMU_FAILED, 0,
				"only TCG counts instructions: a deterministic run has no KVM");
	if (!spec->vm.kernel->vmlinux_path)
		return vm_error(VM_QEMU_FAILED, 0,
				"kernel %s has no vmlinux, and its bzImage would move the kernel",
				spec->vm.kernel->release);
	return vm_choose_qemu(vm, VM_ACCEL_WISH_TCG);
}

static struct error *build_initramfs(struct session *s, struct strbuf *ret)
{
	_cleanup_vm_input_plan_ struct vm_input_plan plan = { .bytes = STRBUF_INIT };
	struct vm_initramfs_options options = {
		.agent = vm_agent_image(),
		.kernel = s->spec->vm.kernel,
		.specs = s->spec->files,
		.n_specs = s->spec->n_files,
	};
	struct error *err = vm_input_plan_init(&plan);

	if (!err)
		err = vm_input_plan_add_topology(&plan, &s->answers.topology_channel);
	if (!err)
		err = vm_input_plan_add_command(&plan, &s->spec->command,
						&s->answers.command_channel);
	if (err)
		return err;
	options.plan = (struct bytes){ (const uint8_t *)plan.bytes.at, plan.bytes.n };
	return vm_initramfs_build(&options, ret);
}

/*
 * Both on memory files: always writable, so that no reader makes the guest wait. Without a run
 * directory, hence without a second monitor: who stops the machine in between changes its course.
 */
static struct error *open_outputs(struct vm *vm)
{
	vm->console_fd = memfd_create("ktstr-console", MFD_CLOEXEC);
	vm->debug_fd = memfd_create("ktstr-frames", MFD_CLOEXEC);
	if (vm->console_fd < 0 || vm->debug_fd < 0)
		return vm_error(VM_QEMU_FAILED, errno,
				"cannot create memory files for console and frames");
	vm->console_path = xasprintf("/proc/%d/fd/%d", getpid(), vm->console_fd);
	return NULL;
}

static struct error *launch(struct session *s)
{
	const struct vm_deterministic_spec *spec = s->spec;
	_cleanup_strbuf_ struct strbuf initramfs = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf arguments = STRBUF_INIT;
	struct vm *vm = s->vm;
	struct vm_machine_plan plan = vm_clone_plan(vm);
	struct error *err;

	/* Through PVH: firmware and decompressor have no say in where things lie. */
	plan.kernel_path = spec->vm.kernel->vmlinux_path;
	plan.deterministic = true;
	err = vm_mips_to_shift(spec->mips ? spec->mips : VM_DETERMINISTIC_MIPS, &plan.icount_shift);
	if (!err)
		err = build_initramfs(s, &initramfs);
	if (!err)
		err = vm_boot_make_files(vm, &initramfs);
	if (!err)
		err = open_outputs(vm);
	if (err)
		return err;
	vm_boot_format_args(&vm->topology, true, spec->vm.kernel_args, &arguments);
	plan.kernel_args = strbuf_str(&arguments);
	return vm_launch(vm, &plan);
}

/* Reads what the guest has written since the last call. */
static struct error *listen(struct session *s)
{
	char buf[READ_CHUNK];
	ssize_t n;

	while ((n = pread(s->vm->debug_fd, buf, sizeof(buf), (off_t)s->frames.n)) > 0) {
		struct error *err;

		if (s->frames.n + (size_t)n > VM_LIMIT_DETERMINISTIC_FRAMES)
			return base_error(BASE_LIMIT, 0, "the guest wrote more than %d MiB",
					  VM_LIMIT_DETERMINISTIC_FRAMES >> 20);
		strbuf_append_bytes(&s->frames, buf, (size_t)n);
		err = vm_plan_answers_feed(&s->answers, buf, (size_t)n);
		if (err)
			return err;
	}
	return n < 0 ? vm_error(VM_QEMU_FAILED, errno, "cannot read the frames") : NULL;
}

/* Until the agent has spoken the limit is that of a boot, then that of the command. */
static struct error *check_time(struct session *s, bool spoke_before)
{
	if (s->answers.release && !spoke_before)
		s->deadline_ns = s->spec->command.timeout_ns
					 ? clock_monotonic_ns() + s->spec->command.timeout_ns
					 : 0;
	if (!s->deadline_ns || clock_monotonic_ns() < s->deadline_ns)
		return NULL;
	if (s->answers.release)
		return base_error(BASE_CANCELLED, ETIMEDOUT, "running %s",
				  s->spec->command.argv[0]);
	return vm_error(VM_BOOT_TIMEOUT, 0, "the agent did not respond in time");
}

static struct error *wait_for_end(struct session *s, const struct cancel *cancel)
{
	struct pollfd p = { .fd = s->vm->pidfd, .events = POLLIN };
	struct error *err = NULL;
	bool over = false;

	while (!err && !over) {
		bool spoke_before = s->answers.release != NULL;

		/* The last look comes after the end, so that nothing is missed. */
		over = poll(&p, 1, SLICE_MS) == 1;
		err = listen(s);
		if (!err && !over)
			err = check_time(s, spoke_before);
		if (!err && !over)
			err = cancel_error(cancel, "waiting for the guest");
	}
	if (err)
		return err;
	err = spawn_wait(s->vm->pid, &s->vm->status);
	s->vm->pid = 0;
	s->vm->ended = true;
	return err;
}

/* QEMU's monitor was never spoken to, so why the guest ended is read from its console. */
static struct error *explain(struct session *s, const struct strbuf *console)
{
	static const char doing[] = "following the plan";
	struct vm *vm = s->vm;
	bool off = strstr(strbuf_str(console), "reboot: Power down") != NULL;

	if (!WIFEXITED(vm->status) || WEXITSTATUS(vm->status) != 0)
		return vm_explain(vm, doing);
	vm->shutdown.seen = true;
	snprintf(vm->shutdown.reason, sizeof(vm->shutdown.reason), "%s",
		 off ? "guest-shutdown" : "guest-reset");
	return vm_explain_shutdown(vm, doing);
}

static struct error *check_end(struct session *s, const struct strbuf *console)
{
	struct error *err;

	if (!s->answers.bye)
		return explain(s, console);
	if (!WIFEXITED(s->vm->status) || WEXITSTATUS(s->vm->status) != 0)
		return vm_explain(s->vm, "parking the CPUs");
	if (!s->answers.machine || !s->answers.ended)
		return vm_error(VM_AGENT, 0, "the agent left out a part of the plan");
	err = topo_compare(&s->vm->topology, s->answers.machine);
	return err ? error_recast(err, &vm_error_domain, VM_TOPOLOGY) : NULL;
}

static void look_for_oom(const struct strbuf *console, struct vm_end *end)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	if (end->how == WIRE_END_EXITED && end->value == 0)
		return;
	if (vm_console_read_signs(strbuf_str(console), console->n, &line) == VM_CONSOLE_OOM)
		snprintf(end->oom, sizeof(end->oom), "%s", strbuf_str(&line));
}

static void hand_over(struct session *s, struct strbuf *console,
		      struct vm_deterministic_result *ret)
{
	struct vm *vm = s->vm;

	*ret = (struct vm_deterministic_result){
		.end = s->answers.end,
		.release = take_ptr(s->answers.release),
		.guest_ns = s->answers.last_ns,
		.console = *console,
		.frames = s->frames,
		.nodes = vm->topology.nodes,
	};
	look_for_oom(console, &ret->end);
	*console = STRBUF_INIT;
	s->frames = STRBUF_INIT;
	for (size_t i = 0; i < ARRAY_SIZE(ret->ram_fds); i++)
		ret->ram_fds[i] = -1;
	for (unsigned int i = 0; i < vm->topology.nodes; i++) {
		ret->ram_fds[i] = take_fd(vm->ram_fds[i]);
		ret->ram_bytes[i] = vm_qemu_node_bytes(&vm->topology, vm->memory_bytes, i);
	}
}

static struct error *run(struct session *s, const struct cancel *cancel,
			 struct vm_deterministic_result *ret)
{
	_cleanup_strbuf_ struct strbuf console = STRBUF_INIT;
	struct error *err;

	err = choose_qemu(s->vm, s->spec);
	if (!err)
		err = launch(s);
	s->deadline_ns = clock_monotonic_ns() +
			 SLOWER * vm_boot_timeout_ns(&s->vm->accel, topo_cpus(&s->vm->topology));
	if (!err)
		err = wait_for_end(s, cancel);
	if (!err)
		err = io_read_file(s->vm->console_path, VM_LIMIT_DETERMINISTIC_CONSOLE, &console);
	if (!err)
		err = check_end(s, &console);
	if (!err)
		hand_over(s, &console, ret);
	return err;
}

struct error *vm_deterministic_run(const struct vm_deterministic_spec *spec,
				   const struct cancel *cancel, struct vm_deterministic_result *ret)
{
	_cleanup_vm_ struct vm *vm = vm_new(&spec->vm);
	struct session s = { .spec = spec, .vm = vm };
	struct error *err;

	vm_plan_answers_init(&s.answers);
	s.answers.on_output = spec->command.on_output;
	s.answers.context = spec->command.context;
	err = run(&s, cancel, ret);
	if (err)
		vm_keep_console(vm, &spec->vm);
	strbuf_deinit(&s.frames);
	vm_plan_answers_deinit(&s.answers);
	return error_wrap(err, "deterministic run");
}

void vm_deterministic_result_deinit(struct vm_deterministic_result *result)
{
	for (unsigned int i = 0; i < result->nodes; i++)
		close(result->ram_fds[i]);
	strbuf_deinit(&result->console);
	strbuf_deinit(&result->frames);
	free(result->release);
	*result = (struct vm_deterministic_result){ 0 };
}

enum {
	NS_PER_US = 1000,
	SHIFT_MAX = 9, /* QEMU takes 10 as well, which is less than one */
};

struct error *vm_mips_to_shift(unsigned int mips, unsigned int *ret)
{
	for (unsigned int shift = 0; shift <= SHIFT_MAX; shift++) {
		unsigned int here = NS_PER_US >> shift;

		if (mips == here) {
			*ret = shift;
			return NULL;
		}
		if (mips > here && shift == 0)
			return vm_error(VM_MIPS, 0, "%u MIPS: the most is %u", mips, here);
		if (mips > here)
			return vm_error(VM_MIPS, 0,
					"%u MIPS: an instruction takes 1, 2, 4, … ns, the nearest "
					"are %u and %u",
					mips, here, NS_PER_US >> (shift - 1));
	}
	return vm_error(VM_MIPS, 0, "%u MIPS: the least is 1", mips);
}
