// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/vm/run/run_info.c */
/*
 * Any bytes as the description of a VM: either they are refused, or what was understood,
 * written and read again, is the same, and no range of memory wraps.
 */
#include "fuzz.h"

#include "fuzz_json.h"
#include "vm/run/run.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

static void check_ranges(const struct vm_run_info *info)
{
	FUZZ_MUST(info->ram.n <= VM_LIMIT_RUN_INFO_RAM);
	for (size_t i = 0; i < info->ram.n; i++) {
		const struct vm_run_ram *ram = &info->ram.at[i];

		FUZZ_MUST(ram->size_bytes > 0);
		FUZZ_MUST(ram->guest_address + ram->size_bytes > ram->guest_address);
		FUZZ_MUST(ram->offset_bytes + ram->size_bytes > ram->offset_bytes);
		FUZZ_MUST(ram->address + ram->size_bytes > ram->address);
		FUZZ_MUST(ram->pid >= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_vm_run_info_ struct vm_run_info *info = NULL, *again = NULL;
	_cleanup_strbuf_ struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	_cleanup_error_ struct error *refused = NULL;

	refused = vm_run_info_parse((const char *)data, n, "fuzz", &info);
	if (refused) {
		/* JSON of our schema, but not what it should be. */
		if (fuzz_is_json(data, n) && !strstr(error_message(refused), "schema"))
			fuzz_mark_deep();
		FUZZ_MUST(!info);
		return 0;
	}
	fuzz_mark_deep();
	FUZZ_MUST(info->id && info->owner.pid > 0);
	check_ranges(info);
	vm_run_info_format(info, &first);
	FUZZ_MUST(!vm_run_info_parse(strbuf_str(&first), first.n, "again", &again));
	vm_run_info_format(again, &second);
	FUZZ_MUST(first.n == second.n && memcmp(first.at, second.at, first.n) == 0);
	return 0;
}
