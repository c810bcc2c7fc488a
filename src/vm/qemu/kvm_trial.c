// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/accel.h"

#include <errno.h>
#include <string.h>

#if defined(__x86_64__)
#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The guest's memory, identity-mapped by one large page. */
enum {
	GUEST_BYTES = 2 << 20,
	GUEST_PML4 = 0x1000,
	GUEST_PDPT = 0x2000,
	GUEST_PD = 0x3000,
	GUEST_IDT = 0x4000,
	GUEST_IDT_POINTER = 0x5000,
	GUEST_GDT = 0x6000,
	GUEST_CODE = 0x8000,
	GUEST_STACK = 0x10000,
	/* Where KVM on Intel keeps pages of its own; must not touch ours. */
	HOST_TSS = 0xfffbd000,

	CODE_SELECTOR = 0x08,
	DATA_SELECTOR = 0x10,
	BREAKPOINT_VECTOR = 3,
	ANSWER_PORT = 0xf4,
	CPUID_ENTRIES = 256,
	/* Signals are blocked; a few returns without cause are still borne. */
	RUN_RETRIES = 64,
};

#define PTE_PRESENT_WRITABLE 0x3
#define PDE_LARGE	     0x80
#define CR0_BITS	     0x80010033 /* PG WP NE ET MP PE */
#define CR4_BITS	     0x620	/* OSXMMEXCPT OSFXSR PAE */
#define EFER_BITS	     0x500	/* LMA LME */

/*
 * Never run here, only copied. Reload cr3, add with SSE2, take a breakpoint through an own
 * table, count for a while (timer interrupts of the host come in between), say the answer.
 */
extern const char kvm_guest_code[], kvm_guest_handler[], kvm_guest_end[];
__asm__(".pushsection .rodata\n"
	"kvm_guest_code:\n"
	"	mov	%cr3, %rax\n"
	"	mov	%rax, %cr3\n"
	"	mov	$0x01234567, %eax\n"
	"	movd	%eax, %xmm0\n"
	"	pshufd	$0, %xmm0, %xmm0\n"
	"	paddd	%xmm0, %xmm0\n"
	"	movd	%xmm0, %ebx\n"
	"	lidt	0x5000\n"
	"	int3\n"
	"	mov	$20000000, %ecx\n"
	"1:	dec	%ecx\n"
	"	jnz	1b\n"
	"	mov	%ebx, %eax\n"
	"	mov	$0xf4, %edx\n"
	"	out	%eax, %dx\n"
	"	hlt\n"
	"kvm_guest_handler:\n"
	"	add	$0x1000, %ebx\n"
	"	iretq\n"
	"kvm_guest_end:\n"
	".popsection\n");

static void put_u64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void fill_memory(uint8_t *memory)
{
	uint64_t handler = GUEST_CODE + (uint64_t)(kvm_guest_handler - kvm_guest_code);
	uint8_t *gate = memory + GUEST_IDT + 16 * BREAKPOINT_VECTOR;
	uint16_t limit = 16 * 32 - 1;

	put_u64(memory + GUEST_PML4, GUEST_PDPT | PTE_PRESENT_WRITABLE);
	put_u64(memory + GUEST_PDPT, GUEST_PD | PTE_PRESENT_WRITABLE);
	put_u64(memory + GUEST_PD, PDE_LARGE | PTE_PRESENT_WRITABLE);
	put_u64(memory + GUEST_GDT + CODE_SELECTOR, UINT64_C(0x00af9b000000ffff));
	put_u64(memory + GUEST_GDT + DATA_SELECTOR, UINT64_C(0x00cf93000000ffff));
	/* A present interrupt gate of ring 0; the handler lies below 64 KiB. */
	put_u64(gate, (handler & 0xffff) | (uint64_t)CODE_SELECTOR << 16 | UINT64_C(0x8e) << 40);
	memcpy(memory + GUEST_IDT_POINTER, &limit, sizeof(limit));
	put_u64(memory + GUEST_IDT_POINTER + 2, GUEST_IDT);
	memcpy(memory + GUEST_CODE, kvm_guest_code, (size_t)(kvm_guest_end - kvm_guest_code));
}

static int set_cpuid(int kvm, int vcpu)
{
	union {
		struct kvm_cpuid2 head;
		uint8_t room[sizeof(struct kvm_cpuid2) +
			     CPUID_ENTRIES * sizeof(struct kvm_cpuid_entry2)];
	} cpuid = { .head.nent = CPUID_ENTRIES };

	/* Without it a guest has no long mode, and newer kernels refuse its registers. */
	if (ioctl(kvm, KVM_GET_SUPPORTED_CPUID, &cpuid) < 0)
		return -1;
	return ioctl(vcpu, KVM_SET_CPUID2, &cpuid);
}

static int set_registers(int vcpu)
{
	struct kvm_segment code = {
		.limit = 0xffffffff,
		.selector = CODE_SELECTOR,
		.type = 11,
		.present = 1,
		.s = 1,
		.l = 1,
		.g = 1,
	};
	struct kvm_segment data = code;
	struct kvm_regs regs = { .rip = GUEST_CODE, .rsp = GUEST_STACK, .rflags = 2 };
	struct kvm_sregs sregs;

	data.selector = DATA_SELECTOR;
	data.type = 3;
	data.l = 0;
	data.db = 1;
	if (ioctl(vcpu, KVM_GET_SREGS, &sregs) < 0)
		return -1;
	sregs.cs = code;
	sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = data;
	sregs.gdt.base = GUEST_GDT;
	sregs.gdt.limit = 3 * 8 - 1;
	sregs.cr3 = GUEST_PML4;
	sregs.cr4 = CR4_BITS;
	sregs.cr0 = CR0_BITS;
	sregs.efer = EFER_BITS;
	if (ioctl(vcpu, KVM_SET_SREGS, &sregs) < 0)
		return -1;
	return ioctl(vcpu, KVM_SET_REGS, &regs);
}

static bool run_again(int result, const struct kvm_run *run)
{
	if (result < 0)
		return errno == EINTR || errno == EAGAIN;
	return run->exit_reason == KVM_EXIT_INTR;
}

/* Writes *ret, VM_KVM_TRIAL_RAN when the guest came back at all. */
static void run_guest(int vcpu, struct kvm_run *run, struct vm_kvm_trial *ret)
{
	int result, tries = 0;

	do
		result = ioctl(vcpu, KVM_RUN, 0);
	while (run_again(result, run) && ++tries < RUN_RETRIES);
	if (result < 0) {
		ret->step = VM_KVM_TRIAL_RUN;
		ret->errnum = errno;
		return;
	}
	ret->step = VM_KVM_TRIAL_RAN;
	ret->exit_reason = run->exit_reason;
	switch (run->exit_reason) {
	case KVM_EXIT_INTERNAL_ERROR:
		ret->detail = run->internal.suberror;
		break;
	case KVM_EXIT_FAIL_ENTRY:
		ret->detail = (uint32_t)run->fail_entry.hardware_entry_failure_reason;
		break;
	case KVM_EXIT_IO:
		ret->detail = run->io.port;
		if (run->io.direction == KVM_EXIT_IO_OUT && run->io.port == ANSWER_PORT &&
		    run->io.size == sizeof(ret->answer) && run->io.count == 1)
			memcpy(&ret->answer, (uint8_t *)run + run->io.data_offset,
			       sizeof(ret->answer));
		break;
	default:
		break;
	}
}

/* What is opened here ends with the process. */
void vm_kvm_trial_run(const char *device, struct vm_kvm_trial *ret)
{
	struct kvm_userspace_memory_region region = { .memory_size = GUEST_BYTES };
	uint8_t *memory;
	struct kvm_run *run;
	int kvm, vm, vcpu, run_bytes;

#define FAIL_AT(step_)               \
	do {                         \
		ret->step = (step_); \
		ret->errnum = errno; \
		return;              \
	} while (0)

	memset(ret, 0, sizeof(*ret));
	kvm = open(device, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (kvm < 0)
		FAIL_AT(VM_KVM_TRIAL_OPEN);
	errno = 0;
	if (ioctl(kvm, KVM_GET_API_VERSION, 0) != KVM_API_VERSION)
		FAIL_AT(VM_KVM_TRIAL_API);
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (vm < 0)
		FAIL_AT(VM_KVM_TRIAL_VM);
	/* Only Intel knows it, and there only old processors need it. */
	ioctl(vm, KVM_SET_TSS_ADDR, HOST_TSS);
	memory = mmap(NULL, GUEST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		FAIL_AT(VM_KVM_TRIAL_MEMORY);
	fill_memory(memory);
	region.userspace_addr = (uintptr_t)memory;
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) < 0)
		FAIL_AT(VM_KVM_TRIAL_MEMORY);
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (vcpu < 0)
		FAIL_AT(VM_KVM_TRIAL_VCPU);
	run_bytes = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (run_bytes < (int)sizeof(*run))
		FAIL_AT(VM_KVM_TRIAL_VCPU);
	run = mmap(NULL, (size_t)run_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (run == MAP_FAILED)
		FAIL_AT(VM_KVM_TRIAL_VCPU);
	if (set_cpuid(kvm, vcpu) < 0)
		FAIL_AT(VM_KVM_TRIAL_CPUID);
	if (set_registers(vcpu) < 0)
		FAIL_AT(VM_KVM_TRIAL_REGISTERS);
	run_guest(vcpu, run, ret);
#undef FAIL_AT
}

#else /* no trial guest for this architecture yet */

void vm_kvm_trial_run(const char *device UNUSED, struct vm_kvm_trial *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->step = VM_KVM_TRIAL_ARCH;
	ret->errnum = ENOTSUP;
}

#endif
