/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What one process found out and others need not find out again: an answer and its reason,
 * in the run folder. It counts until the machine boots again, for a while, and only for who
 * asks with the same key. A note that cannot be written or read is no note.
 */
#ifndef KTSTR_VM_QEMU_BOOT_NOTE_H
#define KTSTR_VM_QEMU_BOOT_NOTE_H

#include "base/macros.h"

/* The key is a hash of what the answer depends on. */
void vm_boot_note_keep(const char *name, uint64_t key, bool answer, const char *reason);
/* False, and nothing written, when there is none. The caller owns *ret_reason. */
bool vm_boot_note_recall(const char *name, uint64_t key, uint64_t max_age_sec, bool *ret_answer,
			 char **ret_reason);
void vm_boot_note_forget(const char *name);

#endif
