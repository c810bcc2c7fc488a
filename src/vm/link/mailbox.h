/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host's end of wire/mailbox.h. What the guest wrote there is hostile: counts are read once and
 * bounded. The host writes only while the machine is held.
 */
#ifndef KTSTR_VM_LINK_MAILBOX_H
#define KTSTR_VM_LINK_MAILBOX_H

#include "base/bytes.h"
#include "base/error.h"
#include "vm/link/ring.h"
#include "wire/mailbox.h"

struct vm_mailbox {
	struct wire_mailbox *head; /* the memory; NULL until it was found in QEMU */
	int plugin_fd;		   /* the plugin as a file, for QEMU */
	uint32_t taken;		   /* of the output */
	bool held;		   /* the machine stands still */
	bool wants_input;	   /* held, and all of its output is taken */
	bool hangs;		   /* the plugin said so */
	uint8_t silence_s;	   /* see WIRE_HOLD_GO */
	struct vm_ring ring;	   /* of events, for those who observe */
};

/* The plugin as bytes of our own program. */
struct bytes vm_plugin_image(void);
/* The same as a file in memory, for the caller to close. */
struct error *vm_plugin_file(int *ret_fd) MUST_CHECK;

/* The name of a backend of QEMU, with which it is found. */
#define VM_MAILBOX_BACKEND "memory-backend-memfd"

struct error *vm_mailbox_new(struct vm_mailbox **ret) MUST_CHECK;
void vm_mailbox_free(struct vm_mailbox *mailbox);

/*
 * The memory is QEMU's own: what is a file of ours it would not migrate, and then refuse, because
 * the PCI window is not yet where it was. Once QEMU has answered, its memory is there.
 */
struct error *vm_mailbox_find(struct vm_mailbox *mailbox, pid_t qemu) MUST_CHECK;
/* What the plugin said through the socket. */
void vm_mailbox_hear(struct vm_mailbox *mailbox, const char *bytes, size_t n);
/* Output that was not taken yet, marked as taken. Valid until the machine is let go. */
struct error *vm_mailbox_take(struct vm_mailbox *mailbox, struct bytes *ret) MUST_CHECK;
/*
 * When all output was taken. True: it only waited for that, and is to be let go.
 * Otherwise it may now want input.
 */
struct error *vm_mailbox_settle_hold(struct vm_mailbox *mailbox, bool *ret_go) MUST_CHECK;
/* As much of the input as fits; then the machine is to be let go. Returns how much. */
size_t vm_mailbox_put(struct vm_mailbox *mailbox, const void *bytes, size_t n);

#endif
