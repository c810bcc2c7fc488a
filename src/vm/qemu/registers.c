// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/qmp.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"

/* More than any machine of ours has. */
enum { CPUS_LIMIT = 4096 };

static const struct row {
	const char *name, *short_name;
	size_t offset;
	bool long_only;
} rows[] = {
#define ROW_(member, name_, short_)                                  \
	{ name_, short_, offsetof(struct physmap_registers, member), \
	  (name_)[0] == 'R' && !(short_) },
	VM_REGISTERS(ROW_)
#undef ROW_
};

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* What follows "NAME=" or "NAME =" at the start of a word; empty unless those are digits. */
static struct slice find_value(struct slice block, const char *name)
{
	size_t n = strlen(name);
	const char *end = block.at + block.n;

	for (const char *at = block.at; (size_t)(end - at) > n;) {
		const char *hit = memmem(at, (size_t)(end - at), name, n);
		const char *value;

		if (!hit)
			break;
		value = hit + n;
		while (value < end && *value == ' ')
			value++;
		if ((hit == block.at || hit[-1] == ' ' || hit[-1] == '\n') && value + 1 < end &&
		    *value == '=' && is_hex(value[1]))
			return (struct slice){ value + 1, (size_t)(end - value - 1) };
		at = hit + n;
	}
	return (struct slice){ block.at, 0 };
}

static bool take_hex(struct slice *rest, uint64_t *ret)
{
	uint64_t value = 0;
	size_t n = 0;

	for (; n < rest->n && is_hex(rest->at[n]); n++) {
		char c = rest->at[n];

		value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*rest = (struct slice){ rest->at + n, rest->n - n };
	*ret = value;
	return n > 0 && n <= 16;
}

static bool get(struct slice block, const char *name, uint64_t *ret)
{
	struct slice value = name ? find_value(block, name) : (struct slice){ block.at, 0 };

	return take_hex(&value, ret);
}

/* "GS =0000 ffff888000000000 …": the selector, then the base. */
static bool get_base(struct slice block, const char *name, uint64_t *ret)
{
	struct slice value = find_value(block, name);

	return take_hex(&value, ret) && slice_take_char(&value, ' ') && take_hex(&value, ret);
}

static struct error *parse_cpu(struct slice block, size_t number, struct physmap_registers *ret)
{
	const bool long_mode = find_value(block, "RIP").n > 0;
	uint64_t cpl, halted;

	*ret = (struct physmap_registers){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 0;

		if (!get(block, rows[i].name, &value) && !get(block, rows[i].short_name, &value) &&
		    (long_mode || !rows[i].long_only))
			return vm_error(VM_QMP, 0, "CPU %zu has no register %s", number,
					rows[i].name);
		memcpy((char *)ret + rows[i].offset, &value, sizeof(value));
	}
	if (!get_base(block, "FS", &ret->fs_base) || !get_base(block, "GS", &ret->gs_base) ||
	    !get(block, "CPL", &cpl) || !get(block, "HLT", &halted))
		return vm_error(VM_QMP, 0, "CPU %zu has no FS, GS, CPL or HLT", number);
	ret->user = cpl != 0;
	ret->halted = halted != 0;
	return NULL;
}

struct error *vm_registers_parse(const char *text, size_t n, struct vm_register_list *ret)
{
	_cleanup_vm_register_list_ struct vm_register_list list = { 0 };
	const char *end = text + n;
	const char *at = memmem(text, n, "CPU#", 4);

	while (at) {
		const char *next = memmem(at + 4, (size_t)(end - at - 4), "CPU#", 4);
		struct slice block = { at, (size_t)((next ? next : end) - at) };
		struct physmap_registers cpu;
		struct error *err;

		if (strtoul(at + 4, NULL, 10) != list.cpus.n || list.cpus.n == CPUS_LIMIT)
			return vm_error(VM_QMP, 0, "CPU %zu is missing or out of order",
					list.cpus.n);
		err = parse_cpu(block, list.cpus.n, &cpu);
		if (err)
			return err;
		vec_push(&list.cpus, cpu);
		at = next;
	}
	if (list.cpus.n == 0)
		return vm_error(VM_QMP, 0, "no CPU in the output of `info registers`");
	*ret = list;
	list = (struct vm_register_list){ 0 };
	return NULL;
}

void vm_register_list_deinit(struct vm_register_list *list)
{
	vec_deinit(&list->cpus);
}
