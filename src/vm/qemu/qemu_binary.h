/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which QEMU is run, and which version it is. Asking QEMU costs some 30 ms, a good part
 * of a clone's start, so the answer is kept in the cache beside the identity of the file.
 */
#ifndef KTSTR_VM_QEMU_QEMU_BINARY_H
#define KTSTR_VM_QEMU_QEMU_BINARY_H

#include "base/error.h"

enum {
	VM_LIMIT_QEMU_VERSION_OUTPUT = 64 << 10,
	VM_LIMIT_QEMU_VERSION_TEXT = 128,
	/* A wrapper may be slow to start, but does not hang us. */
	VM_QEMU_VERSION_WAIT_MS = 10000,
};

/* In front of the version, in what `qemu --version` prints. */
#define VM_QEMU_VERSION_PREFIX "QEMU emulator version "

struct vm_qemu_version {
	unsigned int major, minor, micro;
	char *text; /* "10.0.2 (Debian 1:10.0.2+ds-2)": printable ASCII only */
};

struct vm_qemu_binary {
	char *path; /* absolute */
	struct vm_qemu_version version;
	bool from_cache;
};

/*
 * What `qemu --version` printed, warnings of a wrapper in front of it included. BASE_PARSE
 * when no line names a version. Release qemu_version.text with free().
 */
struct error *vm_qemu_version_parse(const char *text, size_t n,
				    struct vm_qemu_version *ret) MUST_CHECK;
bool vm_qemu_version_at_least(const struct vm_qemu_version *version, unsigned int major,
			      unsigned int minor);

/*
 * $KTSTR_QEMU (a path, or a name to look up), else qemu-system-x86_64 in PATH. The caller owns
 * the string. BASE_ABSENT says where was looked and which package has it.
 */
struct error *vm_qemu_binary_path(char **ret) MUST_CHECK;
/* The path and its version; a cache that cannot be read or written costs time, nothing else. */
struct error *vm_qemu_binary_find(struct vm_qemu_binary **ret) MUST_CHECK;
/* The same for a given file. */
struct error *vm_qemu_binary_open(const char *path, struct vm_qemu_binary **ret) MUST_CHECK;
void vm_qemu_binary_free(struct vm_qemu_binary *binary);

DEFINE_CLEANUP(vm_qemu_binary, struct vm_qemu_binary *, NULL, vm_qemu_binary_free);
#define _cleanup_vm_qemu_binary_ _cleanup_(cleanup_vm_qemu_binary)

#endif
