// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/image/image.h"

#include <elf.h>

#include "unit.h"

static void the_image_is_a_static_program_of_this_machine(void **state UNUSED)
{
	struct bytes image = vm_agent_image();
	Elf64_Ehdr header;
	bool loads = false;

	assert_true(image.n > sizeof(header));
	memcpy(&header, image.at, sizeof(header));
	assert_memory_equal(header.e_ident, ELFMAG, SELFMAG);
	assert_int_equal(header.e_ident[EI_CLASS], ELFCLASS64);
	assert_int_equal(header.e_machine, EM_X86_64);
	assert_true(header.e_phoff + (uint64_t)header.e_phnum * sizeof(Elf64_Phdr) <= image.n);
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, image.at + header.e_phoff + i * sizeof(segment), sizeof(segment));
		/* It is /init: there is nothing yet that could interpret it. */
		assert_int_not_equal(segment.p_type, PT_INTERP);
		loads |= segment.p_type == PT_LOAD;
		assert_true(segment.p_offset + segment.p_filesz <= image.n);
	}
	assert_true(loads);
}

static void the_image_is_whole(void **state UNUSED)
{
	struct bytes image = vm_agent_image();
	Elf64_Ehdr header;

	/* The linker puts the table of sections last. */
	memcpy(&header, image.at, sizeof(header));
	assert_int_equal(header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize, image.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_image_is_a_static_program_of_this_machine),
		cmocka_unit_test(the_image_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
