// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/observe.h"

#include <string.h>
#include <sys/mman.h>

#include "wire/observe.h"

enum {
	/* In the number that a hook's callback gets: index of hook, of instruction, of all. */
	INSTRUCTION_BITS = 16,
};

static struct {
	struct wire_observe *head;
	uint8_t *ring;
	unsigned int shift;
	uint32_t generation, n_hooks;
	struct wire_observe_hook hooks[WIRE_OBSERVE_HOOKS];
	uint64_t current_offset;
	uint64_t sequence;
	struct qemu_bytes *bytes; /* what QEMU reads into */
	void *registers[WIRE_OBSERVE_N_REGISTERS];
} observer;

/* Time goes on by instructions from a moment at which QEMU's clock was known. */
static struct {
	bool known;
	int64_t base_ns;
	int64_t counted; /* with all of the block that is executed */
} now;

bool plugin_observe_open(int fd, unsigned int shift)
{
	void *at = mmap(NULL, WIRE_OBSERVE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return false;
	observer.head = at;
	observer.ring = (uint8_t *)at + WIRE_OBSERVE_RING_AT;
	observer.shift = shift;
	return true;
}

bool plugin_observe_is_on(void)
{
	return observer.n_hooks > 0;
}

bool plugin_observe_refresh(void)
{
	uint32_t n;

	if (!observer.head || observer.head->generation == observer.generation)
		return false;
	observer.generation = observer.head->generation;
	n = observer.head->n_hooks;
	observer.n_hooks = n < WIRE_OBSERVE_HOOKS ? n : WIRE_OBSERVE_HOOKS;
	memcpy(observer.hooks, observer.head->hooks, sizeof(observer.hooks));
	observer.current_offset = observer.head->current_offset;
	now.known = false;
	return true;
}

void plugin_observe_sync(void)
{
	now.known = false;
}

/*
 * In the middle of a block QEMU refuses to say the time, because it has not counted the
 * instructions of this CPU yet. Of no CPU it says what is counted.
 */
static int64_t read_clock(void)
{
	void *cpu = current_cpu;
	int64_t ns;

	current_cpu = NULL;
	ns = qemu_clock_get_ns(QEMU_VIRTUAL_CLOCK);
	current_cpu = cpu;
	return ns;
}

void plugin_observe_block(int64_t n)
{
	if (!now.known) {
		now.known = true;
		now.base_ns = read_clock();
		now.counted = 0;
	}
	now.counted += n;
}

static void find_registers(void)
{
	static const char *const names[] = {
		[WIRE_OBSERVE_RDI] = "rdi", [WIRE_OBSERVE_RSI] = "rsi",
		[WIRE_OBSERVE_RDX] = "rdx", [WIRE_OBSERVE_RCX] = "rcx",
		[WIRE_OBSERVE_R8] = "r8",   [WIRE_OBSERVE_R9] = "r9",
		[WIRE_OBSERVE_RAX] = "rax", [WIRE_OBSERVE_GS_BASE] = "gs_base",
	};
	struct qemu_array *list = qemu_plugin_get_registers();
	const struct qemu_register *at = (const void *)list->data;

	observer.bytes = g_byte_array_new();
	for (unsigned int i = 0; i < list->n; i++)
		for (unsigned int k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (strcmp(at[i].name, names[k]) == 0)
				observer.registers[k] = at[i].handle;
	g_array_free(list, 1);
}

static bool read_register(unsigned int which, uint64_t *ret)
{
	*ret = 0;
	if (!observer.registers[which])
		return false;
	g_byte_array_set_size(observer.bytes, 0);
	if (qemu_plugin_read_register(observer.registers[which], observer.bytes) != sizeof(*ret))
		return false;
	memcpy(ret, observer.bytes->data, sizeof(*ret));
	return true;
}

static bool read_memory(uint64_t address, void *into, size_t n)
{
	if (!qemu_plugin_read_memory_vaddr(address, observer.bytes, n))
		return false;
	memcpy(into, observer.bytes->data, n);
	return true;
}

/* Of one event: a register is asked for once. */
struct look {
	uint64_t registers[WIRE_OBSERVE_N_REGISTERS];
	uint32_t known, unknown; /* bits */
};

static bool look_at_register(struct look *look, unsigned int which, uint64_t *ret)
{
	uint32_t bit = UINT32_C(1) << which;

	if (!((look->known | look->unknown) & bit)) {
		uint64_t *into = &look->registers[which];
		bool ok = which == WIRE_OBSERVE_CURRENT
				  ? observer.current_offset &&
					    look_at_register(look, WIRE_OBSERVE_GS_BASE, into) &&
					    read_memory(*into + observer.current_offset, into,
							sizeof(*into))
				  : read_register(which, into);

		if (ok)
			look->known |= bit;
		else
			look->unknown |= bit;
	}
	*ret = look->known & bit ? look->registers[which] : 0;
	return look->known & bit;
}

static bool look_at(struct look *look, const struct wire_observe_value *value, uint8_t *into)
{
	uint64_t base;

	if (value->reg >= WIRE_OBSERVE_N_REGISTERS || value->width > WIRE_OBSERVE_WIDTH ||
	    !look_at_register(look, value->reg, &base))
		return false;
	if (value->width)
		return read_memory(base + value->offset, into, value->width);
	memcpy(into, &base, sizeof(base));
	return true;
}

static void put(const void *bytes, size_t n)
{
	uint64_t at = observer.head->written & (WIRE_OBSERVE_RING_BYTES - 1);
	size_t here = WIRE_OBSERVE_RING_BYTES - at;

	here = here < n ? here : n;
	memcpy(observer.ring + at, bytes, here);
	memcpy(observer.ring, (const uint8_t *)bytes + here, n - here);
	__atomic_store_n(&observer.head->written, observer.head->written + n, __ATOMIC_RELEASE);
}

static bool has_room(size_t n)
{
	uint64_t taken = __atomic_load_n(&observer.head->taken, __ATOMIC_ACQUIRE);

	return WIRE_OBSERVE_RING_BYTES - (observer.head->written - taken) >= n;
}

static void on_hook(unsigned int cpu, void *context)
{
	uintptr_t packed = (uintptr_t)context;
	int64_t n = (int64_t)(packed & ((1 << INSTRUCTION_BITS) - 1));
	int64_t i = (int64_t)(packed >> INSTRUCTION_BITS & ((1 << INSTRUCTION_BITS) - 1));
	unsigned int index = (unsigned int)(packed >> 2 * INSTRUCTION_BITS);
	const struct wire_observe_hook *hook = &observer.hooks[index];
	struct {
		struct wire_observe_event head;
		uint8_t values[WIRE_OBSERVE_VALUES * WIRE_OBSERVE_WIDTH];
	} event = { .head = { .sequence = observer.sequence++, .hook = (uint16_t)index } };
	struct look look = { 0 };
	size_t at = 0;

	(void)cpu; /* the one that translated the block, not the one that executes it */
	if (!observer.bytes)
		find_registers();
	event.head.time_ns = (uint64_t)(now.base_ns + ((now.counted - n + i) << observer.shift));
	event.head.early_ns = (uint32_t)((now.counted - n) << observer.shift);
	look_at_register(&look, WIRE_OBSERVE_GS_BASE, &event.head.gs_base);
	for (unsigned int k = 0; k < hook->n && k < WIRE_OBSERVE_VALUES; k++) {
		size_t width = hook->values[k].width > 8 ? WIRE_OBSERVE_WIDTH : 8;

		if (!look_at(&look, &hook->values[k], event.values + at))
			event.head.unreadable |= UINT32_C(1) << k;
		at += width;
	}
	event.head.bytes = (uint16_t)(sizeof(event.head) + at);
	while (!has_room(event.head.bytes))
		if (!plugin_wait_for_room())
			return;
	put(&event, event.head.bytes);
}

void plugin_observe_translate(struct qemu_plugin_insn *insn, size_t i, size_t n)
{
	uint64_t address;

	if (!observer.n_hooks)
		return;
	address = qemu_plugin_insn_vaddr(insn);
	for (uint32_t k = 0; k < observer.n_hooks; k++)
		if (observer.hooks[k].address == address)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, on_hook, QEMU_READS_REGISTERS,
				(void *)((uintptr_t)k << 2 * INSTRUCTION_BITS |
					 (uintptr_t)i << INSTRUCTION_BITS | (uintptr_t)n));
}
