/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The host's end of wire/observe.h: events that the plugin wrote, on their way to whoever asked. */
#ifndef KTSTR_VM_LINK_RING_H
#define KTSTR_VM_LINK_RING_H

#include "base/bytes.h"
#include "base/error.h"
#include "wire/observe.h"

/* Who wants to know what. Hooks are copied. */
struct vm_observer {
	const struct wire_observe_hook *hooks;
	size_t n;
	uint64_t current_offset;
	/* Bytes of events in their order; one may be cut, and goes on in the next piece. */
	struct error *(*on_events)(void *context, struct bytes events);
	void *context;
};

struct vm_ring {
	int fd;
	struct wire_observe *head;
	struct vm_observer observer;
	bool full; /* the plugin waits */
};
#define VM_RING_NONE ((struct vm_ring){ .fd = -1 })

struct error *vm_ring_open(struct vm_ring *ring) MUST_CHECK;
void vm_ring_close(struct vm_ring *ring);
/* Only while the machine is held. More than WIRE_OBSERVE_HOOKS are an error. */
struct error *vm_ring_observe(struct vm_ring *ring, const struct vm_observer *observer) MUST_CHECK;
/* Hands on what is there. */
struct error *vm_ring_drain(struct vm_ring *ring) MUST_CHECK;

#endif
