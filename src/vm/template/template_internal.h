/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files about templates share. */
#ifndef KTSTR_VM_TEMPLATE_TEMPLATE_INTERNAL_H
#define KTSTR_VM_TEMPLATE_TEMPLATE_INTERNAL_H

#include "vm/template/template.h"

#define VM_TEMPLATE_DRAFT_SUFFIX ".new"
#define VM_TEMPLATE_LOCK_SUFFIX	 ".lock"

char *vm_template_lock_path(const char *name) MUST_CHECK;
char *vm_template_folder_path(const char *name) MUST_CHECK;
char *vm_template_draft_path(const char *name) MUST_CHECK;
/* The caller holds the lock. Without one, or with a damaged one, *ret is NULL. */
struct error *vm_template_load(const char *name, const char *key,
			       struct vm_template **ret) MUST_CHECK;

#endif
