// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/files.h"

#include "vm/guest_files.h"

struct bounded {
	struct strbuf *into;
	uint64_t limit_bytes;
};

static struct error *take_bytes(void *context, const void *bytes, size_t n)
{
	struct bounded *bounded = context;

	if (n > bounded->limit_bytes - bounded->into->n)
		return base_error(
			BASE_LIMIT, 0,
			"the files have more than %llu MiB; give the guest more memory with -m",
			(unsigned long long)(bounded->limit_bytes >> 20));
	strbuf_append_bytes(bounded->into, bytes, n);
	return NULL;
}

struct error *shell_pack_files(const struct option_strings *specs, uint64_t limit_bytes,
			       struct strbuf *archive)
{
	_cleanup_guest_files_ struct guest_files *g = guest_files_new(NULL);
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct bounded bounded = { .into = &out, .limit_bytes = limit_bytes };
	struct cpio_writer w;

	for (size_t i = 0; i < specs->n; i++) {
		struct error *err = guest_files_add_spec(g, specs->at[i]);

		if (err)
			return error_wrap(err, "--include");
	}
	cpio_writer_init(&w, take_bytes, &bounded);
	if (specs->n) {
		struct error *err = guest_files_write(g, &w);

		if (err)
			return error_wrap(err, "--include");
	}
	*archive = out;
	out = STRBUF_INIT;
	return NULL;
}
