/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that go into a guest, at boot or later, and where they stand there.
 *
 * A host file keeps its absolute real path, and every link that led to it is
 * made again, so that $ORIGIN, DT_RPATH and scripts find in the guest what they found on
 * the host. The guest is usr-merged: /bin, /sbin, /lib and /lib64 are links into /usr. A
 * library that the loader knows only from its cache or from LD_LIBRARY_PATH, which the guest has
 * not, gets a link in the default folder.
 */
#ifndef KTSTR_VM_IMAGE_GUEST_FILES_H
#define KTSTR_VM_IMAGE_GUEST_FILES_H

#include "base/error.h"
#include "base/strbuf.h"
#include "wire/cpio.h"

#define VM_GUEST_FILES_ERRORS(X)                                                                   \
	X(VM_GUEST_FILES_SPEC, "guest-file-spec", "FILE[:GUESTPATH] is not understood")            \
	X(VM_GUEST_FILES_KIND, "guest-file-kind", "only regular files go into a guest")            \
	X(VM_GUEST_FILES_CONFLICT, "guest-file-conflict",                                          \
	  "two files have the same path in the guest")                                             \
	X(VM_GUEST_FILES_CHANGED, "guest-file-changed", "a file became shorter while it was read") \
	X(VM_GUEST_FILES_LIMIT, "guest-file-limit", "more files than a guest is given")
DECLARE_ERROR_DOMAIN(vm_guest_files, VM_GUEST_FILES, VM_GUEST_FILES_ERRORS);

enum {
	VM_LIMIT_GUEST_FILES_ENTRIES = 65536,
};

struct vm_guest_files;

/* root: where host files are looked up; NULL: "/". Borrowed. */
struct vm_guest_files *vm_guest_files_new(const char *root) MUST_CHECK;
void vm_guest_files_free(struct vm_guest_files *g);
DEFINE_CLEANUP(vm_guest_files, struct vm_guest_files *, NULL, vm_guest_files_free);
#define _cleanup_vm_guest_files_ _cleanup_(cleanup_vm_guest_files)

/*
 * Names are paths in the guest, with or without a slash in front. Folders above them are
 * made as needed. The same entry twice is one; two different ones are
 * VM_GUEST_FILES_CONFLICT.
 */
struct error *vm_guest_files_add_folder(struct vm_guest_files *g, const char *name,
					uint32_t permissions) MUST_CHECK;
struct error *vm_guest_files_add_link(struct vm_guest_files *g, const char *name,
				      const char *target) MUST_CHECK;
struct error *vm_guest_files_add_device(struct vm_guest_files *g, const char *name, uint32_t mode,
					uint32_t major, uint32_t minor) MUST_CHECK;
/* Borrows the bytes until vm_guest_files_write(). */
struct error *vm_guest_files_add_bytes(struct vm_guest_files *g, const char *name,
				       uint32_t permissions, const void *bytes,
				       size_t n) MUST_CHECK;
/* A host file at its own place, and the links on the way to it. path is absolute. */
struct error *vm_guest_files_add_host(struct vm_guest_files *g, const char *path) MUST_CHECK;
/* The same, with everything the loader will open for it. */
struct error *vm_guest_files_add_program(struct vm_guest_files *g, const char *path) MUST_CHECK;
/*
 * FILE[:GUESTPATH] as `-i` takes it: the program with what it needs, and a link to it:
 * GUESTPATH, or its base name in /root. A GUESTPATH that is not absolute counts from /root, one
 * that ends with a slash is a folder.
 */
struct error *vm_guest_files_add_spec(struct vm_guest_files *g, const char *spec) MUST_CHECK;

bool vm_guest_files_has(const struct vm_guest_files *g, const char *name);
size_t vm_guest_files_count(const struct vm_guest_files *g);

/* Everything in the order of the names, parents first, and the trailer. */
struct error *vm_guest_files_write(struct vm_guest_files *g, struct wire_cpio_writer *w) MUST_CHECK;
/* The same as bytes, appended. More than limit_bytes, which a guest could not hold, is BASE_LIMIT.
 */
struct error *vm_guest_files_pack(struct vm_guest_files *g, uint64_t limit_bytes,
				  struct strbuf *into) MUST_CHECK;

#endif
