/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a guest boots into: the agent as /init, busybox with its libraries and one
 * link per applet, the folders of a usr-merged system and a handful of files in /etc. Not
 * compressed: an emulated processor would unpack it. Equal inputs give equal bytes.
 */
#ifndef KTSTR_VM_IMAGE_INITRAMFS_H
#define KTSTR_VM_IMAGE_INITRAMFS_H

#include "base/error.h"
#include "base/strbuf.h"

#define VM_INITRAMFS_ERRORS(X)                                                          \
	X(VM_INITRAMFS_BUSYBOX, "busybox-missing", "there is no busybox for the guest") \
	X(VM_INITRAMFS_AGENT, "agent-missing", "there is no agent for the guest")
DECLARE_ERROR_DOMAIN(vm_initramfs, VM_INITRAMFS, VM_INITRAMFS_ERRORS);

/* One more file, by its bytes. */
struct vm_initramfs_extra {
	const char *name; /* path in the guest */
	uint32_t permissions;
	const void *bytes;
	size_t n;
};

struct vm_initramfs_options {
	const void *agent; /* an executable's bytes */
	size_t agent_n;
	const char *busybox; /* NULL: the one in PATH */
	const struct vm_initramfs_extra *extras;
	size_t n_extras;
	const char *const *specs; /* FILE[:GUESTPATH], see vm/image/guest_files.h */
	size_t n_specs;
};

/*
 * What the archive depends on, without making it: the agent, our own tables, and which file
 * busybox is (path, size, time, inode). Says nothing about extras and specs.
 */
struct error *vm_initramfs_identity(const struct vm_initramfs_options *options,
				    uint64_t *ret_hash) MUST_CHECK;

struct vm_initramfs {
	struct strbuf archive;
	uint64_t hash; /* of the archive's bytes */
	size_t entries;
};

/* *ret is overwritten; release it with vm_initramfs_deinit(). */
struct error *vm_initramfs_build(const struct vm_initramfs_options *options,
				 struct vm_initramfs *ret) MUST_CHECK;
void vm_initramfs_deinit(struct vm_initramfs *fs);
#define _cleanup_vm_initramfs_ __attribute__((cleanup(vm_initramfs_deinit)))

#endif
