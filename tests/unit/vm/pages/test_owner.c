// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/pages/pages.h"

#include "unit.h"

/* As a guest of 512 MiB shows it. */
static const char iomem[] = "00000000-00000fff : Reserved\n"
			    "00001000-0009fbff : System RAM\n"
			    "000f0000-000fffff : System ROM\n"
			    "00100000-1ffdffff : System RAM\n"
			    "  01000000-020fffff : Kernel code\n"
			    "  02200000-02bfffff : Kernel rodata\n"
			    "  02c00000-02ffffff : Kernel data\n";

static void expect_owner(const struct vm_page_owners *owners, uint64_t address, const char *words)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	vm_page_owners_format(owners, address, &text);
	assert_string_equal(strbuf_str(&text), words);
}

static void the_innermost_range_owns_a_page(void **state UNUSED)
{
	_cleanup_vm_page_owners_ struct vm_page_owners owners = { 0 };

	assert_success(
		vm_page_owners_parse(iomem, sizeof(iomem) - 1, (struct bytes){ 0 }, &owners));
	expect_owner(&owners, 0, "Reserved");
	expect_owner(&owners, 0x1000000, "Kernel code");
	expect_owner(&owners, 0x20fffff, "Kernel code");
	expect_owner(&owners, 0x2100000, "System RAM");
	expect_owner(&owners, 0x2c01000, "Kernel data");
	expect_owner(&owners, 0x1ffe0000, "no owner");
	expect_owner(&owners, UINT64_MAX, "no owner");
}

/* Bits as Documentation/admin-guide/mm/pagemap.rst numbers them. */
static void page_flags_name_the_use_of_ram(void **state UNUSED)
{
	uint8_t flags[5 * 8] = { 0 };
	_cleanup_vm_page_owners_ struct vm_page_owners owners = { 0 };

	flags[1 * 8] = 1 << 7;	    /* SLAB */
	flags[2 * 8 + 1] = 1 << 2;  /* BUDDY, 10 */
	flags[3 * 8 + 1] = 1 << 4;  /* ANON, 12 */
	flags[3 * 8 + 1] |= 1 << 3; /* MMAP, 11 */
	assert_success(vm_page_owners_parse(iomem, sizeof(iomem) - 1,
					    (struct bytes){ flags, sizeof(flags) }, &owners));
	expect_owner(&owners, 0x1000, "System RAM: slab");
	expect_owner(&owners, 0x2fff, "System RAM: free (buddy)");
	expect_owner(&owners, 0x3008, "System RAM: anonymous, mapped");
	expect_owner(&owners, 0x4000, "System RAM: kernel");
	/* Past the end of the flags nothing is made up. */
	expect_owner(&owners, 0x5000, "System RAM");
}

static void malformed_iomem_lines_are_refused(void **state UNUSED)
{
	static const char *const texts[] = {
		"hello\n",
		"1000 : System RAM\n",
		"2000-1000 : System RAM\n",
		"1000-2000 : \n",
		"1000-2000 System RAM\n",
		"                    1000-2000 : too deep\n",
		"1000-2000 : System RAM\n\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct vm_page_owners owners;

		assert_error_tag(vm_page_owners_parse(texts[i], strlen(texts[i]),
						      (struct bytes){ 0 }, &owners),
				 "agent");
	}
}

static void addresses_hidden_from_users_are_an_error(void **state UNUSED)
{
	static const char text[] = "00000000-00000000 : System RAM\n";
	struct vm_page_owners owners;
	struct error *err;

	err = vm_page_owners_parse(text, sizeof(text) - 1, (struct bytes){ 0 }, &owners);
	assert_non_null(err);
	assert_contains(error_message(err), "root");
	error_free(err);
}

static void a_list_without_end_is_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct vm_page_owners owners;

	for (int i = 0; i <= VM_LIMIT_PAGE_OWNER_RANGES; i++)
		strbuf_append(&text, "1000-2000 : System RAM\n");
	assert_error_tag(vm_page_owners_parse(text.at, text.n, (struct bytes){ 0 }, &owners),
			 "limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_range_owns_a_page),
		cmocka_unit_test(page_flags_name_the_use_of_ram),
		cmocka_unit_test(malformed_iomem_lines_are_refused),
		cmocka_unit_test(addresses_hidden_from_users_are_an_error),
		cmocka_unit_test(a_list_without_end_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
