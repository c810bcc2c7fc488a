// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/link/settle.h"

#include <string.h>

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

static struct error *send_request(struct vm *vm, uint32_t channel, uint64_t limit_ns)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct wire_settle request = {
		.limit_ms = (uint32_t)(limit_ns / NS_PER_MS),
		.window_ms = WINDOW_MS,
		.permille = PERMILLE,
	};

	wire_settle_encode(&request, &payload);
	return vm_link_send(&vm->link, WIRE_SETTLE, channel, payload.at, payload.n);
}

static struct error *await_answer(struct vm *vm, uint32_t channel, uint64_t deadline_ns,
				  const struct cancel *cancel, struct wire_frame *ret)
{
	enum vm_event event;

	do {
		struct error *err = vm_wait(vm, NULL, 0, deadline_ns, cancel, &event, ret);

		if (err)
			return err;
		if (event == VM_EVENT_DEADLINE)
			return vm_error(VM_HANG, 0, "the agent did not say whether they are");
	} while (ret->channel != channel);
	return NULL;
}

/* That it is busy is the guest's state; any other failure is the agent's. */
static struct error *failure(struct bytes payload)
{
	struct wire_failed failed;
	struct error *err = wire_failed_decode(payload, &failed);

	if (!err && strcmp(failed.tag, "agent-busy") == 0)
		return vm_error(VM_BUSY, 0, "%s", failed.text);
	error_free(err);
	return vm_failed(payload);
}

static struct error *take_answer(const struct wire_frame *frame, struct vm_settled *ret)
{
	struct wire_settled settled;
	struct error *err;

	if (frame->type == WIRE_FAILED)
		return failure(frame->payload);
	if (frame->type != WIRE_SETTLED)
		return vm_error(VM_AGENT, 0, "the agent answered with %s",
				wire_type_name(frame->type));
	err = wire_settled_decode(frame->payload, &settled);
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
	uint32_t channel = ++vm->last_channel;
	struct wire_frame frame;
	struct error *err;

	err = send_request(vm, channel, limit_ns);
	if (!err)
		err = await_answer(vm, channel, deadline_ns, cancel, &frame);
	if (!err)
		err = take_answer(&frame, ret);
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
