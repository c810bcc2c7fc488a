// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/topo/machine_text.c src/topo/compare.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "topo/machine.h"

static const struct topo wanted[] = {
	{ .nodes = 1, .llcs = 1, .cores = 1, .threads = 1 },
	{ .nodes = 1, .llcs = 1, .cores = 2, .threads = 1 },
	{ .nodes = 2, .llcs = 2, .cores = 1, .threads = 2 },
	{ .nodes = 2, .llcs = 2, .cores = 2, .threads = 1 },
};

/* Each item is there or has a reason, and a group goes by its lowest CPU. */
static void check_items(const struct topo_machine *m)
{
	for (unsigned int i = 0; i < m->n_cpus; i++) {
		const struct topo_cpu *cpu = &m->cpus[i];

		if ((cpu->core == TOPO_ABSENT) !=
			    !!topo_machine_reason(m, TOPO_ITEM_THREADS, cpu->number) ||
		    (cpu->llc == TOPO_ABSENT) !=
			    !!topo_machine_reason(m, TOPO_ITEM_LLC, cpu->number) ||
		    (cpu->core != TOPO_ABSENT && cpu->core > cpu->number) ||
		    (cpu->llc != TOPO_ABSENT && cpu->llc > cpu->number) ||
		    (i > 0 && m->cpus[i - 1].number >= cpu->number))
			abort();
		if (cpu->node != TOPO_ABSENT && !topo_machine_node(m, cpu->node))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_topo_machine_ struct topo_machine *m = NULL, *again = NULL;
	_cleanup_strbuf_ struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	struct error *err = topo_machine_parse((const char *)data, n, &m);

	if (err) {
		if (strstr(error_message(err), "line ") || strstr(error_message(err), "told"))
			fuzz_mark_deep();
		error_free(err);
		return 0;
	}
	fuzz_mark_deep();
	check_items(m);
	topo_machine_format(m, &once);
	err = topo_machine_parse(strbuf_str(&once), once.n, &again);
	if (err)
		abort();
	topo_machine_format(again, &twice);
	if (strcmp(strbuf_str(&once), strbuf_str(&twice)) != 0)
		abort();
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		error_free(topo_compare(&wanted[i], m));
	return 0;
}
