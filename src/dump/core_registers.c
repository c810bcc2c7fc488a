// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/core_registers.h"

#include "base/alloc.h"

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
