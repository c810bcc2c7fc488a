// SPDX-License-Identifier: GPL-2.0-or-later
/* Another program's idea of struct tsd_s: believing its debug information gives wrong numbers. */
#include <stdint.h>

struct tsd_s {
	uint64_t pad[3];
	uint64_t cant_access_tsd_items_directly_use_a_getter_or_setter_thread_allocated;
	uint64_t next_event;
	uint64_t cant_access_tsd_items_directly_use_a_getter_or_setter_thread_deallocated;
};

extern __thread struct tsd_s je_tsd_tls;
__thread struct tsd_s je_tsd_tls = { .pad = { 1 } };

int main(void)
{
	return (int)je_tsd_tls.pad[1];
}
