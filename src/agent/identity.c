// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_PFN	((UINT64_C(1) << 55) - 1)

struct error *agent_identity_new(struct agent_identity **ret)
{
	size_t n = (size_t)sysconf(_SC_PAGESIZE);
	struct agent_identity *id = mmap(NULL, n, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (id == MAP_FAILED)
		return agent_error(AGENT_SYSTEM, errno, "a page for the nonce");
	/* Children get no copy, so that a fork never moves the page that the host knows. */
	if (madvise(id, n, MADV_DONTFORK) < 0 || mlock(id, n) < 0) {
		struct error *err = agent_error(AGENT_SYSTEM, errno, "keeping the nonce in place");

		munmap(id, n);
		return err;
	}
	memcpy(id->magic, AGENT_IDENTITY_MAGIC, sizeof(id->magic));
	*ret = id;
	return NULL;
}

void agent_identity_free(struct agent_identity *id)
{
	if (id)
		munmap(id, (size_t)sysconf(_SC_PAGESIZE));
}

void agent_identity_hello(struct agent_identity *id, const uint8_t nonce[WIRE_NONCE_BYTES])
{
	static const uint8_t zero[WIRE_NONCE_BYTES];

	if (memcmp(nonce, zero, sizeof(zero)) != 0)
		memcpy(id->nonce, nonce, sizeof(id->nonce));
	id->generation++;
}

uint64_t agent_identity_phys(const struct agent_identity *id)
{
	_cleanup_close_ int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t entry;

	if (fd < 0 || pread(fd, &entry, sizeof(entry),
			    (off_t)((uintptr_t)id / page * sizeof(entry))) != sizeof(entry))
		return 0;
	return entry & PAGEMAP_PRESENT ? (entry & PAGEMAP_PFN) * page : 0;
}
