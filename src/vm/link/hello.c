// SPDX-License-Identifier: LGPL-2.1-or-later
/* How a session with the agent begins. */
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/state.h"

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

struct error *vm_hello(struct vm *vm, const uint8_t nonce[WIRE_NONCE_BYTES], uint32_t heartbeat_ms)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct wire_hello hello = {
		.protocol = WIRE_PROTOCOL,
		.heartbeat_ms = heartbeat_ms,
		.realtime_ns = realtime_ns(),
	};
	uint32_t session = 0;

	if (getrandom(hello.entropy, sizeof(hello.entropy), 0) != sizeof(hello.entropy) ||
	    getrandom(&session, sizeof(session), 0) != sizeof(session))
		return vm_error(VM_AGENT, errno, "cannot get random bytes for the guest");
	if (nonce)
		memcpy(hello.nonce, nonce, sizeof(hello.nonce));
	vm->heartbeat_ms = heartbeat_ms;
	vm->greeted_ns = vm->heard_ns = clock_monotonic_ns();
	vm->last_channel = 0;
	vm_link_begin(&vm->link, session | 1);
	wire_hello_encode(&hello, &payload);
	return vm_link_send(&vm->link, WIRE_HELLO, 0, payload.at, payload.n);
}

struct error *vm_await_ready(struct vm *vm, uint64_t deadline_ns, const struct cancel *cancel)
{
	uint32_t heartbeat_ms = vm->heartbeat_ms;
	struct wire_frame frame;
	enum vm_event event;
	struct error *err;

	/* A guest that has not come up has no heart to listen to. */
	vm->heartbeat_ms = 0;
	err = vm_wait(vm, NULL, 0, deadline_ns, cancel, &event, &frame);
	vm->heartbeat_ms = heartbeat_ms;
	if (err)
		return err;
	if (event == VM_EVENT_DEADLINE)
		return vm_error(VM_BOOT_TIMEOUT, 0, "the agent did not answer in time");
	if (frame.type != WIRE_READY)
		return vm_error(VM_AGENT, 0, "the agent began with %s", wire_type_word(frame.type));
	err = wire_ready_decode(frame.payload, &vm->ready);
	if (err)
		return error_recast(err, &vm_error_domain, VM_AGENT);
	if (vm->ready.protocol != WIRE_PROTOCOL)
		return vm_error(VM_AGENT, 0, "the agent uses protocol %u, this program %u",
				vm->ready.protocol, WIRE_PROTOCOL);
	free(vm->release);
	vm->release = xstrdup(vm->ready.release);
	vm->ready.release = vm->release;
	return NULL;
}
