// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/state.h"

#include <string.h>

#include "base/clock.h"
#include "vm/link/exec.h"

enum { WAKE_SEC = 60 };

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

struct error *vm_spare_park(struct vm *vm, const struct vm_spec *spec, const struct cancel *cancel)
{
	struct error *err = spec->warm_up ? spec->warm_up(spec->say_context, vm, cancel)
					  : warm_up(vm, cancel);

	if (!err)
		err = vm_freeze(vm);
	if (err)
		return error_wrap(err, "keeping a clone ready");
	vm->parked = (struct vm_template_proof){
		.nonce_phys = vm->ready.nonce_phys,
		.generation = vm->ready.generation,
		.monotonic_ns = vm->ready.monotonic_ns,
		.monotonic_limit_ns = vm->ready.monotonic_ns + clock_monotonic_ns() -
				      vm->greeted_ns,
	};
	memcpy(vm->parked.nonce, vm->ready.nonce, sizeof(vm->parked.nonce));
	vm->is_parked = true;
	return NULL;
}

struct error *vm_spare_wake(struct vm *vm, const struct cancel *cancel)
{
	uint32_t heartbeat_ms = vm->heartbeat_ms;
	uint64_t start_ns = clock_monotonic_ns();
	uint64_t deadline_ns = start_ns + WAKE_SEC * NS_PER_SEC;
	struct error *err;

	vm->is_parked = false;
	err = vm_thaw(vm);
	if (!err)
		err = vm_await(vm, &vm->running, "starting the CPUs", deadline_ns, cancel);
	if (!err)
		err = vm_hello(vm, NULL, heartbeat_ms);
	if (!err)
		err = vm_await_ready(vm, deadline_ns, cancel);
	if (!err)
		err = vm_clone_prove(&vm->parked, &vm->ready, topo_cpus(&vm->topology),
				     clock_monotonic_ns() - start_ns);
	return error_wrap(err, "waking a spare");
}
