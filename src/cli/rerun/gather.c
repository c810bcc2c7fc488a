// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rerun/rerun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shell_word.h"
#include "base/suggest.h"
#include "cli/frame/commands.h"
#include "harness/job.h"
#include "kernel/kernel.h"
#include "vm/image/image.h"
#include "vm/qemu/qemu_binary.h"

static struct error *unfit(const char *what)
{
	return base_error(BASE_PARSE, 0, "the record cannot be rerun: %s", what);
}

/* Reports and ids carry the suite's name, so it must be one that this path can have. */
static bool is_end_of_path(const char *path, const char *suite)
{
	size_t n = strlen(path), n_suite = strlen(suite);

	if (!n_suite || n_suite > n || strcmp(path + n - n_suite, suite) != 0)
		return false;
	return n == n_suite || path[n - n_suite - 1] == '/';
}

struct error *rerun_check_record(const struct result_run *past)
{
	const char *path = past->rerun.binary.path;

	if (!path)
		return unfit("it does not say which binary contains the test");
	if (path[0] != '/')
		return unfit("the path of its binary is not absolute");
	if (!past->suite || !is_end_of_path(path, past->suite))
		return unfit("its suite is not named after its binary");
	if (past->rerun.test && strcmp(past->rerun.test, past->test) != 0)
		return unfit("it names two tests");
	if (!past->rerun.topology)
		return unfit("it does not say on which machine the test ran");
	if (!past->rerun.kernel_id)
		return unfit("it does not say with which kernel the test ran");
	return NULL;
}

static bool is_text(const char *wanted, const char *text)
{
	return wanted && text && strcmp(wanted, text) == 0;
}

static struct kernel *take_kernel(struct kernel_list *list, const char *id, const char *build_id)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct kernel *kernel = list->at[i].kernel;

		if (kernel && (!id || is_text(id, kernel->id)) &&
		    (!build_id || is_text(build_id, kernel->build_id)))
			return take_ptr(list->at[i].kernel);
	}
	return NULL;
}

static struct error *kernel_gone(const struct result_run *past)
{
	_cleanup_strbuf_ struct strbuf how = STRBUF_INIT;
	const char *source = past->kernel.source, *build_id = past->rerun.kernel_build_id;
	struct kernel_version version;

	if (source && source[0] == '/') {
		strbuf_append(&how, "run: ktstr kernel add ");
		shell_append_path(&how, source);
	} else if (kernel_version_parse(past->rerun.kernel_id, &version, NULL)) {
		strbuf_appendf(&how, "run 'ktstr kernel fetch %u.%u", version.major, version.minor);
		if (version.has_patch)
			strbuf_appendf(&how, ".%u", version.patch);
		strbuf_append_char(&how, '\'');
	} else {
		strbuf_append(&how, "see 'ktstr kernel list'");
	}
	return kernel_error(KERNEL_NOT_CACHED, 0, "missing: kernel %s (build-id %s): %s",
			    past->rerun.kernel_id, build_id ? build_id : "unknown",
			    strbuf_str(&how));
}

struct error *rerun_take_kernel(const struct result_run *past, struct kernel_list *list,
				struct kernel **ret)
{
	const char *id = past->rerun.kernel_id, *build_id = past->rerun.kernel_build_id;
	struct kernel *kernel = take_kernel(list, id, build_id);

	if (!kernel && build_id)
		kernel = take_kernel(list, NULL, build_id);
	if (!kernel)
		kernel = take_kernel(list, id, NULL);
	if (!kernel)
		return kernel_gone(past);
	*ret = kernel;
	return NULL;
}

struct error *rerun_keep_test(struct exchange_declared_suite *suite, const char *name)
{
	struct suggest near = { .wanted = name };
	struct exchange_declared_test kept = { 0 };
	bool found = false;

	for (size_t i = 0; i < suite->tests.n; i++) {
		struct exchange_declared_test *test = &suite->tests.at[i];

		if (strcmp(test->name, name) != 0) {
			suggest_offer(&near, test->name);
			continue;
		}
		kept = *test;
		*test = suite->tests.at[--suite->tests.n];
		found = true;
		break;
	}
	if (!found)
		return harness_error(HARNESS_PATTERN, 0,
				     "missing: %s no longer declares a test %s%s%s%s", suite->path,
				     name, near.names[0] ? "; is it now called '" : "",
				     near.names[0] ? near.names[0] : "", near.names[0] ? "'?" : "");
	for (size_t i = 0; i < suite->tests.n; i++)
		exchange_declared_test_deinit(&suite->tests.at[i]);
	suite->tests.at[0] = kept;
	suite->tests.n = 1;
	return NULL;
}

/* Where the record says, else under its name in a directory of --files; NULL: nowhere. */
static char *find_binary(const struct test_config *config, const char *path)
{
	if (access(path, F_OK) == 0)
		return xstrdup(path);
	for (size_t i = 0; i < config->dirs.n; i++) {
		_cleanup_free_ char *other = xasprintf("%s/%s", config->dirs.at[i],
						       exchange_declared_base_name(path));
		char *real = realpath(other, NULL);

		if (real)
			return real;
	}
	return NULL;
}

static struct error *list_suite(const struct test_config *config, const struct result_run *past,
				const struct cancel *cancel, struct harness_session *g)
{
	struct exchange_declared_suite *suite;
	_cleanup_free_ char *path = find_binary(config, past->rerun.binary.path);
	struct error *err;

	if (!path)
		return harness_error(HARNESS_NOT_TESTS, ENOENT,
				     "missing: the test binary; build it again, put it back, or "
				     "give its directory with --files: %s",
				     past->rerun.binary.path);
	err = harness_session_list(g, path, cancel, NULL);
	if (err)
		return err;
	suite = &g->suites.at[0];
	/* As it was called then: beside another binary of its name it has more of its path. */
	free(suite->name);
	suite->name = xstrdup(past->suite);
	return rerun_keep_test(suite, past->test);
}

static struct error *find_kernel(const struct result_run *past, struct harness_session *g)
{
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct kernel *kernel = NULL;
	struct error *err = kernel_list_read(&list);

	if (!err)
		err = rerun_take_kernel(past, &list, &kernel);
	if (!err)
		vec_push(&g->kernels, kernel);
	return err;
}

/* The mistakes say where was looked; before them, what was there once. */
static struct error *say_gone(struct error *mistakes_, const struct strbuf *gone)
{
	_cleanup_error_ struct error *mistakes = mistakes_;
	const char *text = error_message(mistakes);
	size_t n = strcspn(text, "\n");

	return harness_error(HARNESS_MISTAKES, 0, "files that the test needs are missing\n%s%s",
			     strbuf_str(gone), text[n] ? text + n + 1 : "");
}

static struct error *find_files(const struct test_config *config, const struct result_run *past,
				struct harness_session *g)
{
	size_t n = past->rerun.files.n;
	_cleanup_free_ struct harness_known_place *places = xcalloc(n + 1, sizeof(*places));
	_cleanup_strbuf_ struct strbuf gone = STRBUF_INIT;
	struct error *err;

	for (size_t i = 0; i < n; i++) {
		const struct result_file *file = &past->rerun.files.at[i];

		places[i] = (struct harness_known_place){ file->name ? file->name : "",
							  file->path };
		if (access(file->path, F_OK) < 0)
			strbuf_appendf(&gone,
				       "missing: %s; put it back, or give its directory with "
				       "--files\n",
				       file->path);
	}
	g->finder.places = places;
	g->finder.n_places = n;
	err = harness_session_find_files(g, config->dirs.at, config->dirs.n);
	/* All is found; what the finder borrowed is ours and goes. */
	g->finder.places = NULL;
	g->finder.n_places = g->finder.n_dirs = 0;
	if (!gone.n || !error_is(err, &harness_error_domain, HARNESS_MISTAKES))
		return err;
	return say_gone(err, &gone);
}

static bool is_speed(unsigned int mips, unsigned int cpus, double total_mips)
{
	struct vm_speed speed = { 0 };
	_cleanup_error_ struct error *err = vm_speed_choose(mips, cpus, &speed);

	/* Speeds are apart by a factor of two. */
	return !err && speed.total_mips > total_mips * 0.99 && speed.total_mips < total_mips * 1.01;
}

struct error *rerun_read_clock(const struct result_run *past, struct harness_plan_clock *ret)
{
	/* Below and above what a CPU had; 0 is the default for so many. */
	unsigned int mips[] = { 0, 0, 1 };
	struct topo topology;
	struct error *err;

	*ret = (struct harness_plan_clock){ .kind = VM_CLOCK_REAL };
	if (past->clock.kind != RESULT_CLOCK_VIRTUAL)
		return NULL;
	if (!past->has_seed)
		return unfit("it has a virtual clock and no seed");
	if (!past->has_speed || !(past->cpu_mips > 0 && past->cpu_mips <= 1000))
		return unfit("it has a virtual clock and no speed");
	err = topo_parse_or_preset(past->rerun.topology, &topology);
	if (err)
		return err;
	mips[1] = (unsigned int)past->cpu_mips;
	mips[2] = mips[1] + 1;
	for (size_t i = 0; i < ARRAY_SIZE(mips); i++)
		if (is_speed(mips[i], topo_cpus(&topology), past->total_mips)) {
			*ret = (struct harness_plan_clock){
				.kind = VM_CLOCK_VIRTUAL,
				.mips = mips[i],
				.first_seed = past->clock.seed,
				.last_seed = past->clock.seed,
			};
			return NULL;
		}
	return unfit("no machine of its topology has its speed");
}

/* NULL: no busybox, which the run will tell. */
static const char *hash_tools(char ret[HARNESS_VARIANT_ID_CHARS + 1])
{
	uint64_t hash;
	_cleanup_error_ struct error *err = vm_initramfs_hash_tools(NULL, &hash);

	if (err)
		return NULL;
	harness_format_hash(hash, ret);
	return ret;
}

static struct error *compare(const struct rerun_config *config, const struct result_run *past,
			     const struct harness_session *g, bool *ret_changed)
{
	_cleanup_vm_qemu_binary_ struct vm_qemu_binary *qemu = NULL;
	_cleanup_error_ struct error *no_qemu = vm_qemu_binary_find(&qemu);
	char ktstr_hash[HARNESS_VARIANT_ID_CHARS + 1], tools_hash[HARNESS_VARIANT_ID_CHARS + 1];
	const struct changes_tools tools = {
		.qemu_version = no_qemu ? NULL : qemu->version.text,
		.ktstr_hash = harness_ktstr_hash(ktstr_hash),
		.tools_hash = past->tools_hash ? hash_tools(tools_hash) : NULL,
	};
	const struct harness_variant *variant = &g->plan.variants.at[0];
	const struct harness_test_files *files = harness_session_files_of(g, variant->test);
	_cleanup_changes_ struct changes changes = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	changes_find(past, variant, files, &tools, &changes);
	*ret_changed = changes.n_counted || changes.other_variant;
	changes_format(&changes, past, variant, &text);
	if (!config->test.quiet || *ret_changed)
		fputs(strbuf_str(&text), stderr);
	if (config->exact && *ret_changed)
		return cli_error(CLI_USAGE, 0, "--exact: something has changed; nothing was run");
	return NULL;
}

/* Both at once, so that a fetched kernel is not followed by an error about the binary. */
static struct error *join_gone(struct error *one_, struct error *other_)
{
	_cleanup_error_ struct error *one = one_, *other = other_;

	if (!one || !other)
		return one ? take_ptr(one) : take_ptr(other);
	return harness_error(HARNESS_MISTAKES, 0, "%s\n%s", error_message(one),
			     error_message(other));
}

struct error *rerun_gather(const struct rerun_config *config, const struct result_run *past,
			   const struct cancel *cancel, bool *ret_changed,
			   struct harness_session *ret)
{
	struct test_config test = config->test;
	struct harness_plan_clock clock;
	struct error *err = rerun_check_record(past);

	if (!err)
		err = rerun_read_clock(past, &clock);
	if (!err)
		err = cli_check_directories("--files", &config->test.dirs);
	/* The machine that was booted, which need not be the test's own. */
	test.topologies = (struct cli_strings){ .n = 1, .at = { past->rerun.topology } };
	if (!err)
		err = join_gone(list_suite(&test, past, cancel, ret), find_kernel(past, ret));
	if (!err)
		err = test_plan(&test, &clock, test.repeat, ret);
	if (!err)
		err = find_files(&test, past, ret);
	return err ? err : compare(config, past, ret, ret_changed);
}
