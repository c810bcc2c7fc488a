// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/code.h"

#include <elf.h>

#include "build_stack.h"

enum { TABLE = 0x23000, SYMBOLS = 0x23100, NAMES = 0x23200, KINDS = 0x23300 };

static void put_symbols(struct build_stack *s)
{
	static const char names[] = "\0receive\0open\x1b[31m";
	const Elf64_Sym symbols[3] = { { 0 },
				       { .st_name = 9, .st_value = MODULE_CODE + 0x40 },
				       { .st_name = 1, .st_value = MODULE_CODE } };
	uint32_t n = 3;

	build_put_u64(&s->k.memory, MODULE_AT + 136, s->k.direct + TABLE);
	build_put_u64(&s->k.memory, TABLE, s->k.direct + SYMBOLS);
	build_put(&s->k.memory, TABLE + 8, &n, 4);
	build_put_u64(&s->k.memory, TABLE + 16, s->k.direct + NAMES);
	build_put_u64(&s->k.memory, TABLE + 24, s->k.direct + KINDS);
	build_put(&s->k.memory, SYMBOLS, symbols, sizeof(symbols));
	build_put(&s->k.memory, NAMES, names, sizeof(names));
	build_put(&s->k.memory, KINDS, "?Tt", 3);
	kmem_space_forget(&s->kmem->space);
}

static const char *name_of(struct dump_code *code, uint64_t address, bool is_return)
{
	static struct strbuf text;
	struct dump_code_name name;

	strbuf_clear(&text);
	if (!dump_code_name(code, address, is_return, &name))
		return "-";
	dump_code_format(&name, &text);
	return strbuf_str(&text);
}

static void code_has_the_name_that_the_kernel_prints(void **state)
{
	struct build_stack *s = *state;
	_cleanup_dump_code_ struct dump_code code = { 0 };
	uint64_t at = s->k.image;

	put_symbols(s);
	dump_code_init(&code, s->kmem);
	assert_string_equal(name_of(&code, at + IN_CODE_MIDDLE + 0x20, true), "middle+0x20/0x80");
	assert_string_equal(name_of(&code, MODULE_CODE + 0x10, true),
			    "receive+0x10/0x40 [virtio_net]");
	assert_string_equal(name_of(&code, BPF_CODE + 0x20, true),
			    "bpf_prog_0123_fifo+0x20/0x100 [bpf]");
	assert_int_equal(dump_code_kind(&code, at + IN_CODE_OUTER), DUMP_CODE_KERNEL);
	assert_int_equal(dump_code_kind(&code, MODULE_CODE), DUMP_CODE_MODULE);
	assert_int_equal(dump_code_kind(&code, BPF_CODE), DUMP_CODE_BPF);
}

/* A function that ends with a call to one that never returns. */
static void a_return_address_after_a_functions_end_belongs_to_it(void **state)
{
	struct build_stack *s = *state;
	_cleanup_dump_code_ struct dump_code code = { 0 };
	uint64_t at = s->k.image;

	dump_code_init(&code, s->kmem);
	assert_string_equal(name_of(&code, at + IN_CODE_INNER, true), "middle+0x80/0x80");
	assert_string_equal(name_of(&code, at + IN_CODE_INNER, false), "inner+0x0/0x80");
	assert_string_equal(name_of(&code, BPF_CODE + 0x100, true),
			    "bpf_prog_0123_fifo+0x100/0x100 [bpf]");
	assert_string_equal(name_of(&code, BPF_CODE + 0x100, false), "-");
}

static void addresses_outside_code_have_no_name(void **state)
{
	struct build_stack *s = *state;
	_cleanup_dump_code_ struct dump_code code = { 0 };

	dump_code_init(&code, s->kmem);
	assert_string_equal(name_of(&code, s->k.image + IN_CODE_END, false), "-");
	assert_string_equal(name_of(&code, 0, false), "-");
	assert_string_equal(name_of(&code, 0, true), "-");
	assert_string_equal(name_of(&code, UINT64_MAX, false), "-");
	/* This module keeps no symbols. */
	assert_string_equal(name_of(&code, MODULE_CODE, false), "-");
}

static void names_are_escaped(void **state)
{
	struct build_stack *s = *state;
	_cleanup_dump_code_ struct dump_code code = { 0 };

	put_symbols(s);
	dump_code_init(&code, s->kmem);
	assert_string_equal(name_of(&code, MODULE_CODE + 0x50, false),
			    "open\\x1b[31m+0x10/0xfc0 [virtio_net]");
}

static void module_brings_its_own_orc_table(void **state)
{
	struct build_stack *s = *state;
	struct dump_orc_table table;
	uint32_t n = 3;

	build_put(&s->k.memory, MODULE_AT + 144, &n, 4);
	build_put_u64(&s->k.memory, MODULE_AT + 152, 0x1000);
	build_put_u64(&s->k.memory, MODULE_AT + 160, 0x2000);
	{
		_cleanup_dump_code_ struct dump_code code = { 0 };

		dump_code_init(&code, s->kmem);
		assert_true(dump_code_orc(&code, MODULE_CODE + 4, &table));
		assert_int_equal(table.n, 3);
		assert_true(table.ips == 0x1000 && table.entries == 0x2000);
		assert_true(dump_code_orc(&code, s->k.image + IN_CODE_OUTER, &table));
		assert_int_equal(table.n, N_ORC);
		assert_false(dump_code_orc(&code, BPF_CODE, &table));
	}
	/* More entries than any module has. */
	n = UINT32_MAX;
	build_put(&s->k.memory, MODULE_AT + 144, &n, 4);
	kmem_space_forget(&s->kmem->space);

	_cleanup_dump_code_ struct dump_code code = { 0 };

	dump_code_init(&code, s->kmem);
	assert_false(dump_code_orc(&code, MODULE_CODE + 4, &table));
}

/* Ranges that wrap around would hold every address. */
static void wild_ranges_are_left_out(void **state)
{
	struct build_stack *s = *state;
	_cleanup_dump_code_ struct dump_code code = { 0 };

	build_put_u64(&s->k.memory, MODULE_AT + 80, UINT64_MAX - 4);
	build_put_u64(&s->k.memory, BPF_AT, UINT64_MAX);
	kmem_space_forget(&s->kmem->space);
	dump_code_init(&code, s->kmem);
	assert_int_equal(code.modules.n, 0);
	assert_int_equal(code.bpf.n, 0);
	assert_int_equal(dump_code_kind(&code, 0x10), DUMP_CODE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		stack_test(code_has_the_name_that_the_kernel_prints),
		stack_test(a_return_address_after_a_functions_end_belongs_to_it),
		stack_test(addresses_outside_code_have_no_name),
		stack_test(names_are_escaped),
		stack_test(module_brings_its_own_orc_table),
		stack_test(wild_ranges_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
