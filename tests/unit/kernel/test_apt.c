// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/apt.h"

#include "archive.h"
#include "base/clock.h"
#include "kernel/cache.h"
#include "unit.h"

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

static void apt_sources_without_a_debian_archive_are_an_error(void **state UNUSED)
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

static void private_apt_sources_have_no_duplicates(void **state UNUSED)
{
	assert_script_says("private_apt_seen=; private_apt_add u bookworm /k/x.gpg; "
			   "private_apt_add u sid /k/x.gpg; private_apt_add u sid /k/x.gpg; "
			   "private_apt_add u bookworm /k/x.gpg",
			   "Types: deb\nURIs: u\nSuites: bookworm\nComponents: main\n"
			   "Signed-By: /k/x.gpg\n\n"
			   "Types: deb\nURIs: u\nSuites: sid\nComponents: main\n"
			   "Signed-By: /k/x.gpg\n\n");
}

static struct error *run(const char *script, const struct kernel_watch *watch, struct strbuf *out)
{
	const char *const argv[] = { "bash", "-c", script, NULL };

	return kernel_run(&(struct kernel_run){ .argv = argv, .what = "x", .total_bytes = 1000000 },
			  watch, out);
}

static void stdout_of_a_program_is_returned_and_stderr_is_not(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT, large = STRBUF_INIT;

	assert_success(run("echo one; echo no >&2; echo two", NULL, &out));
	assert_string_equal(strbuf_str(&out), "one\ntwo\n");
	assert_success(run("echo ignored", NULL, NULL));
	/* More than a pipe holds. */
	assert_success(run("seq 1 100000", NULL, &large));
	assert_int_equal(large.n, 588895);
}

static void assert_complains(const char *script, const char *says)
{
	struct error *err = run(script, NULL, NULL);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "kernel-apt");
	assert_contains(error_message(err), says);
	error_free(err);
}

static void a_failure_carries_the_reason(void **state UNUSED)
{
	assert_complains("echo 'W: small' >&2; echo 'E: large' >&2; echo after >&2; exit 100",
			 "exited with status 100: large");
	assert_complains("echo first >&2; echo last >&2; exit 2", "last");
	assert_complains("exit 3", "no reason given");
	assert_complains("kill -9 $$", "signal 9");
}

struct seen {
	uint64_t done[8];
	size_t n;
};

static void see(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct seen *seen = context;

	assert_string_equal(what, "x");
	assert_int_equal(total, 1000000);
	if (seen->n < ARRAY_SIZE(seen->done))
		seen->done[seen->n++] = done;
}

static void status_lines_become_progress(void **state UNUSED)
{
	struct seen seen = { 0 };
	struct kernel_watch watch = { .progress = see, .context = &seen };

	assert_success(run("printf 'dlstatus:1:12.3456:a\\nnoise\\ndlstat' >&3; sleep 0.1;"
			   "printf 'us:1:100.0:b\\n' >&3",
			   &watch, NULL));
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.done[0], 123400);
	assert_int_equal(seen.done[1], 1000000);
}

static void percentages_are_read_in_any_locale(void **state UNUSED)
{
	static const char *const wrong[] = {
		"",	      "pmstatus:x:1.0:y", "dlstatus:",
		"dlstatus:1", "dlstatus:1:x",	  "dlstatus:1:99999:x"
	};
	uint32_t value;

	assert_true(kernel_run_parse_status("dlstatus:1:7,5:x", &value));
	assert_int_equal(value, 750);
	assert_true(kernel_run_parse_status("dlstatus:3:0.0265:x", &value));
	assert_int_equal(value, 2);
	assert_true(kernel_run_parse_status("dlstatus:3:100:x", &value));
	assert_int_equal(value, 10000);
	assert_true(kernel_run_parse_status("dlstatus:3:999:x", &value));
	assert_int_equal(value, 10000);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(kernel_run_parse_status(wrong[i], &value));
}

static void cancelling_ends_the_child_and_its_helpers(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 200 * NS_PER_MS };
	struct kernel_watch watch = { .cancel = &cancel };

	assert_error_tag(run("sleep 1000 & sleep 1000", &watch, NULL), "cancelled");
}

static void a_background_child_does_not_delay_the_result(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_success(run("echo done; sleep 5 & exit 0", NULL, &out));
	assert_string_equal(strbuf_str(&out), "done\n");
}

static void a_program_that_is_not_there_is_an_error(void **state UNUSED)
{
	const char *const argv[] = { "ktstr-no-such-program", NULL };

	assert_error_tag(kernel_run(&(struct kernel_run){ .argv = argv }, NULL, NULL), "io");
}

static void copy_deb(const char *cache, const char *name, const struct kernel_unpack *unpack)
{
	_cleanup_free_ char *from = xasprintf("%s/archive/debs/%s.deb", cache, name);
	_cleanup_strbuf_ struct strbuf deb = STRBUF_INIT;

	assert_success(io_read_file(from, 1 << 20, &deb));
	free(sample_write(unpack->debs, "p.deb", &deb));
}

static void the_image_is_found_in_either_package_layout(void **state UNUSED)
{
	static const struct {
		const char *words, *package;
		bool with_config;
	} rows[] = {
		{ "9.9.3-amd64", "linux-image-9.9.3-amd64", true },
		{ "9.9.3-amd64:cut", "linux-binary-9.9.3-amd64", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *cache = sample_cache_begin();
		_cleanup_kernel_unpack_ struct kernel_unpack unpack = { 0 };
		_cleanup_kernel_ struct kernel *kernel = NULL;

		archive_image(cache, "9.9.3-amd64", 0);
		archive_begin(cache, rows[i].words);
		assert_success(kernel_unpack_begin(&unpack));
		copy_deb(cache, rows[i].package, &unpack);
		assert_success(kernel_unpack_install(&unpack,
						     &(struct kernel_parcel){
							     .label = "9.9.3-amd64",
							     .flavour = "generic",
							     .source = "p 1",
						     },
						     false, NULL, &kernel));
		assert_string_equal(kernel->id, "9.9.3-amd64");
		assert_int_equal(!!kernel->config_path, rows[i].with_config);
		/* A directory of that name without modules in it is none. */
		assert_int_equal(!!kernel->modules_dir, rows[i].with_config);
		sample_cache_end(cache);
	}
}

static void an_unusable_kernel_is_not_kept_if_usable_is_required(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_unpack_ struct kernel_unpack unpack = { 0 };
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct kernel *kernel = NULL;

	archive_image(cache, "9.9.3-amd64", 1);
	archive_begin(cache, "9.9.3-amd64");
	assert_success(kernel_unpack_begin(&unpack));
	copy_deb(cache, "linux-image-9.9.3-amd64", &unpack);
	assert_error_tag(kernel_unpack_install(&unpack,
					       &(struct kernel_parcel){
						       .label = "9.9.3-amd64",
						       .flavour = "generic",
						       .source = "p 1",
					       },
					       true, NULL, &kernel),
			 "kernel-no-sched-ext");
	assert_success(kernel_list_read(&list));
	assert_int_equal(list.n, 0);
	sample_cache_end(cache);
}

static void packages_without_an_image_are_refused(void **state UNUSED)
{
	char *cache = sample_cache_begin();
	_cleanup_kernel_unpack_ struct kernel_unpack unpack = { 0 };
	struct kernel_parcel known = { .label = "9.9.3-amd64", .source = "p 1" };
	struct kernel *kernel = NULL;

	archive_image(cache, "9.9.3-amd64", 0);
	archive_begin(cache, "9.9.3-amd64:cut");
	assert_success(kernel_unpack_begin(&unpack));
	copy_deb(cache, "linux-image-9.9.3-amd64", &unpack);
	assert_error_tag(kernel_unpack_install(&unpack, &known, false, NULL, &kernel),
			 "kernel-not-in-reach");
	free(sample_write_text(unpack.debs, "bad.deb", "no package"));
	assert_error_tag(kernel_unpack_install(&unpack, &known, false, NULL, &kernel),
			 "kernel-apt");
	sample_cache_end(cache);
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
		cmocka_unit_test(apt_sources_without_a_debian_archive_are_an_error),
		cmocka_unit_test(a_path_that_apt_cannot_take_is_refused),
		cmocka_unit_test(codenames_come_from_release_files),
		cmocka_unit_test(private_apt_sources_have_no_duplicates),
		cmocka_unit_test(stdout_of_a_program_is_returned_and_stderr_is_not),
		cmocka_unit_test(a_failure_carries_the_reason),
		cmocka_unit_test(status_lines_become_progress),
		cmocka_unit_test(percentages_are_read_in_any_locale),
		cmocka_unit_test(cancelling_ends_the_child_and_its_helpers),
		cmocka_unit_test(a_background_child_does_not_delay_the_result),
		cmocka_unit_test(a_program_that_is_not_there_is_an_error),
		cmocka_unit_test(the_image_is_found_in_either_package_layout),
		cmocka_unit_test(an_unusable_kernel_is_not_kept_if_usable_is_required),
		cmocka_unit_test(packages_without_an_image_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
