// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/vmcore.h"

#include <elf.h>

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

static void text_of_the_kernel_is_the_last_note(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		stack_test(text_of_the_kernel_is_the_last_note),
		stack_test(every_cpu_has_its_registers_and_its_number),
		stack_test(note_that_has_grown_or_gone_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
