// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/link/settle.h"

#include "base/clock.h"
#include "vm/state.h"

enum {
	LIMIT_SEC = 30,
	TCG_LIMIT_SEC_PER_CPU = 1,
	/* Three windows in a row, see docs/PROTOCOL.md. */
	WINDOW_MS = 15,
	PERMILLE = 100,
	/* The agent keeps the limit, in the guest's time, which may be much slower than ours. */
	HOST_LIMITS = 60,
};

static struct error *ask(struct vm *vm, uint64_t limit_ns, uint64_t deadline_ns,
			 const struct cancel *cancel, struct vm_settled *ret)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct wire_settled settled;
	struct wire_frame frame;
	struct error *err;

	wire_settle_encode(&(struct wire_settle){ .limit_ms = (uint32_t)(limit_ns / NS_PER_MS),
						  .window_ms = WINDOW_MS,
						  .permille = PERMILLE },
			   &payload);
	err = vm_ask(vm, &(struct vm_request){ WIRE_SETTLE, WIRE_SETTLED, &payload, deadline_ns },
		     cancel, &frame);
	if (err)
		return err;
	err = wire_settled_decode(frame.payload, &settled);
	if (err)
		return error_recast(err, &vm_error_domain, VM_AGENT);
	*ret = (struct vm_settled){
		.known = true,
		.waited_ns = settled.waited_ns,
		.quiet_ns = settled.quiet_ns,
		.cpu = settled.cpu,
		.permille = settled.permille,
	};
	return NULL;
}

struct error *vm_settle_within(struct vm *vm, uint64_t limit_ns, const struct cancel *cancel,
			       struct vm_settled *ret)
{
	uint64_t deadline_ns = clock_monotonic_ns() + HOST_LIMITS * limit_ns +
			       vm_boot_timeout_ns(&vm->accel, topo_cpus(&vm->topology));
	struct error *err = ask(vm, limit_ns, deadline_ns, cancel, ret);

	/* What comes next then begins at the same instruction in every run. */
	if (!err && vm->link.mailbox)
		err = vm_await_hold(vm, deadline_ns, cancel);
	return error_wrap(err, "waiting until the guest's CPUs are idle");
}

struct error *vm_settle(struct vm *vm, const struct cancel *cancel, struct vm_settled *ret)
{
	uint64_t limit_ns = LIMIT_SEC * NS_PER_SEC;

	if (vm->accel.kind != VM_ACCEL_KVM)
		limit_ns += TCG_LIMIT_SEC_PER_CPU * topo_cpus(&vm->topology) * NS_PER_SEC;
	return vm_settle_within(vm, limit_ns, cancel, ret);
}
