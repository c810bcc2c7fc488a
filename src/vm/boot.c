// SPDX-License-Identifier: LGPL-2.1-or-later
/* A machine that boots: RAM, initramfs, QEMU, the agent's first word, the read-back. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "vm/state.h"

/*
 * A guest boots in seconds; a starved host makes minutes of it, and each CPU adds its
 * share. What is too short here breaks tests that were only slow.
 */
enum {
	TCG_BOOT_SEC = 120,
	TCG_BOOT_SEC_PER_CPU = 5,
	KVM_BOOT_SEC = 30,
	KVM_BOOT_SEC_PER_CPU = 1,
	QMP_WAIT_SEC = 60,
	/* COMMAND_LINE_SIZE of x86: what is longer is cut off without a word. */
	KERNEL_ARGS_BYTES = 2048,
	/* Counting instructions makes a guest several times slower. */
	VIRTUAL_SLOWER = 4,
	/* With -icount the TSC counts nanoseconds of the guest. */
	VIRTUAL_TSC_KHZ = 1000000,
};

/* 2026-01-01T00:00:00Z, with which a virtual machine's RTC begins as well. */
#define VIRTUAL_REALTIME_NS (UINT64_C(1767225600) * NS_PER_SEC)

/*
 * An oops ends the guest: a kernel that went on after one proves nothing. tsc=reliable: the
 * watchdog of the clock would mistake a busy host for a broken TSC.
 */
#define COMMON_ARGS                                                                           \
	"console=ttyS0 quiet panic=-1 oops=panic mitigations=off noreplace-smp tsc=reliable " \
	"no_timer_check rdinit=/init"

uint64_t vm_boot_timeout_ns(const struct vm_accel *accel, unsigned int cpus)
{
	if (accel->boot_is_trial)
		return VM_ACCEL_TRIAL_BOOT_MS * NS_PER_MS +
		       KVM_BOOT_SEC_PER_CPU * (uint64_t)cpus * NS_PER_SEC;
	if (accel->kind == VM_ACCEL_KVM)
		return (KVM_BOOT_SEC + KVM_BOOT_SEC_PER_CPU * (uint64_t)cpus) * NS_PER_SEC;
	return (TCG_BOOT_SEC + TCG_BOOT_SEC_PER_CPU * (uint64_t)cpus) * NS_PER_SEC;
}

/*
 * Nothing random: the addresses of the kernel and of programs stay where they are, and the CPU is
 * not asked. What the kernel gathers itself comes from clocks, which count instructions.
 */
#define VIRTUAL_ARGS "nokaslr random.trust_cpu=off ktstr.mailbox"

void vm_boot_format_args(const struct topo *topology, enum vm_clock_kind clock, const char *extra,
			 struct strbuf *into)
{
	const char *wanted = vm_qemu_topology_kernel_args(topology);

	strbuf_append(into, COMMON_ARGS " ");
	strbuf_append(into, clock == VM_CLOCK_VIRTUAL ? VIRTUAL_ARGS : "random.trust_cpu=on");
	if (wanted[0])
		strbuf_appendf(into, " %s", wanted);
	if (extra && extra[0])
		strbuf_appendf(into, " %s", extra);
}

/* With KVM the guest gets the frequency from KVM itself: 0. */
static uint64_t tsc_khz_of(const struct vm_machine_plan *plan)
{
	if (plan->clock == VM_CLOCK_VIRTUAL)
		return VIRTUAL_TSC_KHZ;
	return plan->accel->kind == VM_ACCEL_TCG ? vm_host_tsc_khz() : 0;
}

struct error *vm_boot_complete_args(const struct vm_machine_plan *plan, struct strbuf *into)
{
	size_t before = into->n;
	uint64_t tsc_khz = tsc_khz_of(plan);

	/* First, so that a wish of the caller's comes later and counts. */
	if (tsc_khz)
		strbuf_appendf(into, "tsc_early_khz=%llu ", (unsigned long long)tsc_khz);
	strbuf_append(into, plan->kernel_args);
	if (into->n - before >= KERNEL_ARGS_BYTES)
		return base_error(BASE_LIMIT, 0,
				  "the kernel takes arguments of up to %d bytes, these are %zu",
				  KERNEL_ARGS_BYTES - 1, into->n - before);
	return NULL;
}

struct error *vm_boot_image(const struct kernel *kernel, enum vm_clock_kind clock, const char **ret)
{
	if (clock == VM_CLOCK_VIRTUAL && !kernel->vmlinux_path)
		return vm_error(VM_QEMU_FAILED, 0,
				"kernel %s has no vmlinux, which a virtual clock needs: its "
				"bzImage would move the kernel",
				kernel->release);
	*ret = kernel->bzimage_path && clock == VM_CLOCK_REAL ? kernel->bzimage_path
							      : kernel->vmlinux_path;
	return NULL;
}

struct error *vm_boot_make_files(struct vm *vm, const struct strbuf *initramfs)
{
	struct error *err;

	vm->initrd_fd = memfd_create("ktstr-initramfs", MFD_CLOEXEC);
	if (vm->initrd_fd < 0)
		return vm_error(VM_QEMU_FAILED, errno,
				"cannot create a memory file for the initramfs");
	err = io_write_all(vm->initrd_fd, "the initramfs", initramfs->at, initramfs->n);
	for (unsigned int i = 0; !err && i < vm->topology.nodes; i++)
		err = vm_ram_make_memfd(i, vm_qemu_node_bytes(&vm->topology, vm->memory_bytes, i),
					&vm->ram_fds[i]);
	return err;
}

/* The guest's /sys against the request; VM_TOPOLOGY says what differs. */
static struct error *check_topology(struct vm *vm, const struct cancel *cancel)
{
	_cleanup_topo_machine_ struct topo_machine *machine = NULL;
	struct error *err = vm_read_topology(vm, cancel, &machine);

	if (err)
		return err;
	err = topo_compare(&vm->topology, machine);
	return err ? error_recast(err, &vm_error_domain, VM_TOPOLOGY) : NULL;
}

/* QEMU sends events only after the first command on the monitor. */
static struct error *hear_events(struct vm *vm)
{
	struct error *err = vm_qmp_execute(vm->qmp, "query-status", NULL, QMP_WAIT_SEC * NS_PER_SEC,
					   NULL);

	if (!err && vm->link.mailbox)
		err = vm_mailbox_find(vm->link.mailbox, vm->pid);
	return vm_explain_monitor(vm, err, "starting QEMU");
}

struct error *vm_boot_until_ready(struct vm *vm, const struct vm_machine_plan *plan,
				  const uint8_t nonce[WIRE_NONCE_BYTES], uint32_t heartbeat_ms,
				  const struct cancel *cancel)
{
	uint64_t timeout_ns = vm_boot_timeout_ns(&vm->accel, topo_cpus(&vm->topology)) *
			      (plan->clock == VM_CLOCK_VIRTUAL ? VIRTUAL_SLOWER : 1);
	_cleanup_strbuf_ struct strbuf arguments = STRBUF_INIT;
	struct vm_machine_plan here = *plan;
	struct error *err;

	err = vm_boot_complete_args(plan, &arguments);
	here.kernel_args = strbuf_str(&arguments);
	if (!err)
		err = vm_launch(vm, &here);
	if (!err)
		err = hear_events(vm);
	if (!err)
		err = vm_publish(vm);
	if (!err)
		err = vm_hello(vm, nonce, heartbeat_ms);
	if (!err)
		err = vm_await_ready(vm, clock_monotonic_ns() + timeout_ns, cancel);
	if (err)
		return error_wrap(err, "booting");
	/* The guest has its own copy. */
	close(take_fd(vm->initrd_fd));
	return error_wrap(check_topology(vm, cancel), "after boot");
}

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

static struct error *fill_from_host(struct wire_hello *hello, uint32_t *session)
{
	hello->realtime_ns = realtime_ns();
	if (getrandom(hello->entropy, sizeof(hello->entropy), 0) != sizeof(hello->entropy) ||
	    getrandom(session, sizeof(*session), 0) != sizeof(*session))
		return vm_error(VM_AGENT, errno, "cannot get random bytes for the guest");
	return NULL;
}

/* The same for every run with this seed. */
static void fill_from_seed(const struct vm *vm, struct wire_hello *hello, uint32_t *session)
{
	uint64_t word = vm->random_seed;

	for (size_t i = 0; i < sizeof(hello->entropy); i++) {
		word = hash_bytes(HASH_INIT, &word, sizeof(word));
		hello->entropy[i] = (uint8_t)(hash_u64(word) >> 56);
	}
	hello->realtime_ns = VIRTUAL_REALTIME_NS;
	*session = vm->ready.generation + 1;
}

struct error *vm_hello(struct vm *vm, const uint8_t nonce[WIRE_NONCE_BYTES], uint32_t heartbeat_ms)
{
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct wire_hello hello = { .protocol = WIRE_PROTOCOL, .heartbeat_ms = heartbeat_ms };
	uint32_t session = 0;
	struct error *err = NULL;

	if (vm->clock == VM_CLOCK_VIRTUAL)
		fill_from_seed(vm, &hello, &session);
	else
		err = fill_from_host(&hello, &session);
	if (err)
		return err;
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
		return vm_error(VM_AGENT, 0, "the agent began with %s", wire_type_name(frame.type));
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
