// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs in the guest and tells where something of its is: a locked page with a pattern, by
 * its physical address, and the loop it then stays in, by its addresses.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

extern char spin_start[], spin_end[];

int main(void)
{
	uint64_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	for (int i = 0; i < PAGE / 8; i++)
		page[i] = 0x6b74737472000000u + (uint64_t)i;
	if (pread(fd, &entry, 8, (off_t)((uintptr_t)page / PAGE * 8)) != 8 || !(entry >> 63))
		return 1;
	printf("%#llx %p %p\n", (unsigned long long)(entry & ((1ull << 55) - 1)) * PAGE,
	       (void *)spin_start, (void *)spin_end);
	fflush(stdout);
	__asm__ volatile(".globl spin_start, spin_end\n"
			 "spin_start: pause; jmp spin_start\n"
			 "spin_end: nop\n");
	return 0;
}
