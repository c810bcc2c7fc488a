// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/spare_cpus.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "procfs/slice.h"

enum { CPUS_WHEN_UNKNOWN = 4, LOADAVG_BYTES = 256 };

/* Hundredths; 0 when there is none. */
static uint64_t load_hundredths(const char *loadavg, size_t n)
{
	struct slice rest = { loadavg, n }, word, whole;
	uint64_t load, part = 0;

	if (!slice_take_word(&rest, &word) || !slice_take_until(&word, '.', &whole) ||
	    !slice_u64(whole, &load) || load > UINT32_MAX)
		return 0;
	if (word.n > 2)
		word.n = 2;
	if (word.n == 2 && !slice_u64(word, &part))
		return 0;
	return load * 100 + part;
}

unsigned int spare_cpus(unsigned int cpus, const char *loadavg, size_t n)
{
	uint64_t load = load_hundredths(loadavg, n), all = (uint64_t)cpus * 100;
	uint64_t spare = load < all ? (all - load) / 100 : 0;

	if (spare > cpus / 2 + 1)
		spare = cpus / 2 + 1;
	return spare ? (unsigned int)spare : 1;
}

unsigned int spare_cpus_read(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/loadavg", root);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	/* Unreadable is no load. */
	error_free(io_read_file(path, LOADAVG_BYTES, &text));
	return spare_cpus(cpus > 0 ? (unsigned int)cpus : CPUS_WHEN_UNKNOWN, strbuf_str(&text),
			  text.n);
}
