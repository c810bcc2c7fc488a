// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/vmcore.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>

#include "build_stack.h"

/* Offsets of struct elf_prstatus on x86-64, as gdb and drgn know them. */
enum { NOTE_HEAD = 12 + 8, PRSTATUS_BYTES = 336, PID_AT = 32, REGS_AT = 112 };
enum { R15 = 0, RBP = 4, RAX = 10, RIP = 16, CS = 17, RSP = 19, SS = 20 };

static uint64_t word(const struct strbuf *notes, size_t at)
{
	uint64_t value;

	memcpy(&value, notes->at + at, 8);
	return value;
}

static void the_vmcoreinfo_note_comes_last(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
	size_t n = strlen(s->k.text);
	Elf64_Nhdr header;

	assert_success(dump_vmcore_notes(s->kmem, &(struct dump_request){ 0 }, &notes));
	memcpy(&header, notes.at, sizeof(header));
	assert_int_equal(header.n_namesz, 11);
	assert_int_equal(header.n_descsz, n);
	assert_int_equal(header.n_type, 0);
	assert_memory_equal(notes.at + 12, "VMCOREINFO\0\0", 12);
	assert_memory_equal(notes.at + 24, s->k.text, n);
	assert_int_equal(notes.n, 24 + (n + 3) / 4 * 4);
}

static void every_cpu_has_its_registers_and_its_number(void **state)
{
	struct build_stack *s = *state;
	struct physmap_registers cpus[2] = {
		{ .r15 = 15, .rbp = 4, .rax = 10, .rip = 16, .rsp = 19 }, { .user = true, .rip = 7 }
	};
	struct dump_request request = { .registers = cpus, .n_registers = 2 };
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
	size_t first = NOTE_HEAD, second = NOTE_HEAD + PRSTATUS_BYTES + NOTE_HEAD;
	static const struct {
		size_t at;
		uint64_t value;
	} rows[] = { { R15, 15 },  { RBP, 4 },	{ RAX, 10 }, { RIP, 16 },
		     { CS, 0x10 }, { RSP, 19 }, { SS, 0x18 } };

	assert_success(dump_vmcore_notes(s->kmem, &request, &notes));
	assert_memory_equal(notes.at + 12, "CORE\0\0\0\0", 8);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(word(&notes, first + REGS_AT + 8 * rows[i].at), rows[i].value);
	assert_int_equal(word(&notes, second + REGS_AT + 8 * RIP), 7);
	assert_int_equal(word(&notes, second + REGS_AT + 8 * CS), 0x33);
	/* As QEMU counts; drgn finds a CPU by it when the kernel did not crash. */
	assert_int_equal((uint32_t)word(&notes, first + PID_AT), 1);
	assert_int_equal((uint32_t)word(&notes, second + PID_AT), 2);
}

static void note_that_has_grown_or_gone_is_an_error(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;
	struct dump_request request = { 0 };

	build_put(&s->k.memory, NOTE_AT + 4, "\xff\xff\xff\x7f", 4);
	assert_error_tag(dump_vmcore_notes(s->kmem, &request, &notes), "bad-vmcoreinfo");
	s->kmem->note_physical = RAM_BYTES;
	assert_error_tag(dump_vmcore_notes(s->kmem, &request, &notes), "guest-memory");
}

static void add(struct kmem_core *core, uint32_t pid, uint64_t rip, uint64_t cs)
{
	struct kmem_core_cpu cpu = {
		.pid = pid, .registers = { .rip = rip, .rsp = rip ? 0x100 : 0, .cs = cs }
	};

	vec_push(&core->cpus, cpu);
}

static void numbered_notes_belong_to_the_cpus_of_these_numbers(void **state)
{
	struct build_stack *s = *state;
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_free_ struct physmap_registers *r = NULL;
	size_t n;

	s->kmem->cpus.online[0] = 2; /* a machine that ran tells of CPUs that are offline, too */
	add(&core, 1, 0x1000, 0x10);
	add(&core, 2, 0x2000, 0x33);
	r = dump_core_registers(s->kmem, &core, &n);
	assert_int_equal(n, s->kmem->cpus.n);
	assert_int_equal(r[0].rip, 0x1000);
	assert_int_equal(r[0].rsp, 0x100);
	assert_false(r[0].user);
	assert_int_equal(r[1].rip, 0x2000);
	assert_true(r[1].user);
}

static void notes_of_kdump_are_those_of_the_cpus_online(void **state)
{
	struct build_stack *s = *state;
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_free_ struct physmap_registers *r = NULL;
	size_t n;

	s->kmem->cpus.online[0] = 2;
	add(&core, 43, 0x1000, 0x10);
	r = dump_core_registers(s->kmem, &core, &n);
	assert_int_equal(n, s->kmem->cpus.n);
	assert_true(r[0].unknown);
	assert_false(r[1].unknown);
	assert_int_equal(r[1].rip, 0x1000);
}

static void notes_without_registers_and_notes_too_many_tell_nothing(void **state)
{
	struct build_stack *s = *state;
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	size_t n = 7;

	assert_null(dump_core_registers(s->kmem, &core, &n));
	assert_int_equal(n, 0);
	/* What /proc/kcore has. */
	add(&core, 0, 0, 0);
	assert_null(dump_core_registers(s->kmem, &core, &n));
	assert_int_equal(n, 0);
	for (uint32_t i = 0; i < 5; i++)
		add(&core, 99, 0x5000, 0x10);

	_cleanup_free_ struct physmap_registers *r = dump_core_registers(s->kmem, &core, &n);

	assert_int_equal(n, s->kmem->cpus.n);
	assert_true(r[0].unknown);
	assert_int_equal(r[1].rip, 0x5000);
}

static void registers_that_were_written_are_read_again(void **state)
{
	struct build_stack *s = *state;
	char path[] = "/tmp/ktstr-core-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct physmap_registers cpus[2] = {
		{ .rax = 1,
		  .rbx = 2,
		  .rcx = 3,
		  .rdx = 4,
		  .rsi = 5,
		  .rdi = 6,
		  .rbp = 7,
		  .rsp = 8,
		  .r8 = 9,
		  .r9 = 10,
		  .r10 = 11,
		  .r11 = 12,
		  .r12 = 13,
		  .r13 = 14,
		  .r14 = 15,
		  .r15 = 16,
		  .rip = 17,
		  .rflags = 18,
		  .fs_base = 19,
		  .gs_base = 20 },
		{ .user = true, .rip = 0x400000, .rsp = 0x7fff0000 },
	};
	struct dump_request request = { .registers = cpus, .n_registers = 2 };
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_free_ struct physmap_registers *r = NULL;
	_cleanup_close_ int again = -1;
	size_t n;

	assert_true(fd >= 0);
	assert_success(dump_vmcore_write(s->kmem, &request, NULL, path, NULL));
	again = open(path, O_RDONLY | O_CLOEXEC);
	assert_success(kmem_core_read(again, path, &core));
	unlink(path);
	r = dump_core_registers(s->kmem, &core, &n);
	assert_int_equal(n, s->kmem->cpus.n);
	for (size_t i = 0; i < n; i++) {
		if (i >= ARRAY_SIZE(cpus)) {
			assert_true(r[i].unknown);
			continue;
		}
		assert_memory_equal(&r[i], &cpus[i], offsetof(struct physmap_registers, user));
		assert_int_equal(r[i].user, cpus[i].user);
		assert_false(r[i].unknown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		stack_test(the_vmcoreinfo_note_comes_last),
		stack_test(every_cpu_has_its_registers_and_its_number),
		stack_test(note_that_has_grown_or_gone_is_an_error),
		stack_test(numbered_notes_belong_to_the_cpus_of_these_numbers),
		stack_test(notes_of_kdump_are_those_of_the_cpus_online),
		stack_test(notes_without_registers_and_notes_too_many_tell_nothing),
		stack_test(registers_that_were_written_are_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
