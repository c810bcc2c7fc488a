// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/apt.h"

#include "archive.h"

extern const char ktstr_private_apt_start[];

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
	assert_contains(heard, "older package lists");
	sample_cache_end(cache);
}

/* What a command prints after private_apt.sh was read; the caller frees it. */
static char *ask_script(const char *command)
{
	_cleanup_free_ char *script = xasprintf("set -eu\n%s\n%s\n", ktstr_private_apt_start,
						command);
	const char *const argv[] = { "sh", "-c", script, NULL };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_success(kernel_run(&(struct kernel_run){ .argv = argv }, NULL, &out));
	strbuf_append(&out, "");
	return strbuf_take(&out);
}

static void assert_script_says(const char *command, const char *expected)
{
	_cleanup_free_ char *said = ask_script(command);

	assert_string_equal(said, expected);
}

static void the_next_release_follows_from_the_suite(void **state UNUSED)
{
	assert_script_says("private_apt_next oldoldstable", "oldstable\n");
	assert_script_says("private_apt_next oldstable", "stable\n");
	assert_script_says("private_apt_next stable", "testing\n");
	assert_script_says("private_apt_next testing", "");
	assert_script_says("private_apt_next unstable", "");
}

/* Whatever file of keys Debian's package brought stands for an entry that names none. */
static void assert_keys(const char *path, int line, const char *expected)
{
	_cleanup_free_ char *command = xasprintf("private_apt_keys %s:%d", path, line);
	_cleanup_free_ char *said = ask_script(command);

	if (expected)
		assert_string_equal(said, expected);
	else
		assert_null(strstr(said, "/k/"));
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
	char *cache = sample_cache_begin();
	_cleanup_free_ char *a = sample_write_text(cache, "a.list", list);
	_cleanup_free_ char *b = sample_write_text(cache, "b.sources", sources);
	_cleanup_free_ char *empty = sample_write_text(cache, "c.sources", "");

	assert_keys(a, 1, NULL);
	assert_keys(a, 2, "/k/one.gpg\n");
	assert_keys(a, 3, "/k/two.gpg\n");
	assert_keys(a, 4, NULL);
	assert_keys(a, 99, NULL);
	assert_keys(b, 1, "/k/first.gpg\n");
	assert_keys(b, 5, "/k/second.gpg\n");
	assert_keys(b, 8, NULL);
	assert_keys(empty, 1, NULL);
	assert_keys("/nonexistent.sources", 1, NULL);
	sample_cache_end(cache);
}

#define MIRROR		  "http://archive.invalid/debian/"
#define LINE(suite, name) MIRROR " " name " " suite " /nowhere.sources:1 Debian\n"

/* The stanzas made of these targets, without the lines about keys. */
static char *stanzas_of(const char *cache, const char *targets)
{
	_cleanup_free_ char *path = sample_write_text(cache, "targets", targets);
	_cleanup_free_ char *command = xasprintf(
		"private_apt_debian bookworm <%s | sed '/^Signed-By/d'", path);

	return ask_script(command);
}

static void debian_suites_are_kept_and_others_are_not(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *stanzas = stanzas_of(
		cache,
		"https://other.invalid/ bookworm stable /x:1 Somebody\n" LINE(
			"oldstable", "bookworm") LINE("oldstable", "bookworm")
			LINE("oldstable-updates",
			     "bookworm-updates") "http://archive.invalid/sec/ bookworm-security oldstable-security "
						 "/x:7 Debian\n"
						 "http://unread.invalid/ $(CODENAME) $(SUITE) /x:9 $(ORIGIN)\n"
						 /* What could end a quoted value of apt's
						    configuration is not taken. */
						 "http://x\".invalid/ bookworm stable /x:1 Debian\n");

	assert_string_equal(stanzas,
			    "Types: deb\nURIs: " MIRROR "\nSuites: bookworm\nComponents: main\n\n"
			    "Types: deb\nURIs: " MIRROR "\nSuites: bookworm-updates\n"
			    "Components: main\n\n"
			    "Types: deb\nURIs: http://archive.invalid/sec/\n"
			    "Suites: bookworm-security\nComponents: main\n\n");
	sample_cache_end(cache);
}

static void open_with_targets(const char *cache, const char *targets, const char *expected)
{
	_cleanup_free_ char *archive = xasprintf("%s/archive", cache);
	_cleanup_kernel_apt_ struct kernel_apt apt = { 0 };
	struct error *err;

	free(sample_write_text(archive, "targets", targets));
	err = kernel_apt_open(false, true, NULL, &apt);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "kernel-apt");
	assert_contains(error_message(err), expected);
	error_free(err);
}

static void no_debian_archive_is_said(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_free_ char *fresh = xasprintf("%s/kernel-apt/stable.fresh", cache);

	archive_begin(cache, "");
	open_with_targets(cache, "", "no source of the system's apt is a Debian archive");
	open_with_targets(cache, "\n \nhalf a line\n" LINE("stable", "elsewhere"),
			  "no source of the system's apt");
	open_with_targets(cache, "http://x.invalid/ $(CODENAME) stable /x:1 Debian\n",
			  "no source of the system's apt");
	assert_int_not_equal(access(fresh, F_OK), 0);
	sample_cache_end(cache);
}

static void a_path_that_apt_cannot_take_is_refused(void **state UNUSED)
{
	_cleanup_free_ char *script = xasprintf("%s\nprivate_apt_conf '/tmp/a\";b' x\n",
						ktstr_private_apt_start);
	const char *const refused[] = { "sh", "-c", script, NULL };
	struct error *err = kernel_run(&(struct kernel_run){ .argv = refused }, NULL, NULL);

	assert_non_null(err);
	assert_contains(error_message(err), "has characters that apt cannot take");
	error_free(err);
}

/* The backports of a release whose file names no suite that could be one keep their own name. */
static void codenames_come_from_release_files(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "-----BEGIN\nOrigin: x\nCodename: trixie-backports\nDate: y\n",
		  "Suites: trixie-backports\n" },
		{ "Suite: x\n", "Suites: stable-backports\n" },
		{ "Codename: ../../x\n", "Suites: stable-backports\n" },
		{ "Codename: \n", "Suites: stable-backports\n" },
	};
	char *cache = sample_cache_begin();
	_cleanup_free_ char *dists = xasprintf("%s/archive/mirror/dists/stable-backports", cache);
	_cleanup_free_ char *probe = xasprintf("%s/kernel-apt/probe", cache);

	archive_begin(cache, "");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_kernel_apt_ struct kernel_apt apt = { 0 };
		_cleanup_free_ char *sources = NULL;

		free(sample_write_text(dists, "InRelease", rows[i][0]));
		assert_success(kernel_apt_open(false, true, NULL, &apt));
		sources = read_below(cache, "kernel-apt/stable.sources");
		assert_contains(sources, rows[i][1]);
		assert_int_not_equal(access(probe, F_OK), 0);
	}
	sample_cache_end(cache);
}

static void private_sources_name_everything_once(void **state UNUSED)
{
	assert_script_says("private_apt_seen=; private_apt_add u bookworm /k/x.gpg; "
			   "private_apt_add u sid /k/x.gpg; private_apt_add u sid /k/x.gpg; "
			   "private_apt_add u bookworm /k/x.gpg",
			   "Types: deb\nURIs: u\nSuites: bookworm\nComponents: main\n"
			   "Signed-By: /k/x.gpg\n\n"
			   "Types: deb\nURIs: u\nSuites: sid\nComponents: main\n"
			   "Signed-By: /k/x.gpg\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_are_the_systems_and_the_backports),
		cmocka_unit_test(lists_are_read_again_only_when_asked_or_old),
		cmocka_unit_test(without_a_network_older_lists_will_do),
		cmocka_unit_test(the_next_release_follows_from_the_suite),
		cmocka_unit_test(keys_are_found_in_both_formats),
		cmocka_unit_test(debian_suites_are_kept_and_others_are_not),
		cmocka_unit_test(no_debian_archive_is_said),
		cmocka_unit_test(a_path_that_apt_cannot_take_is_refused),
		cmocka_unit_test(codenames_come_from_release_files),
		cmocka_unit_test(private_sources_name_everything_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
