// SPDX-License-Identifier: GPL-2.0-or-later
/* The same shape as a C++ class in a namespace. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MANGLED(name) cant_access_tsd_items_directly_use_a_getter_or_setter_##name

namespace allocator
{
class tsd_s
{
      public:
	char lead[23];
	uint64_t MANGLED(thread_allocated);
	uint64_t events;
	uint64_t MANGLED(thread_deallocated);
};
thread_local tsd_s je_tsd_tls;
} // namespace allocator

int main()
{
	printf("%zu %zu\n", offsetof(allocator::tsd_s, MANGLED(thread_allocated)),
	       offsetof(allocator::tsd_s, MANGLED(thread_deallocated)));
	return (int)allocator::je_tsd_tls.events;
}
