/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* template.json: what a template is, and what a clone must be able to say. */
#ifndef KTSTR_VM_TEMPLATE_TEMPLATE_JSON_H
#define KTSTR_VM_TEMPLATE_TEMPLATE_JSON_H

#include "vm/template/template.h"

struct vm_template_description {
	char *key;
	struct vm_template_proof proof;
	uint64_t state_bytes;
	struct template_ram {
		uint64_t *at;
		size_t n;
	} ram_bytes; /* of each node */
};

void vm_template_description_format(const struct vm_template_description *d, struct strbuf *into);
/* Every member must be there and make sense: VM_TEMPLATE names the first that does not. */
struct error *vm_template_description_parse(const char *text, size_t n,
					    struct vm_template_description *ret) MUST_CHECK;
struct error *vm_template_description_write(const struct vm_template_description *d,
					    const char *path) MUST_CHECK;
struct error *vm_template_description_read(const char *path,
					   struct vm_template_description *ret) MUST_CHECK;
void vm_template_description_deinit(struct vm_template_description *d);
#define _cleanup_vm_template_description_ __attribute__((cleanup(vm_template_description_deinit)))

#endif
