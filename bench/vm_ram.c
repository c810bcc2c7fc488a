// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: vm_ram MEMORY_MIB FILL_MIB
 *
 * Two ways for the host to see a clone's RAM. A copy: the clone gets a sparse copy of its
 * template's RAM as a shared file of its own, and we map that. The process: the clone keeps its
 * private mapping of the template, and we read QEMU's memory through physmap. One JSON object
 * on stdout. FILL_MIB of memory are in use on top of what a booted guest has.
 *
 * CPU time of this process counts, which holds both the copying and the reading and which
 * others on the machine do not lengthen; time on the wall stands beside it.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/link/exec.h"
#include "vm/template/template.h"
#include "vm/state.h"

enum {
	MIB = 1 << 20,
	FIRST = MIB, /* below are the holes of a PC */
	RANDOM_READS = 20000,
	COPIES = 5,
};

struct cost {
	uint64_t wall_ns, cpu_ns;
};

static struct cost now(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct cost){ clock_monotonic_ns(),
			      (uint64_t)cpu.tv_sec * NS_PER_SEC + (uint64_t)cpu.tv_nsec };
}

static void print_since(const char *name, struct cost before)
{
	struct cost after = now();

	printf("\"%s\": [%" PRIu64 ", %" PRIu64 "], ", name, after.wall_ns - before.wall_ns,
	       after.cpu_ns - before.cpu_ns);
}

/* A way to read: by guest-physical address, into a buffer, as our users will. */
struct way {
	const char *name;
	const uint8_t *mapping; /* or */
	const struct physmap *map;
	uint64_t bytes;
};

static struct error *read_one(const struct way *way, uint64_t address, void *into, size_t n)
{
	if (!way->mapping)
		return physmap_read_exact(way->map, address, into, n);
	memcpy(into, way->mapping + address, n);
	return NULL;
}

static struct error *read_random(const struct way *way, const char *pass, size_t n)
{
	_cleanup_free_ void *buffer = xcalloc(1, n);
	_cleanup_free_ char *name = xasprintf("%s %s %zu", way->name, pass, n);
	uint64_t state = UINT64_C(88172645463325252);
	struct cost before = now();
	struct error *err = NULL;

	for (size_t i = 0; !err && i < RANDOM_READS; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		err = read_one(way, FIRST + state % ((way->bytes - FIRST) / n) * n, buffer, n);
	}
	print_since(name, before);
	return err;
}

static struct error *read_all(const struct way *way, const char *pass)
{
	_cleanup_free_ void *buffer = xcalloc(1, MIB);
	_cleanup_free_ char *name = xasprintf("%s %s all", way->name, pass);
	struct cost before = now();
	struct error *err = NULL;

	for (uint64_t at = FIRST; !err && at < way->bytes; at += MIB)
		err = read_one(way, at, buffer, MIB);
	print_since(name, before);
	return err;
}

static struct error *read_both(const struct way *way)
{
	struct error *err = read_random(way, "first", 4096);

	for (int i = 0; !err && i < 2; i++)
		err = read_all(way, i ? "later" : "first");
	if (!err)
		err = read_random(way, "later", 4096);
	return err ? err : read_random(way, "later", 64);
}

static uint64_t allocated_bytes(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

/* The template's RAM, or a busier one: with more of it in use. */
static struct error *make_original(const char *path, uint64_t bytes, uint64_t fill, int *ret_fd)
{
	_cleanup_close_ int from = open(path, O_RDONLY | O_CLOEXEC), fd = -1;
	struct error *err = vm_ram_make_memfd(0, bytes, &fd);
	uint64_t occupied;
	off_t hole = 0;

	if (err)
		return err;
	if (from < 0)
		return vm_error(VM_TEMPLATE, errno, "cannot open %s", path);
	err = vm_ram_copy_sparse(from, fd, path, &occupied);
	while (!err && fill >= MIB) {
		off_t data;

		hole = lseek(fd, hole, SEEK_HOLE);
		data = hole < 0 || (uint64_t)hole >= bytes ? -1 : lseek(fd, hole, SEEK_DATA);
		if (hole < 0 || (uint64_t)hole >= bytes)
			break;
		if (data < 0)
			data = (off_t)bytes;
		for (; hole < data && fill > 0; hole += 4096, fill -= 4096) {
			uint8_t page[4096];

			memset(page, 0x5a, sizeof(page));
			if (pwrite(fd, page, sizeof(page), hole) != sizeof(page))
				return vm_error(VM_TEMPLATE, errno, "cannot fill");
		}
	}
	*ret_fd = take_fd(fd);
	return err;
}

static struct error *by_copy(const char *path, uint64_t bytes, uint64_t fill)
{
	_cleanup_close_ int original = -1, copy = -1;
	struct way way = { .name = "copy", .bytes = bytes };
	struct error *err = make_original(path, bytes, fill, &original);
	uint64_t occupied = 0;
	void *mapping;

	for (int i = 0; !err && i < COPIES; i++) {
		_cleanup_free_ char *name = xasprintf("copying %d", i);
		struct cost before;

		if (copy >= 0)
			close(copy);
		copy = -1;
		before = now();
		err = vm_ram_make_memfd(0, bytes, &copy);
		if (!err)
			err = vm_ram_copy_sparse(original, copy, "copy", &occupied);
		print_since(name, before);
	}
	if (err)
		return err;
	mapping = mmap(NULL, bytes, PROT_READ, MAP_SHARED, copy, 0);
	if (mapping == MAP_FAILED)
		return vm_error(VM_TEMPLATE, errno, "no mapping");
	way.mapping = mapping;
	printf("\"copied bytes\": %" PRIu64 ", ", occupied);
	err = read_both(&way);
	printf("\"copy after reading\": %" PRIu64 ", ", allocated_bytes(copy));
	munmap(mapping, bytes);
	return err;
}

static struct error *by_process(struct vm *vm, uint64_t bytes, unsigned int fill_mib)
{
	_cleanup_free_ char *script = xasprintf(
		"mkdir -p /fill && mount -t tmpfs -o size=95%% fill /fill &&"
		" dd if=/dev/zero of=/fill/fill bs=1M count=%u 2>/dev/null",
		fill_mib);
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct way way = { .name = "process", .bytes = bytes };
	_cleanup_physmap_ struct physmap *map = NULL;
	struct vm_end end = { 0 };
	struct error *err;

	err = vm_release(vm, NULL);
	if (!err)
		err = vm_exec(vm, &(struct vm_command){ .argv = argv, .stdin_fd = -1 }, NULL, &end);
	if (!err && (end.how != WIRE_END_EXITED || end.value != 0))
		err = vm_error(VM_AGENT, 0, "the guest could not fill its memory");
	if (!err)
		err = vm_freeze(vm);
	if (!err)
		err = vm_physmap(vm, &map);
	way.map = map;
	return err ? err : read_both(&way);
}

static struct error *measure(uint64_t mib, uint64_t fill_mib)
{
	struct vm_spec spec = { .topology = TOPO_DEFAULT, .memory_bytes = mib * MIB };
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_vm_ struct vm *vm = NULL;
	struct error *err = kernel_resolve(NULL, &kernel);

	spec.kernel = kernel;
	if (!err)
		err = vm_prepare(&spec, NULL, &vm);
	if (!err)
		err = by_copy(vm->template->ram_paths[0], mib * MIB, fill_mib * MIB);
	return err ? err : by_process(vm, mib * MIB, (unsigned int)fill_mib);
}

int main(int argc, char **argv)
{
	_cleanup_error_ struct error *err = NULL;

	/* Above 2 GiB there is a hole in the guest's addresses. */
	if (argc != 3 || strtoull(argv[1], NULL, 10) > 2048) {
		fputs("usage: vm_ram MEMORY_MIB FILL_MIB\n", stderr);
		return 2;
	}
	printf("{");
	err = measure(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
	if (err) {
		fprintf(stderr, "vm_ram: %s\n", error_message(err));
		return 1;
	}
	printf("\"reads\": %d}\n", RANDOM_READS);
	return 0;
}
