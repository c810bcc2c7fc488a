// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/topo/topology.c src/topo/cpuset.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "topo/cpuset.h"
#include "topo/topology.h"

/* What is accepted stands inside its bounds and reads back the same. */
static void check_topology(const char *text)
{
	_cleanup_strbuf_ struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	struct topo t = { 0 }, again = { 0 };
	unsigned int last;

	err = topo_parse(text, &t);
	if (err) {
		/* The first letter was found. */
		if (!strstr(error_message(err), "'n'"))
			fuzz_mark_deep();
		return;
	}
	fuzz_mark_deep();
	last = topo_cpus(&t) - 1;
	if (last >= TOPO_LIMIT_ASKED_CPUS || t.nodes > TOPO_LIMIT_ASKED_NODES ||
	    topo_node_of_cpu(&t, last) != t.nodes - 1 || topo_llc_of_cpu(&t, last) != t.llcs - 1 ||
	    last % t.threads != t.threads - 1)
		abort();
	for (unsigned int i = 0; i < t.nodes; i++)
		for (unsigned int j = 0; j < t.nodes; j++)
			if (topo_distance(&t, i, j) != topo_distance(&t, j, i) ||
			    (topo_distance(&t, i, j) == 10) != (i == j))
				abort();
	topo_format(&t, &once);
	err = topo_check(&t);
	if (!err)
		err = topo_parse(strbuf_str(&once), &again);
	if (err || !topo_equal(&t, &again))
		abort();
	topo_format(&again, &twice);
	if (strcmp(strbuf_str(&once), strbuf_str(&twice)) != 0)
		abort();
}

static void check_cpuset(const char *text, size_t n)
{
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;
	struct topo_cpuset set = { 0 }, again = { 0 };
	_cleanup_error_ struct error *err = topo_cpuset_parse(text, n, &set);
	unsigned int count = 0;

	if (err)
		return;
	topo_cpuset_format(&set, &list);
	topo_cpuset_for_each (cpu, &set)
		count += topo_cpuset_has(&set, cpu);
	err = topo_cpuset_parse(strbuf_str(&list), list.n, &again);
	if (err || !topo_cpuset_equal(&set, &again) || count != topo_cpuset_count(&set))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, n);

	check_topology(text);
	check_cpuset((const char *)data, n);
	return 0;
}
