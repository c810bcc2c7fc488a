// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/sources.h"

#include "base/io.h"
#include "unit.h"

#define MIRROR		  "http://archive.invalid/debian/"
#define LINE(suite, name) MIRROR " " name " " suite " /etc/apt/x.sources:1 Debian\n"

static struct error *parse(const char *text, struct kernel_sources *ret)
{
	return kernel_sources_parse(text, strlen(text), "bookworm", ret);
}

static void debian_suites_are_kept_and_others_are_not(void **state UNUSED)
{
	_cleanup_kernel_sources_ struct kernel_sources sources = { 0 };

	assert_success(parse(
		"https://other.invalid/ bookworm stable /x:1 Somebody\n" LINE(
			"oldstable", "bookworm") LINE("oldstable", "bookworm")
			LINE("oldstable-updates",
			     "bookworm-updates") "http://archive.invalid/sec/ bookworm-security oldstable-security "
						 "/x:7 Debian\n"
						 "http://unread.invalid/ $(CODENAME) $(SUITE) /x:9 $(ORIGIN)\n",
		&sources));
	assert_int_equal(sources.n, 3);
	assert_string_equal(sources.uri, MIRROR);
	assert_string_equal(sources.at[0].suite, "bookworm");
	assert_string_equal(sources.at[0].entry, "/etc/apt/x.sources:1");
	assert_string_equal(sources.at[2].uri, "http://archive.invalid/sec/");
}

static void the_next_release_follows_from_the_suite(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ LINE("oldoldstable", "bookworm"), "oldstable" },
		{ LINE("oldstable", "bookworm"), "stable" },
		{ LINE("stable", "bookworm"), "testing" },
		{ LINE("testing", "bookworm"), NULL },
		{ LINE("unstable", "bookworm"), NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_kernel_sources_ struct kernel_sources sources = { 0 };

		assert_success(parse(rows[i][0], &sources));
		if (rows[i][1])
			assert_string_equal(sources.next, rows[i][1]);
		else
			assert_null(sources.next);
	}
}

static void no_debian_archive_is_said(void **state UNUSED)
{
	_cleanup_kernel_sources_ struct kernel_sources sources = { 0 };

	assert_error_tag(parse("", &sources), "absent");
	assert_error_tag(parse("\n \nhalf a line\n" LINE("stable", "trixie"), &sources), "absent");
	assert_error_tag(parse("http://x.invalid/ bookworm stable /x:1 Ubuntu\n", &sources),
			 "absent");
	/* What could end a quoted value of apt's configuration is not taken. */
	assert_error_tag(parse("http://x\".invalid/ bookworm stable /x:1 Debian\n", &sources),
			 "absent");
}

static void assert_signed_by(const char *text, bool deb822, unsigned long line,
			     const char *expected)
{
	_cleanup_free_ char *found = kernel_signed_by(text, strlen(text), deb822, line);

	if (!expected)
		assert_null(found);
	else
		assert_string_equal(found, expected);
}

static void keys_are_found_in_both_formats(void **state UNUSED)
{
	static const char list[] = "deb http://a b c\n"
				   "deb [arch=amd64 signed-by=/k/one.gpg] http://a b c\n"
				   "deb [signed-by=/k/two.gpg,/k/three.gpg] http://a b c\n"
				   "deb [signed-by=ABCDEF] http://a b c";
	static const char sources[] = "Types: deb\n"
				      "# a comment\n"
				      "Signed-By: /k/first.gpg\n"
				      "\n"
				      "Types: deb\n"
				      "signed-by:\t/k/second.gpg more\n"
				      "\n"
				      "Types: deb\n"
				      "Signed-By:\n"
				      " -----BEGIN PGP PUBLIC KEY BLOCK-----\n"
				      "\n"
				      "Signed-By: /k/not-mine.gpg\n";

	assert_signed_by(list, false, 1, NULL);
	assert_signed_by(list, false, 2, "/k/one.gpg");
	assert_signed_by(list, false, 3, "/k/two.gpg");
	assert_signed_by(list, false, 4, NULL);
	assert_signed_by(list, false, 99, NULL);
	assert_signed_by(sources, true, 1, "/k/first.gpg");
	assert_signed_by(sources, true, 5, "/k/second.gpg");
	assert_signed_by(sources, true, 8, NULL);
	assert_signed_by("", true, 1, NULL);
}

static void entries_are_followed_into_their_files(void **state UNUSED)
{
	char dir[] = "/tmp/ktstr-test-sources-XXXXXX";
	_cleanup_kernel_sources_ struct kernel_sources sources = { 0 };
	_cleanup_free_ char *path = NULL, *text = NULL;
	static const char content[] = "Types: deb\nSigned-By: /k/mine.gpg\n";

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/a.sources", dir);
	assert_success(io_replace_file(path, content, strlen(content)));
	text = xasprintf(MIRROR " bookworm oldstable %s:1 Debian\n", path);
	assert_success(parse(text, &sources));
	kernel_sources_read_keys(&sources);
	assert_string_equal(sources.at[0].signed_by, "/k/mine.gpg");
	assert_string_equal(sources.signed_by, "/k/mine.gpg");
	unlink(path);
	rmdir(dir);
}

static void codenames_come_from_release_files(void **state UNUSED)
{
	static const char text[] = "-----BEGIN\nOrigin: x\nCodename: trixie-backports\nDate: y\n";
	_cleanup_free_ char *name = kernel_sources_codename(text, strlen(text));

	assert_string_equal(name, "trixie-backports");
	assert_null(kernel_sources_codename("Suite: x\n", 9));
	assert_null(kernel_sources_codename("\nCodename: ../../x\n", 19));
	assert_null(kernel_sources_codename("\nCodename: ", 11));
}

static void private_sources_name_everything_once(void **state UNUSED)
{
	_cleanup_kernel_sources_ struct kernel_sources sources = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(parse(LINE("oldstable", "bookworm"), &sources));
	sources.signed_by = xstrdup("/k/x.gpg");
	sources.at[0].signed_by = xstrdup("/k/x.gpg");
	kernel_sources_add(&sources, "bookworm");
	kernel_sources_add(&sources, "sid");
	kernel_sources_add(&sources, "sid");
	kernel_sources_format(&sources, &text);
	assert_string_equal(strbuf_str(&text),
			    "Types: deb\nURIs: " MIRROR "\nSuites: bookworm\nComponents: main\n"
			    "Signed-By: /k/x.gpg\n\n"
			    "Types: deb\nURIs: " MIRROR "\nSuites: sid\nComponents: main\n"
			    "Signed-By: /k/x.gpg\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debian_suites_are_kept_and_others_are_not),
		cmocka_unit_test(the_next_release_follows_from_the_suite),
		cmocka_unit_test(no_debian_archive_is_said),
		cmocka_unit_test(keys_are_found_in_both_formats),
		cmocka_unit_test(entries_are_followed_into_their_files),
		cmocka_unit_test(codenames_come_from_release_files),
		cmocka_unit_test(private_sources_name_everything_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
