// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/fetch.h"

#include "base/strbuf.h"
#include "unit.h"

static void stanza(struct strbuf *s, const char *name, const char *version)
{
	strbuf_appendf(s,
		       "Package: %s\nSource: linux\nVersion: %s\nInstalled-Size: 9\n"
		       "Depends: kmod, linux-base-x (= 1)\nDescription: a kernel\n Version: no\n"
		       "Filename: pool/x.deb\nSize: 4711\n\n",
		       name, version);
}

static void stanzas_become_packages(void **state UNUSED)
{
	_cleanup_kernel_packages_ struct kernel_packages packages = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	stanza(&text, "linux-image-6.18.9+deb13-amd64", "6.18.9-1~bpo13+1");
	stanza(&text, "-o=Evil::Option", "1");
	stanza(&text, "no version", "");
	strbuf_append(&text, "\n\nPackage: last\nVersion: 1");
	assert_success(kernel_packages_parse(strbuf_str(&text), text.n, &packages));
	assert_int_equal(packages.n, 2);
	assert_string_equal(packages.at[0].name, "linux-image-6.18.9+deb13-amd64");
	assert_string_equal(packages.at[0].version, "6.18.9-1~bpo13+1");
	assert_string_equal(packages.at[0].depends, "kmod, linux-base-x (= 1)");
	assert_int_equal(packages.at[0].bytes, 4711);
	assert_string_equal(packages.at[1].name, "last");
	assert_string_equal(packages.at[1].depends, "");
}

static void the_newest_of_a_name_is_found(void **state UNUSED)
{
	_cleanup_kernel_packages_ struct kernel_packages packages = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	stanza(&text, "a", "6.1.99-1");
	stanza(&text, "a", "6.1.159-1");
	stanza(&text, "a", "6.1.147-1");
	assert_success(kernel_packages_parse(strbuf_str(&text), text.n, &packages));
	assert_string_equal(kernel_packages_find(&packages, "a")->version, "6.1.159-1");
	assert_null(kernel_packages_find(&packages, "b"));
}

static void release_and_flavour_are_read_from_the_package_name(void **state UNUSED)
{
	static const struct {
		const char *name, *release;
		enum kernel_flavour flavour;
	} rows[] = {
		{ "linux-image-6.18.15+deb13-cloud-amd64", "6.18.15+deb13-cloud-amd64",
		  KERNEL_FLAVOUR_CLOUD },
		{ "linux-image-6.18.15+deb13-amd64", "6.18.15+deb13-amd64",
		  KERNEL_FLAVOUR_GENERIC },
		{ "linux-image-7.2.13+deb14-rt-amd64", "7.2.13+deb14-rt-amd64", KERNEL_FLAVOUR_RT },
		{ "linux-image-6.1.0-50-cloud-amd64-unsigned", "6.1.0-50-cloud-amd64",
		  KERNEL_FLAVOUR_CLOUD },
	};
	static const char *const others[] = {
		"linux-image-amd64",	     "linux-image-cloud-amd64",
		"linux-image-6.12-amd64",    "linux-image-6.18.15+deb13-amd64-dbg",
		"linux-image-6.1.0-50-686",  "linux-headers-6.18.15+deb13-amd64",
		"linux-image-6.1.0/x-amd64", "linux-image-",
	};
	enum kernel_flavour flavour;
	char *none = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *release = NULL;

		assert_true(kernel_release_of_package(rows[i].name, &release, &flavour));
		assert_string_equal(release, rows[i].release);
		assert_int_equal(flavour, rows[i].flavour);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(kernel_release_of_package(others[i], &none, &flavour));
	assert_null(none);
}

static void candidates_are_sorted_without_duplicates(void **state UNUSED)
{
	static const char *const expected[] = { "7.0.4-cloud-amd64", "6.18.15-cloud-amd64",
						"6.18.9-cloud-amd64", "6.1.0-50-cloud-amd64" };
	_cleanup_kernel_candidates_ struct kernel_candidates candidates = { 0 };
	_cleanup_kernel_packages_ struct kernel_packages packages = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	stanza(&text, "linux-image-6.18.9-cloud-amd64", "6.18.9-1");
	stanza(&text, "linux-image-6.18.15-cloud-amd64-unsigned", "6.18.15-1");
	stanza(&text, "linux-image-6.18.15-cloud-amd64", "6.18.15-1");
	stanza(&text, "linux-image-6.1.0-50-cloud-amd64", "6.1.147-1");
	stanza(&text, "linux-image-6.1.0-50-cloud-amd64", "6.1.159-1");
	stanza(&text, "linux-image-7.0.4-cloud-amd64", "7.0.4-1");
	stanza(&text, "linux-image-9.0.4-amd64", "9.0.4-1");
	stanza(&text, "linux-image-cloud-amd64", "9.0.4-1");
	assert_success(kernel_packages_parse(strbuf_str(&text), text.n, &packages));
	kernel_candidates_from(&packages, KERNEL_FLAVOUR_CLOUD, &candidates);
	assert_int_equal(candidates.n, ARRAY_SIZE(expected));
	for (size_t i = 0; i < candidates.n; i++)
		assert_string_equal(candidates.at[i].release, expected[i]);
	/* The signed one, and the patch level that only the package's version tells. */
	assert_string_equal(candidates.at[1].package->name, "linux-image-6.18.15-cloud-amd64");
	assert_int_equal(candidates.at[3].version.patch, 159);
}

static void collect(void *context, const char *name)
{
	strbuf_appendf(context, "%s;", name);
}

static void packages_of_a_release_are_found_in_its_dependencies(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	kernel_depends_of_release(
		"dracut | initramfs-tools (>= 0.120+deb8u2) | linux-initramfs-tool, kmod, "
		"linux-base-7.0.1+x (= 7.0.1-1), linux-binary-7.0.1+x:any (= 7.0.1-1) | "
		"linux-binary-unsigned-7.0.1+x, linux-base-7.0.2+x",
		"7.0.1+x", collect, &names);
	assert_string_equal(
		strbuf_str(&names),
		"linux-base-7.0.1+x;linux-binary-7.0.1+x;linux-binary-unsigned-7.0.1+x;");
	strbuf_clear(&names);
	kernel_depends_of_release("", "7.0.1+x", collect, &names);
	kernel_depends_of_release(",,|(", "7.0.1+x", collect, &names);
	assert_int_equal(names.n, 0);
}

static void every_flavour_has_a_name(void **state UNUSED)
{
	assert_string_equal(kernel_flavour_name(KERNEL_FLAVOUR_CLOUD), "cloud");
	assert_string_equal(kernel_flavour_name(KERNEL_FLAVOUR_GENERIC), "generic");
	assert_string_equal(kernel_flavour_name(KERNEL_FLAVOUR_RT), "rt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stanzas_become_packages),
		cmocka_unit_test(the_newest_of_a_name_is_found),
		cmocka_unit_test(release_and_flavour_are_read_from_the_package_name),
		cmocka_unit_test(candidates_are_sorted_without_duplicates),
		cmocka_unit_test(packages_of_a_release_are_found_in_its_dependencies),
		cmocka_unit_test(every_flavour_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
