// SPDX-License-Identifier: LGPL-2.1-or-later
#include "inspect/source.h"

#include "base/alloc.h"
#include "base/paths.h"
#include "dump/vmcore.h"

/* What the VM reported when it was frozen, or what a core file has kept. */
static void find_registers(const struct inspect_source *source, struct inspect_kernel *kernel)
{
	const struct vm_register_list *frozen = &source->freeze.registers;

	if (!frozen->cpus.n) {
		kernel->registers = dump_core_registers(kernel->kmem, &source->core,
							&kernel->n_registers);
		return;
	}
	kernel->n_registers = frozen->cpus.n;
	kernel->registers = xcalloc(frozen->cpus.n, sizeof(*kernel->registers));
	memcpy(kernel->registers, frozen->cpus.at, frozen->cpus.n * sizeof(*kernel->registers));
}

struct error *inspect_attach(const struct inspect_source *source, bool use_cache,
			     struct inspect_kernel *ret)
{
	struct inspect_kernel kernel = { .cache = use_cache ? paths_cache(KMEM_CACHE_DIRECTORY)
							    : NULL };
	struct error *err = kmem_attach(&source->reader, source->note, kernel.cache, &kernel.kmem);

	if (err) {
		inspect_detach(&kernel);
		return err;
	}
	find_registers(source, &kernel);
	*ret = kernel;
	return NULL;
}

void inspect_detach(struct inspect_kernel *kernel)
{
	if (kernel->kmem && kernel->cache)
		error_free(kmem_save_cache(kernel->kmem, kernel->cache));
	kmem_free(kernel->kmem);
	free(kernel->registers);
	free(kernel->cache);
	*kernel = (struct inspect_kernel){ 0 };
}
