// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints every symbol that we find in a vmcore, as /proc/kallsyms would: "ADDRESS K NAME [MODULE]".
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "kmem/core_file.h"
#include "kmem/kmem.h"
#include "kmem/modules.h"

static void print(const struct kmem_symbol *symbol, const char *module)
{
	printf("%016llx %c %s%s%s\n", (unsigned long long)symbol->address, symbol->kind,
	       symbol->name, module ? "\t" : "", module ? module : "");
}

struct of_module {
	struct kmem *kmem;
	const char *name;
};

static bool print_of_module(void *context, const struct kmem_symbol *symbol)
{
	print(symbol, ((struct of_module *)context)->name);
	return true;
}

static bool print_module(void *context, const struct kmem_module *module)
{
	struct of_module m = { context, module->name };
	_cleanup_error_ struct error *err = kmem_module_symbols(m.kmem, module, print_of_module,
								&m);

	if (err)
		fprintf(stderr, "%s\n", error_message(err));
	return true;
}

static struct error *show(struct kmem *kmem)
{
	struct kmem_walk walk = { 0 };
	struct kmem_kallsyms *table;
	struct kmem_symbol symbol;
	struct error *err = kmem_names_table(&kmem->names, &table);

	if (err)
		return err;
	for (uint32_t i = 0; i < kmem_kallsyms_n(table); i++) {
		if (kmem_kallsyms_at(table, i, &symbol))
			print(&symbol, NULL);
	}
	return kmem_modules(kmem, &walk, print_module, kmem);
}

int main(int argc, char **argv)
{
	_cleanup_kmem_core_ struct kmem_core core = { 0 };
	_cleanup_kmem_ struct kmem *kmem = NULL;
	_cleanup_error_ struct error *err = NULL;
	_cleanup_close_ int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct kmem_reader reader;

	if (fd < 0) {
		fprintf(stderr, "usage: kernel_symbols VMCORE\n");
		return 2;
	}
	err = kmem_core_read(fd, argv[1], &core);
	if (!err) {
		reader = kmem_reader_of_physmap(core.map);
		err = kmem_attach(&reader, (struct bytes){ (uint8_t *)core.note.at, core.note.n },
				  NULL, &kmem);
	}
	if (!err)
		err = show(kmem);
	if (err)
		fprintf(stderr, "%s\n", error_message(err));
	return err ? 1 : 0;
}
