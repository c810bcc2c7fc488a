// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/deterministic/deterministic.h"

#include "base/alloc.h"
#include "vm/state.h"

void vm_plan_answers_init(struct vm_plan_answers *a)
{
	*a = (struct vm_plan_answers){ 0 };
	wire_receiver_init(&a->receiver, WIRE_HOST);
	wire_receiver_begin(&a->receiver, VM_PLAN_SESSION);
}

void vm_plan_answers_deinit(struct vm_plan_answers *a)
{
	wire_receiver_deinit(&a->receiver);
	topo_machine_free(a->machine);
	free(a->release);
	*a = (struct vm_plan_answers){ 0 };
}

static struct error *take_ready(struct vm_plan_answers *a, struct bytes payload)
{
	struct wire_ready ready;
	struct error *err = wire_ready_decode(payload, &ready);

	if (err)
		return err;
	if (a->release)
		return vm_error(VM_AGENT, 0, "the agent began twice");
	if (ready.protocol != WIRE_PROTOCOL)
		return vm_error(VM_AGENT, 0, "the agent uses protocol %u, this program %u",
				ready.protocol, WIRE_PROTOCOL);
	a->release = xstrdup(ready.release);
	return NULL;
}

static struct error *take_topology(struct vm_plan_answers *a, struct bytes payload)
{
	if (a->machine)
		return vm_error(VM_AGENT, 0, "the agent sent its topology twice");
	return topo_machine_parse((const char *)payload.at, payload.n, &a->machine);
}

static struct error *take_output(struct vm_plan_answers *a, const struct wire_frame *frame)
{
	if (frame->payload.n == 0 || !a->on_output)
		return NULL;
	return a->on_output(a->context, vm_stream_of(frame->type), frame->payload.at,
			    frame->payload.n);
}

static struct error *unexpected(const struct wire_frame *frame)
{
	return vm_error(VM_AGENT, 0, "the agent sent %s on channel %u, which is not in the plan",
			wire_type_name(frame->type), frame->channel);
}

static struct error *take(struct vm_plan_answers *a, const struct wire_frame *frame)
{
	struct error *err;

	if (a->bye)
		return vm_error(VM_AGENT, 0, "the agent sent %s after its last message",
				wire_type_name(frame->type));
	a->last_ns = frame->time_ns;
	switch (frame->type) {
	case WIRE_FAILED:
		return vm_failed(frame->payload);
	case WIRE_LOG:
	case WIRE_HEARTBEAT:
		return NULL;
	case WIRE_READY:
		return frame->channel ? unexpected(frame) : take_ready(a, frame->payload);
	case WIRE_BYE:
		a->bye = true;
		return frame->channel ? unexpected(frame) : NULL;
	case WIRE_TOPOLOGY:
		return frame->channel == a->topology_channel ? take_topology(a, frame->payload)
							     : unexpected(frame);
	default:
		break;
	}
	if (frame->channel != a->command_channel || a->ended)
		return unexpected(frame);
	switch (frame->type) {
	case WIRE_STDOUT:
	case WIRE_STDERR:
	case WIRE_REPORT:
		return take_output(a, frame);
	case WIRE_STARTED:
	case WIRE_WINDOW:
		return NULL;
	case WIRE_EXITED:
		err = vm_end_decode(frame->payload, &a->end);
		a->ended = !err;
		return err;
	default:
		return unexpected(frame);
	}
}

/* What the caller's own function says stays what it is. */
static struct error *as_ours(struct error *err)
{
	const struct error_domain *domain = error_domain_of(err);

	if (domain == &wire_error_domain || domain == &topo_error_domain)
		return error_recast(err, &vm_error_domain, VM_AGENT);
	return err;
}

struct error *vm_plan_answers_feed(struct vm_plan_answers *a, const void *bytes, size_t n)
{
	struct wire_frame frame;
	bool got = true;

	wire_receiver_feed(&a->receiver, bytes, n);
	while (got) {
		struct error *err = wire_receiver_take(&a->receiver, &frame, &got);

		if (!err && got)
			err = take(a, &frame);
		if (err)
			return as_ours(err);
	}
	return NULL;
}
