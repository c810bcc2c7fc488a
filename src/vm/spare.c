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
	vm->parked = vm_clone_proof(vm,
				    vm->ready.monotonic_ns + clock_monotonic_ns() - vm->greeted_ns);
	vm->is_parked = true;
	return NULL;
}

struct error *vm_spare_wake(struct vm *vm, const struct cancel *cancel)
{
	uint64_t start_ns = clock_monotonic_ns();

	vm->is_parked = false;
	return error_wrap(vm_clone_wake(vm, &vm->parked, vm->heartbeat_ms, start_ns,
					start_ns + WAKE_SEC * NS_PER_SEC, cancel),
			  "waking a spare");
}
