/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metadata.json: what makes a directory of the cache a kernel. Written last. */
#ifndef KTSTR_KERNEL_METADATA_H
#define KTSTR_KERNEL_METADATA_H

#include "base/strbuf.h"
#include "json/writer.h"
#include "kernel/kernel.h"

#define KERNEL_METADATA_FILE  "metadata.json"
#define KERNEL_MODULES_FOLDER "modules"
enum { KERNEL_METADATA_FORMAT = 1 };

const char *kernel_file_name(enum kernel_file_kind kind);

/* Everything but the paths, as members of an object that is open. */
void kernel_metadata_write(const struct kernel *kernel, struct json_writer *w);
/* Frees the members that are read, not the paths. */
void kernel_metadata_deinit(struct kernel *kernel);
/*
 * `dir` is the directory it stands in; its last part must be the id. Text that is not ours is
 * KERNEL_CORRUPT. Does not look at the files.
 */
struct error *kernel_metadata_parse(const char *text, size_t n, const char *dir,
				    struct kernel **ret) MUST_CHECK;
/* The same from the directory, and every file must have its size. */
struct error *kernel_metadata_read(const char *dir, struct kernel **ret) MUST_CHECK;

#endif
