// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/template/template.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/alloc.h"

enum {
	MIB = 1 << 20,
	PAGE = 4096,
	COPY_CHUNK = 1 << 20,
	LEAST_MIB = 256,
	PER_CPU_MIB = 32,
	USUAL_MIB = 512,
};

uint64_t vm_ram_default_bytes(const struct topo *topology)
{
	uint64_t mib = LEAST_MIB + (uint64_t)PER_CPU_MIB * topo_cpus(topology);

	if (topology->has_memory)
		return topo_memory_bytes(topology);
	return (mib > USUAL_MIB ? mib : USUAL_MIB) * MIB;
}

struct error *vm_ram_make_memfd(unsigned int node, uint64_t bytes, int *ret_fd)
{
	_cleanup_free_ char *name = xasprintf("ktstr-ram.%u", node);
	_cleanup_close_ int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		return vm_error(VM_QEMU_FAILED, errno,
				"cannot create a memory file of %llu MiB for node %u",
				(unsigned long long)bytes / MIB, node);
	*ret_fd = take_fd(fd);
	return NULL;
}

static bool is_zero(const char *page, size_t n)
{
	return page[0] == 0 && memcmp(page, page + 1, n - 1) == 0;
}

static struct error *write_failed(int to, const char *label, uint64_t needed, uint64_t written)
{
	int errnum = errno;
	struct statvfs fs;

	if (errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG) {
		uint64_t left = fstatvfs(to, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;

		return vm_error(VM_CACHE_FULL, errnum,
				"%s needs up to %llu MiB: %llu MiB written, %llu MiB free", label,
				(unsigned long long)needed / MIB, (unsigned long long)written / MIB,
				(unsigned long long)left / MIB);
	}
	return vm_error(VM_TEMPLATE, errnum, "cannot write %s", label);
}

/* Runs of pages that hold something, written with one call each. */
static struct error *copy_chunk(const char *chunk, size_t n, off_t at, int to, const char *label,
				uint64_t needed, uint64_t *written)
{
	size_t start = 0, end;

	while (start < n) {
		size_t page = n - start < PAGE ? n - start : PAGE;

		if (is_zero(chunk + start, page)) {
			start += page;
			continue;
		}
		for (end = start + page; end < n; end += page) {
			page = n - end < PAGE ? n - end : PAGE;
			if (is_zero(chunk + end, page))
				break;
		}
		while (start < end) {
			ssize_t done = pwrite(to, chunk + start, end - start, at + (off_t)start);

			if (done < 0 && errno == EINTR)
				continue;
			if (done < 0)
				return write_failed(to, label, needed, *written);
			start += (size_t)done;
			*written += (uint64_t)done;
		}
	}
	return NULL;
}

struct error *vm_ram_copy_sparse(int from, int to, const char *to_label, uint64_t *ret_bytes)
{
	_cleanup_free_ char *chunk = xcalloc(1, COPY_CHUNK);
	uint64_t needed, written = 0;
	struct stat st;
	off_t at = 0;

	if (fstat(from, &st) < 0)
		return vm_error(VM_TEMPLATE, errno, "cannot stat guest RAM");
	needed = (uint64_t)st.st_blocks * 512;
	if (ftruncate(to, st.st_size) < 0)
		return write_failed(to, to_label, needed, 0);
	while ((at = lseek(from, at, SEEK_DATA)) >= 0) {
		off_t hole = lseek(from, at, SEEK_HOLE);

		while (at < hole) {
			size_t want = hole - at < COPY_CHUNK ? (size_t)(hole - at) : COPY_CHUNK;
			ssize_t n = pread(from, chunk, want, at);
			struct error *err;

			if (n <= 0)
				return vm_error(VM_TEMPLATE, n < 0 ? errno : EIO,
						"cannot read guest RAM at %lld", (long long)at);
			err = copy_chunk(chunk, (size_t)n, at, to, to_label, needed, &written);
			if (err)
				return err;
			at += n;
		}
	}
	if (errno != ENXIO)
		return vm_error(VM_TEMPLATE, errno, "cannot find data in guest RAM");
	*ret_bytes = written;
	return NULL;
}
