// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/deterministic/deterministic.h"

#include "base/io.h"

/* Small enough for the first window of standard input to take several. */
enum { INPUT_CHUNK = 64 << 10 };

static struct error *add(struct vm_input_plan *plan, enum wire_type type, uint32_t channel,
			 const void *payload, size_t n)
{
	return wire_send_append(&plan->sender, type, channel, 0, payload, n, &plan->bytes);
}

struct error *vm_input_plan_init(struct vm_input_plan *ret)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	_cleanup_vm_input_plan_ struct vm_input_plan plan = { .bytes = STRBUF_INIT };
	/* No heartbeat: the output is not read before the end. */
	struct wire_hello hello = { .protocol = WIRE_PROTOCOL, .realtime_ns = VM_PLAN_REALTIME_NS };
	struct error *err;

	/* Randomness that is the same each time is what is wanted here. */
	for (size_t i = 0; i < sizeof(hello.entropy); i++)
		hello.entropy[i] = (uint8_t)i;
	for (size_t i = 0; i < sizeof(hello.nonce); i++)
		hello.nonce[i] = (uint8_t)(i + 1);
	wire_sender_begin(&plan.sender, VM_PLAN_SESSION);
	wire_hello_encode(&hello, &payload);
	err = add(&plan, WIRE_HELLO, 0, payload.at, payload.n);
	if (err)
		return err;
	*ret = plan;
	plan = (struct vm_input_plan){ .bytes = STRBUF_INIT };
	return NULL;
}

void vm_input_plan_deinit(struct vm_input_plan *plan)
{
	strbuf_deinit(&plan->bytes);
}

struct error *vm_input_plan_add_topology(struct vm_input_plan *plan, uint32_t *ret_channel)
{
	struct error *err = add(plan, WIRE_GET_TOPOLOGY, plan->last_channel + 1, NULL, 0);

	if (!err)
		*ret_channel = ++plan->last_channel;
	return err;
}

static struct error *add_input(struct vm_input_plan *plan, int fd, uint32_t channel)
{
	_cleanup_strbuf_ struct strbuf input = STRBUF_INIT;
	struct error *err;

	err = io_read_fd(fd, "standard input", VM_LIMIT_PLAN_INPUT, &input);
	for (size_t at = 0; !err && at < input.n;) {
		size_t n = input.n - at < INPUT_CHUNK ? input.n - at : INPUT_CHUNK;

		err = add(plan, WIRE_STDIN, channel, input.at + at, n);
		at += n;
	}
	return err ? err : add(plan, WIRE_STDIN_END, channel, NULL, 0);
}

struct error *vm_input_plan_add_command(struct vm_input_plan *plan,
					const struct vm_command *command, uint32_t *ret_channel)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	uint32_t channel = plan->last_channel + 1;
	struct wire_run message = vm_command_message(command);
	struct error *err;

	wire_run_encode(&message, &payload);
	err = add(plan, WIRE_RUN, channel, payload.at, payload.n);
	if (!err && command->stdin_fd >= 0)
		err = add_input(plan, command->stdin_fd, channel);
	if (!err)
		*ret_channel = plan->last_channel = channel;
	return error_wrap(err, "planning %s", command->argv[0]);
}
