// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/cpus.h"

#include "base/alloc.h"

void kmem_cpus_deinit(struct kmem_cpus *cpus)
{
	free(cpus->offsets);
	free(cpus->possible);
	free(cpus->online);
	*cpus = (struct kmem_cpus){ 0 };
}

static struct error *read_array(struct kmem_space *space, struct kmem_names *names,
				const char *name, uint32_t n_words, uint64_t **ret)
{
	_cleanup_free_ uint64_t *words = xcalloc(n_words, sizeof(*words));
	uint64_t address;
	struct error *err = kmem_names_find(names, name, &address);

	if (!err)
		err = kmem_read_exact(space, address, words, n_words * sizeof(*words), name);
	if (err)
		return err;
	*ret = take_ptr(words);
	return NULL;
}

struct error *kmem_cpus_read(struct kmem_space *space, struct kmem_names *names,
			     struct kmem_cpus *ret)
{
	struct kmem_cpus cpus = { 0 };
	uint64_t address;
	struct error *err = kmem_names_find(names, "nr_cpu_ids", &address);

	if (!err)
		err = kmem_read_exact(space, address, &cpus.n, sizeof(cpus.n), "nr_cpu_ids");
	if (err)
		return err;
	if (cpus.n == 0 || cpus.n > KMEM_LIMIT_CPUS)
		return base_error(BASE_LIMIT, 0, "the guest claims %u CPUs", cpus.n);
	err = read_array(space, names, "__per_cpu_offset", cpus.n, &cpus.offsets);
	if (!err)
		err = read_array(space, names, "__cpu_possible_mask", (cpus.n + 63) / 64,
				 &cpus.possible);
	if (!err)
		err = read_array(space, names, "__cpu_online_mask", (cpus.n + 63) / 64,
				 &cpus.online);
	if (err) {
		kmem_cpus_deinit(&cpus);
		return err;
	}
	*ret = cpus;
	return NULL;
}

static bool is_set(const struct kmem_cpus *cpus, const uint64_t *mask, uint32_t cpu)
{
	return cpu < cpus->n && (mask[cpu / 64] >> cpu % 64 & 1);
}

bool kmem_cpus_is_possible(const struct kmem_cpus *cpus, uint32_t cpu)
{
	return is_set(cpus, cpus->possible, cpu);
}

bool kmem_cpus_is_online(const struct kmem_cpus *cpus, uint32_t cpu)
{
	return is_set(cpus, cpus->online, cpu);
}

bool kmem_cpus_address(const struct kmem_cpus *cpus, uint32_t cpu, uint64_t address, uint64_t *ret)
{
	if (!kmem_cpus_is_possible(cpus, cpu))
		return false;
	*ret = address + cpus->offsets[cpu];
	return true;
}
