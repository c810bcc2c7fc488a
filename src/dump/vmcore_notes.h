/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The notes of a vmcore: what each CPU did, and VMCOREINFO. */
#ifndef KTSTR_DUMP_VMCORE_NOTES_H
#define KTSTR_DUMP_VMCORE_NOTES_H

#include "dump/dump.h"

/* KMEM_BAD_NOTE or KMEM_UNREAD: the kernel's note is not where it was. */
struct error *dump_vmcore_notes(struct kmem *kmem, const struct dump_request *request,
				struct strbuf *into) MUST_CHECK;

#endif
