// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/verify.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/io.h"
#include "kernel/limits.h"
#include "kernel/metadata.h"

static struct error *check_file(const struct kernel *kernel, enum kernel_file_kind kind,
				struct strbuf *content)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", kernel->dir, kernel_file_name(kind));
	struct error *err = io_read_file(path, KERNEL_LIMIT_FILE_BYTES, content);

	if (err)
		return error_recast(err, &kernel_error_domain, KERNEL_CORRUPT);
	if (content->n != kernel->files[kind].bytes ||
	    hash_bytes(HASH_INIT, strbuf_str(content), content->n) != kernel->files[kind].hash)
		return kernel_error(KERNEL_CORRUPT, 0,
				    "%s is not the file that was cached: run 'ktstr kernel remove "
				    "%s', then fetch it again",
				    path, kernel->id);
	return NULL;
}

struct error *kernel_verify(const struct kernel *kernel, struct kernel_check *ret)
{
	_cleanup_strbuf_ struct strbuf btf = STRBUF_INIT;

	for (int i = 0; i < KERNEL_N_FILES; i++) {
		_cleanup_strbuf_ struct strbuf content = STRBUF_INIT;
		struct error *err;

		if (!kernel->files[i].present)
			continue;
		err = check_file(kernel, (enum kernel_file_kind)i,
				 i == KERNEL_BTF ? &btf : &content);
		if (err)
			return err;
	}
	return kernel_check_btf((struct bytes){ (const uint8_t *)strbuf_str(&btf), btf.n },
				kernel->id, ret);
}
