// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/vmcore.h"

#include <elf.h>
#include <sys/procfs.h>

#include "base/alloc.h"

static const char note_padding[4];

static void add_note(struct strbuf *into, const char *name, uint32_t type, const void *bytes,
		     size_t n)
{
	size_t name_n = strlen(name) + 1;
	Elf64_Nhdr header = { .n_namesz = (Elf64_Word)name_n,
			      .n_descsz = (Elf64_Word)n,
			      .n_type = type };

	strbuf_append_bytes(into, &header, sizeof(header));
	strbuf_append_bytes(into, name, name_n);
	strbuf_append_bytes(into, note_padding, -name_n % 4);
	strbuf_append_bytes(into, bytes, n);
	strbuf_append_bytes(into, note_padding, -n % 4);
}

/* What Linux gives to a process and to itself (arch/x86/include/asm/segment.h). */
enum { KERNEL_CS = 0x10, KERNEL_SS = 0x18, USER_CS = 0x33, USER_SS = 0x2b };

/*
 * The kernel did not crash (no CRASHTIME in VMCOREINFO), so readers find the note of a CPU by the
 * number that QEMU's dump-guest-memory gives it: drgn does, and kmem/core_file.
 */
static void add_cpu(struct strbuf *into, const struct physmap_registers *r, size_t cpu)
{
	struct elf_prstatus status = { .pr_pid = (pid_t)cpu + 1 };
	/* In the order of struct user_regs_struct. */
	const elf_greg_t registers[ELF_NGREG] = {
		r->r15,	    r->r14,	r->r13,
		r->r12,	    r->rbp,	r->rbx,
		r->r11,	    r->r10,	r->r9,
		r->r8,	    r->rax,	r->rcx,
		r->rdx,	    r->rsi,	r->rdi,
		UINT64_MAX, r->rip,	r->user ? USER_CS : KERNEL_CS,
		r->rflags,  r->rsp,	r->user ? USER_SS : KERNEL_SS,
		r->fs_base, r->gs_base,
	};

	memcpy(status.pr_reg, registers, sizeof(registers));
	add_note(into, "CORE", NT_PRSTATUS, &status, sizeof(status));
}

struct error *dump_vmcore_notes(struct kmem *kmem, const struct dump_request *request,
				struct strbuf *into)
{
	uint8_t header[KMEM_NOTE_HEADER_BYTES], text[KMEM_LIMIT_NOTE_BYTES];
	uint64_t at = kmem->note_physical;
	enum kmem_status status = kmem->reader.read(&kmem->reader, at, header, sizeof(header));
	uint32_t n = 0;

	if (status == KMEM_READ_OK) {
		memcpy(&n, header + 4, 4);
		if (n > sizeof(text))
			return kmem_error(KMEM_BAD_NOTE, 0, "VMCOREINFO has grown to %u bytes", n);
		status = kmem->reader.read(&kmem->reader, at + sizeof(header), text, n);
	}
	if (status != KMEM_READ_OK)
		return kmem_unread(status, at, "VMCOREINFO");
	for (size_t cpu = 0; cpu < request->n_registers; cpu++) {
		if (!request->registers[cpu].unknown)
			add_cpu(into, &request->registers[cpu], cpu);
	}
	add_note(into, "VMCOREINFO", 0, text, n);
	return NULL;
}

enum { PRIVILEGE_BITS = 3 };

static struct physmap_registers registers_of(const struct user_regs_struct *r)
{
	return (struct physmap_registers){
#define COPY_(member) .member = r->member,
		PHYSMAP_GENERAL_REGISTERS(COPY_)
#undef COPY_
			.rflags = r->eflags,
		.user = (r->cs & PRIVILEGE_BITS) != 0,
	};
}

/* Tasks that have just these numbers, on all CPUs at once, would do no harm but with CPUs offline.
 */
static bool are_numbered(const struct kmem_core *core)
{
	for (size_t i = 0; i < core->cpus.n; i++) {
		if (core->cpus.at[i].pid != i + 1)
			return false;
	}
	return true;
}

struct physmap_registers *dump_core_registers(const struct kmem *kmem, const struct kmem_core *core,
					      size_t *ret_n)
{
	_cleanup_free_ struct physmap_registers *all = xcalloc(kmem->cpus.n, sizeof(*all));
	bool numbered = are_numbered(core), any = false;
	uint32_t cpu = 0;

	for (uint32_t i = 0; i < kmem->cpus.n; i++)
		all[i].unknown = true;
	for (size_t i = 0; i < core->cpus.n; i++, cpu++) {
		const struct user_regs_struct *r = &core->cpus.at[i].registers;

		while (!numbered && cpu < kmem->cpus.n && !kmem_cpus_is_online(&kmem->cpus, cpu))
			cpu++;
		if (cpu >= kmem->cpus.n)
			break;
		if (!r->rip && !r->rsp)
			continue;
		all[cpu] = registers_of(r);
		any = true;
	}
	*ret_n = any ? kmem->cpus.n : 0;
	return any ? take_ptr(all) : NULL;
}
