// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/link/ring.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "vm/error.h"

struct error *vm_ring_open(struct vm_ring *ring)
{
	void *at;

	ring->fd = memfd_create("ktstr-events", MFD_CLOEXEC);
	if (ring->fd < 0 || ftruncate(ring->fd, WIRE_OBSERVE_BYTES) < 0)
		return vm_error(VM_QEMU_FAILED, errno, "cannot create memory for events");
	at = mmap(NULL, WIRE_OBSERVE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (at == MAP_FAILED)
		return vm_error(VM_QEMU_FAILED, errno, "cannot map memory for events");
	ring->head = at;
	return NULL;
}

void vm_ring_close(struct vm_ring *ring)
{
	if (ring->head)
		munmap(ring->head, WIRE_OBSERVE_BYTES);
	cleanup_fd(&ring->fd);
	*ring = VM_RING_NONE;
}

struct error *vm_ring_observe(struct vm_ring *ring, const struct vm_observer *observer)
{
	if (observer->n > WIRE_OBSERVE_HOOKS)
		return vm_error(VM_QEMU_FAILED, 0, "%zu places to observe are more than %d",
				observer->n, WIRE_OBSERVE_HOOKS);
	ring->observer = *observer;
	ring->observer.hooks = NULL;
	if (observer->n)
		memcpy(ring->head->hooks, observer->hooks,
		       observer->n * sizeof(observer->hooks[0]));
	ring->head->n_hooks = (uint32_t)observer->n;
	ring->head->current_offset = observer->current_offset;
	ring->head->generation++;
	return NULL;
}

struct error *vm_ring_drain(struct vm_ring *ring)
{
	uint64_t taken, written;

	if (!ring->head || !ring->observer.on_events)
		return NULL;
	taken = ring->head->taken;
	written = __atomic_load_n(&ring->head->written, __ATOMIC_ACQUIRE);
	if (written - taken > WIRE_OBSERVE_RING_BYTES)
		return vm_error(VM_QEMU_FAILED, 0, "the ring of events says %llu bytes",
				(unsigned long long)(written - taken));
	while (taken != written) {
		const uint8_t *ring_at = (const uint8_t *)ring->head + WIRE_OBSERVE_RING_AT;
		uint64_t at = taken & (WIRE_OBSERVE_RING_BYTES - 1);
		uint64_t n = WIRE_OBSERVE_RING_BYTES - at;
		struct error *err;

		n = n < written - taken ? n : written - taken;
		err = ring->observer.on_events(ring->observer.context,
					       (struct bytes){ ring_at + at, (size_t)n });
		if (err)
			return err;
		taken += n;
	}
	__atomic_store_n(&ring->head->taken, taken, __ATOMIC_RELEASE);
	return NULL;
}
