// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/qmp.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

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

/* "NAME=" or "NAME =" at the start of a word, then hexadecimal digits. */
static const char *find_value(struct bytes block, const char *name)
{
	size_t n = strlen(name);
	const char *start = (const char *)block.at, *end = start + block.n;

	for (const char *at = start; (size_t)(end - at) > n;) {
		const char *hit = memmem(at, (size_t)(end - at), name, n);
		const char *value;

		if (!hit)
			return NULL;
		value = hit + n;
		while (value < end && *value == ' ')
			value++;
		if ((hit == start || hit[-1] == ' ' || hit[-1] == '\n') && value + 1 < end &&
		    *value == '=' && is_hex(value[1]))
			return value + 1;
		at = hit + n;
	}
	return NULL;
}

static bool parse_hex(struct bytes block, const char *at, uint64_t *ret)
{
	const char *end = (const char *)block.at + block.n;
	uint64_t value = 0;
	size_t digits = 0;

	for (; at < end && is_hex(*at); at++) {
		if (++digits > 16)
			return false;
		value = value << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	}
	*ret = value;
	return digits > 0;
}

static bool get(struct bytes block, const char *name, uint64_t *ret)
{
	const char *at = name ? find_value(block, name) : NULL;

	return at && parse_hex(block, at, ret);
}

/* "GS =0000 ffff888000000000 …": the selector, then the base. */
static bool get_base(struct bytes block, const char *name, uint64_t *ret)
{
	const char *at = find_value(block, name), *end = (const char *)block.at + block.n;

	while (at && at < end && is_hex(*at))
		at++;
	return at && at < end && *at == ' ' && parse_hex(block, at + 1, ret);
}

static struct error *parse_cpu(struct bytes block, size_t number, struct physmap_registers *ret)
{
	const bool long_mode = find_value(block, "RIP") != NULL;
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
		struct bytes block = { (const uint8_t *)at, (size_t)((next ? next : end) - at) };
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
