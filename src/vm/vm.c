// SPDX-License-Identifier: LGPL-2.1-or-later

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/state.h"

DEFINE_ERROR_DOMAIN(vm, VM, VM_ERRORS);

enum { QMP_WAIT_SEC = 30 };

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

struct vm *vm_new(const struct vm_spec *spec)
{
	const struct kernel *kernel = spec->kernel;
	struct vm *vm = xnew(struct vm);

	vm->topology = spec->topology;
	vm->memory_bytes = spec->memory_bytes ? spec->memory_bytes
					      : vm_ram_default_bytes(&spec->topology);
	vm->console_fd = vm->stderr_fd = vm->initrd_fd = vm->pidfd = vm->link.fd = -1;
	for (size_t i = 0; i < ARRAY_SIZE(vm->ram_fds); i++)
		vm->ram_fds[i] = -1;
	vm->cpu = copy(spec->cpu);
	vm->kernel_id = copy(kernel->id);
	vm->kernel_release = copy(kernel->release);
	vm->kernel_build_id = copy(kernel->build_id);
	vm->clock = spec->clock;
	vm->seed = spec->seed;
	vm->random_seed = spec->random_seed ? spec->random_seed : spec->seed;
	vm->say = spec->say;
	vm->say_context = spec->say_context;
	return vm;
}

static void close_files(struct vm *vm)
{
	int *const fds[] = { &vm->console_fd, &vm->stderr_fd, &vm->initrd_fd, &vm->pidfd };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(take_fd(*fds[i]));
	for (size_t i = 0; i < ARRAY_SIZE(vm->ram_fds); i++)
		if (vm->ram_fds[i] >= 0)
			close(take_fd(vm->ram_fds[i]));
}

static void free_texts(struct vm *vm)
{
	char *const texts[] = {
		vm->kernel_id,	  vm->kernel_release, vm->kernel_build_id,
		vm->console_path, vm->monitor_socket, vm->template_key,
		vm->cold_image,	  vm->kernel_args,    vm->release,
		vm->cpu,
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
}

void vm_free(struct vm *vm)
{
	if (!vm)
		return;
	vm_kill(vm);
	vm_qmp_free(vm->qmp);
	vm_link_deinit(&vm->link);
	close_files(vm);
	vm_template_free(vm->template);
	vm_qemu_binary_free(vm->qemu);
	vm_run_dir_free(vm->run_dir);
	free_texts(vm);
	free(vm);
}

struct error *vm_choose_qemu(struct vm *vm, enum vm_accel_wish wish)
{
	struct error *err = vm_qemu_binary_find(&vm->qemu);

	if (err)
		return error_recast(err, &vm_error_domain, VM_QEMU_MISSING);
	if (vm->clock == VM_CLOCK_VIRTUAL) {
		if (wish == VM_ACCEL_WISH_KVM)
			return vm_error(
				VM_QEMU_FAILED, 0,
				"a virtual clock needs TCG: KVM does not count instructions");
		wish = VM_ACCEL_WISH_TCG;
		err = vm_clock_trial(vm->qemu->path);
		if (err)
			return err;
	}
	vm_accel_choose(wish, &vm->accel);
	if (vm->cpu)
		vm->accel.qemu_cpu = vm->cpu;
	return NULL;
}

void vm_say(const struct vm *vm, const char *fmt, ...)
{
	char line[512];
	va_list args;

	if (!vm->say)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	vm->say(vm->say_context, line);
}

struct vm_facts vm_facts(const struct vm *vm)
{
	return (struct vm_facts){
		.id = vm->run_dir ? vm->run_dir->id : NULL,
		.qemu_pid = vm->pid,
		.accel = vm->accel.name,
		.accel_reason = vm->accel.reason,
		.console_path = vm->console_path,
		.release = vm->release,
		.memory_bytes = vm->memory_bytes,
		.prepared_ns = vm->prepared_ns,
		.cloned = vm->cloned,
		.clock = vm->clock,
		.speed = vm->speed,
		.seed = vm->seed,
		.turn_ns = vm->clock == VM_CLOCK_VIRTUAL && vm->seed
				   ? (uint64_t)vm_speed_turn(vm->speed.shift) << vm->speed.shift
				   : 0,
		.model = vm->seed && vm->model.cpus ? &vm->model : NULL,
		.digest = vm->link.digest,
		.guest_ns = vm->link.last_ns,
		.touched = vm->touched,
	};
}

const struct vm_frame_note *vm_frame_notes(const struct vm *vm, size_t *ret_n)
{
	*ret_n = vm->link.notes.n;
	return vm->link.notes.at;
}

struct error *vm_read_topology(struct vm *vm, const struct cancel *cancel,
			       struct topo_machine **ret)
{
	struct vm_request request = {
		.type = WIRE_GET_TOPOLOGY,
		.answer = WIRE_TOPOLOGY,
		.deadline_ns = clock_monotonic_ns() +
			       vm_boot_timeout_ns(&vm->accel, topo_cpus(&vm->topology)),
	};
	struct wire_frame frame;
	struct error *err;

	vm->asked_ns = clock_monotonic_ns();
	err = vm_ask(vm, &request, cancel, &frame);
	if (err)
		return error_wrap(err, "reading the topology back");
	vm->told_guest_ns = frame.time_ns;
	err = topo_machine_parse((const char *)frame.payload.at, frame.payload.n, ret);
	return err ? error_recast(err, &vm_error_domain, VM_AGENT) : NULL;
}

static struct error *monitor(struct vm *vm, const char *command, const char *doing)
{
	struct error *err = vm_qmp_execute(vm->qmp, command, NULL, QMP_WAIT_SEC * NS_PER_SEC, NULL);

	return error_wrap(vm_explain_monitor(vm, err, doing), "%s", doing);
}

struct error *vm_freeze(struct vm *vm)
{
	struct error *err = monitor(vm, "stop", "freezing the guest");

	if (!err)
		vm->frozen = true;
	return err;
}

struct error *vm_thaw(struct vm *vm)
{
	struct error *err = monitor(vm, "cont", "letting the guest run");

	if (!err) {
		vm->frozen = false;
		vm->heard_ns = clock_monotonic_ns();
	}
	return err;
}

struct error *vm_registers(struct vm *vm, struct vm_register_list *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err;

	err = vm_qmp_human(vm->qmp, "info registers -a", QMP_WAIT_SEC * NS_PER_SEC, &text);
	if (err)
		return error_wrap(vm_explain_monitor(vm, err, "asking QEMU"), "reading registers");
	return vm_registers_parse(strbuf_str(&text), text.n, ret);
}
