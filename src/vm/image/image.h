/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a guest boots into: the agent as /init, busybox with its libraries and one
 * link per applet, the directories of a usr-merged system and a handful of files in /etc. Not
 * compressed: an emulated processor would unpack it. Equal inputs give equal bytes.
 */
#ifndef KTSTR_VM_IMAGE_IMAGE_H
#define KTSTR_VM_IMAGE_IMAGE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "kernel/kernel.h"
#include "wire/cpio.h"

#define VM_INITRAMFS_ERRORS(X)                                                          \
	X(VM_INITRAMFS_BUSYBOX, "busybox-missing", "there is no busybox for the guest") \
	X(VM_INITRAMFS_AGENT, "agent-missing", "there is no agent for the guest")
DECLARE_ERROR_DOMAIN(vm_initramfs, VM_INITRAMFS, VM_INITRAMFS_ERRORS);

struct vm_initramfs_options {
	struct bytes agent;	     /* an executable */
	const char *busybox;	     /* NULL: the one in PATH */
	const struct kernel *kernel; /* whose configuration goes in; NULL: none */
	const char *const *specs;    /* FILE[:GUESTPATH], see vm_guest_files_add_spec() */
	size_t n_specs;
};

/*
 * What the archive depends on, without making it: the agent, our own tables, and which files
 * busybox and its libraries are (path, size, time, inode). Says nothing about the
 * rest.
 */
struct error *vm_initramfs_identity(const struct vm_initramfs_options *options,
				    uint64_t *ret_hash) MUST_CHECK;

/*
 * Of the bytes of busybox and its libraries, which every guest gets from its host: hosts that
 * differ in it have different guests. NULL: the first busybox in PATH. Takes some milliseconds.
 */
struct error *vm_initramfs_hash_tools(const char *busybox, uint64_t *ret_hash) MUST_CHECK;

/* Appends the archive. */
struct error *vm_initramfs_build(const struct vm_initramfs_options *options,
				 struct strbuf *into) MUST_CHECK;

/* The agent travels inside our own program: there is nothing to install or to lose. */

/* The static executable that becomes /init. */
struct bytes vm_agent_image(void);

/*
 * The files that go into a guest, at boot or later, and where they stand there.
 *
 * A host file keeps its absolute real path, and every link that led to it is
 * made again, so that $ORIGIN, DT_RPATH and scripts find in the guest what they found on
 * the host. The guest is usr-merged: /bin, /sbin, /lib and /lib64 are links into /usr. A
 * library that the loader knows only from its cache or from LD_LIBRARY_PATH, which the guest has
 * not, gets a link in the default directory.
 */

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
 * Names are paths in the guest, with or without a slash in front. Directories above them are
 * made as needed. The same entry twice is one; two different ones are
 * VM_GUEST_FILES_CONFLICT.
 */
struct error *vm_guest_files_add_dir(struct vm_guest_files *g, const char *name) MUST_CHECK;
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
 * The same, but the program itself is `name`: the guest does not depend on where its host keeps it.
 * One that finds libraries by its own place (RPATH, RUNPATH) stays there, and name is a link.
 */
struct error *vm_guest_files_add_program_at(struct vm_guest_files *g, const char *path,
					    const char *name) MUST_CHECK;
/*
 * FILE[:GUESTPATH] as `-i` takes it: the program with what it needs, and a link to it:
 * GUESTPATH, or its base name in /root. A GUESTPATH that is not absolute counts from /root, one
 * that ends with a slash is a directory.
 */
struct error *vm_guest_files_add_spec(struct vm_guest_files *g, const char *spec) MUST_CHECK;

bool vm_guest_files_has(const struct vm_guest_files *g, const char *name);

/* Everything in the order of the names, parents first, and the trailer. */
struct error *vm_guest_files_write(struct vm_guest_files *g, struct wire_cpio_writer *w) MUST_CHECK;
/* The same as bytes, appended. More than limit_bytes, which a guest could not hold, is BASE_LIMIT.
 */
struct error *vm_guest_files_pack(struct vm_guest_files *g, uint64_t limit_bytes,
				  struct strbuf *into) MUST_CHECK;

/*
 * Which module files a named module needs, from a kernel's modules directory, and their bytes ready
 * for insmod: what the package compressed is unpacked here, once, and not in every guest.
 */

#define VM_MODULES_ERRORS(X)                                                               \
	X(VM_MODULES_ABSENT, "module-absent", "the kernel's package has no such module")   \
	X(VM_MODULES_UNPACK, "module-unpack", "a compressed module could not be unpacked") \
	X(VM_MODULES_LIMIT, "module-limit", "modules.dep is larger than sensible")
DECLARE_ERROR_DOMAIN(vm_modules, VM_MODULES, VM_MODULES_ERRORS);

enum {
	VM_LIMIT_MODULES_DEPTH = 16,
	VM_LIMIT_MODULES_FILES = 256, /* that one module may need */
	VM_LIMIT_MODULES_DEP_BYTES = 64 << 20,
	VM_LIMIT_MODULES_MODULE_BYTES = 256 << 20,
};

struct vm_module_list {
	char **paths; /* relative to the modules directory, in the order to load; the module is last
		       */
	size_t n;
};

/*
 * '-' and '_' in the name are equal, a suffix is not part of it. Not in the file:
 * VM_MODULES_ABSENT. Release *ret with vm_module_list_deinit().
 */
struct error *vm_modules_parse_dep(struct bytes dep, const char *name,
				   struct vm_module_list *ret) MUST_CHECK;
/* Is the name in the text of modules.builtin? */
bool vm_modules_parse_builtin(struct bytes builtin, const char *name);
/* Appends the names after `depends=` in a module's .modinfo, each followed by a newline. */
void vm_modules_parse_modinfo(struct bytes modinfo, struct strbuf *into);
/*
 * directory: …/lib/modules/RELEASE. A module that is built into the kernel gives an
 * empty list. modules.dep is made by depmod when a package is installed; in a directory where
 * nobody did that, modules.order names the files and each module says itself what it needs.
 */
struct error *vm_modules_read(const char *dir, const char *name,
			      struct vm_module_list *ret) MUST_CHECK;
void vm_module_list_deinit(struct vm_module_list *list);
#define _cleanup_vm_module_list_ __attribute__((cleanup(vm_module_list_deinit)))

/* Appends the module as the kernel loads it: .ko as it is, .ko.zst, .ko.xz and .ko.gz unpacked. */
struct error *vm_module_read_bytes(const char *dir, const char *path,
				   struct strbuf *into) MUST_CHECK;

#endif
