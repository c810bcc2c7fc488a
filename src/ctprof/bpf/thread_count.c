// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/bpf/sample.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/slice.h"

enum {
	LOADAVG_BYTES = 256,
	LOADAVG_AVERAGES = 3,
	OWN_LINKS = 2, /* of a folder without others in it */
};

bool ctprof_thread_count_parse(const char *loadavg, size_t n, uint64_t *ret)
{
	struct slice rest = { loadavg, n }, word = { 0 }, running;

	for (int i = 0; i <= LOADAVG_AVERAGES; i++)
		if (!slice_take_word(&rest, &word))
			return false;
	return slice_take_until(&word, '/', &running) && slice_u64(word, ret);
}

/* A folder has a link from each folder in it; the one of a process that is gone has none. */
static uint64_t threads_of(const char *root, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/task", root, (int)pid);
	struct stat st;

	return stat(path, &st) == 0 && st.st_nlink > OWN_LINKS ? st.st_nlink - OWN_LINKS : 0;
}

bool ctprof_thread_count_read(const struct ctprof_options *options, uint64_t *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/loadavg", options->root);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t n = 0;

	if (!options->n_pids) {
		error_free(io_read_file(path, LOADAVG_BYTES, &text));
		return ctprof_thread_count_parse(strbuf_str(&text), text.n, ret);
	}
	for (size_t i = 0; i < options->n_pids; i++)
		n += threads_of(options->root, options->pids[i]);
	*ret = n;
	return true;
}
