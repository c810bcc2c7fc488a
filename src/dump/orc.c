// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/code.h"

#include "dump/limits.h"
#include "dump/member.h"

enum { IP_BYTES = 4, N_REGISTERS = 16 };

/* The same code was found to have these numbers in both ways of counting. */
static const enum dump_orc_register renumbered[N_REGISTERS] = {
	[0] = DUMP_ORC_REG_UNDEFINED,	 [1] = DUMP_ORC_REG_UNKNOWN,
	[2] = DUMP_ORC_REG_DX,		 [3] = DUMP_ORC_REG_SP,
	[4] = DUMP_ORC_REG_BP,		 [5] = DUMP_ORC_REG_UNKNOWN,
	[6] = DUMP_ORC_REG_R10,		 [7] = DUMP_ORC_REG_R13,
	[8] = DUMP_ORC_REG_PREV_SP,	 [9] = DUMP_ORC_REG_SP_INDIRECT,
	[10] = DUMP_ORC_REG_BP_INDIRECT, [11 ... 15] = DUMP_ORC_REG_UNKNOWN,
};

static enum dump_orc_register register_of(const struct dump_orc_table *table, uint64_t number)
{
	if (number >= N_REGISTERS)
		return DUMP_ORC_REG_UNKNOWN;
	if (table->renumbered)
		return renumbered[number];
	return number < DUMP_ORC_REG_UNKNOWN ? (enum dump_orc_register)number
					     : DUMP_ORC_REG_UNKNOWN;
}

static bool ip_at(struct kmem *kmem, const struct dump_orc_table *table, uint64_t i, uint64_t *ret)
{
	uint64_t at = table->ips + i * IP_BYTES, value;

	if (kmem_read_uint(&kmem->space, at, IP_BYTES, &value) != KMEM_READ_OK)
		return false;
	*ret = at + (uint64_t)(int64_t)(int32_t)value;
	return true;
}

/*
 * Before 6.4 two bits told CALL, REGS and REGS_PARTIAL from 0 on, and a flag the end; then
 * UNDEFINED and END came in front of them and the bits became three.
 */
static bool type_of(const struct kmem_fields *fields, uint64_t raw, bool at_end,
		    enum dump_orc_type *ret)
{
	bool is_old = fields->at[KMEM_F_ORC_TYPE].place.bits < 3;
	uint64_t type = is_old ? raw + DUMP_ORC_CALL : raw;

	if (type > DUMP_ORC_REGS_PARTIAL)
		return false;
	*ret = at_end ? DUMP_ORC_END : (enum dump_orc_type)type;
	return true;
}

static bool read_entry(struct kmem *kmem, const struct dump_orc_table *table, uint64_t at,
		       struct dump_orc *ret)
{
	const struct kmem_fields *fields = &kmem->fields;
	struct kmem_space *space = &kmem->space;
	uint64_t sp = 0, bp = 0, type = 0, flag = 0;
	struct dump_orc orc = { 0 };

	if (kmem_field_read_signed(fields, space, KMEM_F_ORC_SP_OFFSET, at, &orc.sp_offset) ||
	    kmem_field_read_signed(fields, space, KMEM_F_ORC_BP_OFFSET, at, &orc.bp_offset) ||
	    kmem_field_read(fields, space, KMEM_F_ORC_SP_REG, at, &sp) ||
	    kmem_field_read(fields, space, KMEM_F_ORC_BP_REG, at, &bp) ||
	    kmem_field_read(fields, space, KMEM_F_ORC_TYPE, at, &type))
		return false;
	if (kmem_field_read(fields, space, KMEM_F_ORC_END, at, &flag) != KMEM_READ_OK)
		flag = 0;
	if (!type_of(fields, type, flag, &orc.type))
		return false;
	orc.sp_register = register_of(table, sp);
	orc.bp_register = register_of(table, bp);
	/* Before 6.3 it was meant wherever registers are found. */
	if (kmem_field_read(fields, space, KMEM_F_ORC_SIGNAL, at, &flag) != KMEM_READ_OK)
		flag = orc.type >= DUMP_ORC_REGS;
	orc.signal = flag;
	*ret = orc;
	return true;
}

enum dump_orc_found dump_orc_find(struct kmem *kmem, const struct dump_orc_table *table,
				  uint64_t ip, struct dump_orc *ret)
{
	const uint64_t size = kmem->fields.at[KMEM_F_ORC_ENTRY].place.size;
	uint64_t low = 0, high = table->n, here;

	/* The number of entries not above ip; a table that is not sorted ends as soon. */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!ip_at(kmem, table, middle, &here))
			return DUMP_ORC_UNREADABLE;
		if (here <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return DUMP_ORC_ABSENT;
	if (!read_entry(kmem, table, table->entries + (low - 1) * size, ret))
		return DUMP_ORC_UNREADABLE;
	return DUMP_ORC_FOUND;
}

/* Every function begins with its return address on top of the stack. */
static struct error *find_numbers(struct kmem *kmem, struct dump_orc_table *table)
{
	uint64_t function;
	struct error *err = kmem_symbol(kmem, "schedule", &function);
	struct dump_orc orc;

	if (err)
		return err;
	for (int later = 0; later < 2; later++) {
		table->renumbered = later;
		if (dump_orc_find(kmem, table, function, &orc) == DUMP_ORC_FOUND &&
		    orc.type == DUMP_ORC_CALL && orc.sp_register == DUMP_ORC_REG_SP &&
		    orc.sp_offset == 8)
			return NULL;
	}
	return kmem_error(KMEM_NO_SYMBOLS, 0, "ORC numbers its registers in an unknown way");
}

struct error *dump_orc_kernel_table(struct kmem *kmem, struct dump_orc_table *ret)
{
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_STACK);
	struct dump_orc_table table = { 0 };
	uint64_t ip_bytes, entry_bytes, ips_end, entries_end, size;

	if (!err)
		err = dump_symbol_range(kmem, "__start_orc_unwind_ip", "__stop_orc_unwind_ip",
					&table.ips, &ips_end);
	if (!err)
		err = dump_symbol_range(kmem, "__start_orc_unwind", "__stop_orc_unwind",
					&table.entries, &entries_end);
	if (err)
		return err;
	ip_bytes = ips_end - table.ips;
	entry_bytes = entries_end - table.entries;
	size = kmem->fields.at[KMEM_F_ORC_ENTRY].place.size;
	table.n = ip_bytes / IP_BYTES;
	if (!size || !table.n || table.n > DUMP_LIMIT_ORC_ENTRIES || ip_bytes % IP_BYTES ||
	    entry_bytes != table.n * size)
		return kmem_error(KMEM_NO_SYMBOLS, 0,
				  "%llu bytes of addresses and %llu bytes of ORC entries do not "
				  "belong together",
				  (unsigned long long)ip_bytes, (unsigned long long)entry_bytes);
	err = find_numbers(kmem, &table);
	if (err)
		return err;
	*ret = table;
	return NULL;
}
