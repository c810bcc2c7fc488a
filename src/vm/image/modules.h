/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which module files a named module needs, from a kernel's modules folder, and their bytes ready
 * for insmod: what the package compressed is unpacked here, once, and not in every guest.
 */
#ifndef KTSTR_VM_IMAGE_MODULES_H
#define KTSTR_VM_IMAGE_MODULES_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/strbuf.h"

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
	char **paths; /* relative to the modules folder, in the order to load; the module is last */
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
 * folder: …/lib/modules/RELEASE. A module that is built into the kernel gives an
 * empty list. modules.dep is made by depmod when a package is installed; in a folder where nobody
 * did that, modules.order names the files and each module says itself what it needs.
 */
struct error *vm_modules_read(const char *folder, const char *name,
			      struct vm_module_list *ret) MUST_CHECK;
void vm_module_list_deinit(struct vm_module_list *list);
#define _cleanup_vm_module_list_ __attribute__((cleanup(vm_module_list_deinit)))

/* Appends the module as the kernel loads it: .ko as it is, .ko.zst, .ko.xz and .ko.gz unpacked. */
struct error *vm_module_read_bytes(const char *folder, const char *path,
				   struct strbuf *into) MUST_CHECK;

#endif
