// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/apt.h"

#include "archive.h"

static char *read_below(const char *cache, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", cache, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(path, 1 << 20, &text));
	return strbuf_take(&text);
}

static void sources_are_the_systems_and_the_backports(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_apt_ struct kernel_apt apt = { 0 }, with_sid = { 0 };
	_cleanup_free_ char *sources = NULL, *more = NULL, *conf = NULL;

	archive_begin(cache, "");
	assert_success(kernel_apt_open(false, false, NULL, &apt));
	sources = read_below(cache, "kernel-apt/stable.sources");
	assert_null(strstr(sources, "elsewhere"));
	/* By codename: the probe of stable-backports said so. */
	assert_contains(sources, "Suites: next-backports\n");
	assert_null(strstr(sources, "stable-backports"));
	assert_contains(sources, "/archive/keys.gpg\n");
	assert_null(strstr(sources, "sid"));
	assert_success(kernel_apt_open(true, false, NULL, &with_sid));
	more = read_below(cache, "kernel-apt/with-sid.sources");
	assert_contains(more, "Suites: sid\n");
	/* All state is ours, and nothing turns signatures off. */
	conf = read_below(cache, "kernel-apt/stable.conf");
	assert_contains(conf, "Dir::State::lists \"/tmp/ktstr-test-kernel-");
	assert_contains(conf, "Dir::Etc::sourceparts \"-\"");
	assert_null(strcasestr(conf, "insecure"));
	assert_null(strcasestr(conf, "unauthenticated"));
	assert_null(strcasestr(sources, "trusted"));
	sample_cache_end(cache);
}

static size_t count_updates(const char *cache)
{
	_cleanup_free_ char *log = archive_log(cache);
	size_t n = 0;

	for (const char *at = log; (at = strstr(at, " update")) != NULL; at++)
		n++;
	return n;
}

static void lists_are_read_again_only_when_asked_or_old(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	size_t first;

	archive_begin(cache, "");
	for (int i = 0; i < 2; i++) {
		_cleanup_kernel_apt_ struct kernel_apt apt = { 0 };

		assert_success(kernel_apt_open(false, false, NULL, &apt));
		if (i == 0)
			first = count_updates(cache);
	}
	assert_true(first > 0);
	assert_int_equal(count_updates(cache), first);
	{
		_cleanup_kernel_apt_ struct kernel_apt apt = { 0 };

		assert_success(kernel_apt_open(false, true, NULL, &apt));
	}
	assert_true(count_updates(cache) > first);
	sample_cache_end(cache);
}

static char heard[512];

static void hear(void *context UNUSED, const char *line)
{
	snprintf(heard, sizeof(heard), "%s", line);
}

static void without_a_network_older_lists_will_do(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_apt_ struct kernel_apt first = { 0 }, second = { 0 }, third = { 0 };
	_cleanup_free_ char *archive = xasprintf("%s/archive", cache);
	struct kernel_watch watch = { .say = hear };

	archive_begin(cache, "");
	free(sample_write_text(archive, "offline", ""));
	assert_error_tag(kernel_apt_open(false, false, NULL, &first), "kernel-apt");
	{
		_cleanup_free_ char *offline = xasprintf("%s/offline", archive);

		assert_success(paths_remove(offline));
		assert_success(kernel_apt_open(false, false, NULL, &second));
		free(sample_write_text(archive, "offline", ""));
	}
	assert_success(kernel_apt_open(false, true, &watch, &third));
	assert_contains(heard, "no network");
	assert_contains(heard, "older lists");
	sample_cache_end(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_are_the_systems_and_the_backports),
		cmocka_unit_test(lists_are_read_again_only_when_asked_or_old),
		cmocka_unit_test(without_a_network_older_lists_will_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
