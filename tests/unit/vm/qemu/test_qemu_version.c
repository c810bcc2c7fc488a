// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/alloc.h"
#include "base/strbuf.h"
#include "unit.h"
#include "vm/qemu/qemu_binary.h"

static void check(const char *text, unsigned int major, unsigned int minor, unsigned int micro,
		  const char *words)
{
	struct vm_qemu_version version;

	assert_success(vm_qemu_version_parse(text, strlen(text), &version));
	assert_int_equal(version.major, major);
	assert_int_equal(version.minor, minor);
	assert_int_equal(version.micro, micro);
	assert_string_equal(version.text, words);
	free(version.text);
}

/* As printed by the packages of Debian 12, its backports, and a build from source. */
static void versions_of_known_builds_are_read(void **state UNUSED)
{
	check("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\n"
	      "Copyright (c) 2003-2022 Fabrice Bellard and the QEMU Project developers\n",
	      7, 2, 22, "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)");
	check("QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-2+deb13u1~bpo12+1)\n", 10, 0, 2,
	      "10.0.2 (Debian 1:10.0.2+ds-2+deb13u1~bpo12+1)");
	check("QEMU emulator version 9.2.50 (v9.2.0-123-gabcdef)", 9, 2, 50,
	      "9.2.50 (v9.2.0-123-gabcdef)");
	check("QEMU emulator version 8.1\r\n", 8, 1, 0, "8.1");
}

static void a_warning_in_front_does_not_hide_it(void **state UNUSED)
{
	check("warning: something QEMU emulator version 1.2.3\n"
	      "QEMU emulator version x.y\n"
	      "QEMU emulator version 10.1.0\n",
	      10, 1, 0, "10.1.0");
}

static void hostile_text_is_an_error(void **state UNUSED)
{
	static const char *const texts[] = {
		"",
		"\n\n\n",
		"QEMU emulator version",
		"QEMU emulator version ",
		"QEMU emulator version 10",
		"QEMU emulator version 10.",
		"QEMU emulator version 10.0.",
		"QEMU emulator version -1.0.0",
		"QEMU emulator version 99999.0.0",
		"QEMU emulator version 4294967297.0.0",
		"QEMU emulator version 10.0.2x",
		" QEMU emulator version 10.0.2",
		"qemu-img version 10.0.2",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct vm_qemu_version version = { .major = 77 };
		size_t n = strlen(texts[i]);
		/* Exactly as long as the text, so that a byte read behind it is seen. */
		_cleanup_free_ char *copy = malloc(n ? n : 1);

		memcpy(copy, texts[i], n);
		assert_error_tag(vm_qemu_version_parse(copy, n, &version), "parse");
		assert_int_equal(version.major, 77);
	}
}

static void only_printable_text_is_kept_and_not_too_much(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct vm_qemu_version version;

	check("QEMU emulator version 10.0.2 (\033[31mred)\n", 10, 0, 2, "10.0.2 (");
	strbuf_append(&text, "QEMU emulator version 10.0.2 ");
	strbuf_append_repeated(&text, 'x', 100000);
	assert_success(vm_qemu_version_parse(text.at, text.n, &version));
	assert_int_equal(strlen(version.text), VM_LIMIT_QEMU_VERSION_TEXT);
	free(version.text);
}

static void versions_compare_by_number(void **state UNUSED)
{
	struct vm_qemu_version version = { .major = 8, .minor = 1 };

	assert_true(vm_qemu_version_at_least(&version, 8, 1));
	assert_true(vm_qemu_version_at_least(&version, 7, 2));
	assert_false(vm_qemu_version_at_least(&version, 8, 2));
	assert_false(vm_qemu_version_at_least(&version, 10, 0));
	version = (struct vm_qemu_version){ .major = 10, .minor = 0 };
	assert_true(vm_qemu_version_at_least(&version, 8, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_of_known_builds_are_read),
		cmocka_unit_test(a_warning_in_front_does_not_hide_it),
		cmocka_unit_test(hostile_text_is_an_error),
		cmocka_unit_test(only_printable_text_is_kept_and_not_too_much),
		cmocka_unit_test(versions_compare_by_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
