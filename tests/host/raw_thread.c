// SPDX-License-Identifier: GPL-2.0-or-later
#include "raw_thread.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	STACK_BYTES = 65536,
	STORAGE_BYTES = 65536,
};

/* Touches neither libc nor thread-local storage: this file is built without stack protector. */
static _Noreturn int sleep_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
#if defined(__x86_64__)
		long result;

		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(SYS_pause)
				 : "rcx", "r11", "memory");
#else
		syscall(SYS_ppoll, 0, 0, 0, 0);
#endif
	}
}

static char *map(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	if (memory == MAP_FAILED)
		_exit(1);
	return memory;
}

int raw_thread_start(bool own_storage)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM;
	char *storage = map(STORAGE_BYTES);
	int tid;

	memset(storage, RAW_THREAD_FILL, STORAGE_BYTES);
	if (own_storage)
		flags |= CLONE_SETTLS;
	tid = clone(sleep_for_ever, map(STACK_BYTES) + STACK_BYTES, flags, NULL, NULL,
		    storage + STORAGE_BYTES / 2, NULL);
	if (tid < 0)
		_exit(1);
	return tid;
}
