// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include "vm/image/image.h"

static struct error *pack(const struct cli_strings *specs, uint64_t limit_bytes,
			  struct strbuf *archive)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < specs->n; i++)
		err = vm_guest_files_add_spec(g, specs->at[i]);
	if (!err && specs->n)
		err = vm_guest_files_pack(g, limit_bytes, archive);
	if (error_is(err, &base_error_domain, BASE_LIMIT))
		err = error_wrap(err, "more than %llu MiB; give the guest more memory with -m",
				 (unsigned long long)(limit_bytes >> 20));
	return err;
}

struct error *shell_pack_files(const struct cli_strings *specs, uint64_t limit_bytes,
			       struct strbuf *archive)
{
	return error_wrap(pack(specs, limit_bytes, archive), "--include");
}
