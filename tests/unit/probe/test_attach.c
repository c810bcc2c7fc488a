// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/probe.h"

#include "hostile_elf.h"
#include "jemalloc_target.h"
#include "probe/objects.h"
#include "staged_proc.h"
#include "target.h"

static void assert_attach_fails(const char *proc_root, pid_t pid, const char *tag, const char *says)
{
	struct probe_options options = { .proc_root = proc_root };
	struct probe *probe = NULL;
	_cleanup_error_ struct error *err = probe_attach(pid, &options, &probe);

	assert_non_null(err);
	assert_string_equal(error_tag(err), tag);
	assert_ptr_equal(error_domain_of(err), &probe_attach_error_domain);
	assert_contains(error_message(err), says);
	assert_null(probe);
}

static void evidence_and_method_names_are_the_wire_words(void **state UNUSED)
{
	assert_string_equal(probe_evidence_name(PROBE_EVIDENCE_DWARF), "dwarf");
	assert_string_equal(probe_evidence_name(PROBE_EVIDENCE_LAYOUT_TABLE), "layout-table");
	assert_string_equal(probe_method_name(PROBE_METHOD_GLIBC), "glibc-thread-list");
	assert_string_equal(probe_method_name(PROBE_METHOD_PTRACE), "ptrace");
}

static void processes_that_are_not_there_are_missing(void **state UNUSED)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	assert_attach_fails(NULL, child, "pid-missing", "");
	assert_attach_fails(NULL, 0, "pid-missing", "");
	assert_attach_fails(NULL, -5, "pid-missing", "");
	assert_attach_fails(NULL, INT32_MAX, "pid-missing", "");
}

static void a_zombie_has_no_executable(void **state UNUSED)
{
	siginfo_t info;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_attach_fails(NULL, child, "readlink-failure", "exe");
	waitpid(child, NULL, 0);
}

static void attaching_to_a_program_without_jemalloc_fails(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");

	assert_attach_fails(NULL, target.pid, "jemalloc-not-found", "mallctl");
	target_end(&target);
}

static void attaching_to_a_staged_program_without_jemalloc_fails(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	_cleanup_free_ char *maps = xasprintf(
		"5583e6f7a000-5583e6f7b000 r-xp 00000000 fe:00 1 %s\n",
		target_path("KTSTR_TARGET"));

	staged_link(&staged, "exe", target_path("KTSTR_TARGET"));
	staged_text(&staged, "maps", maps);
	assert_attach_fails(staged.root, STAGED_PID, "jemalloc-not-found", "probe-target");
	staged_proc_remove(&staged);
}

/* Neither is absence of jemalloc. */
static void objects_past_the_work_limit_are_named(void **state UNUSED)
{
	_cleanup_free_ char *path = hostile_symbols(target_path("KTSTR_TLS_LIBRARY"));
	struct staged_proc staged = staged_proc_make();
	struct target target = target_with_library(path);

	assert_attach_fails(NULL, target.pid, "dwarf-parse-failure", path);
	target_end(&target);
	staged_link(&staged, "exe", path);
	staged_text(&staged, "maps", "");
	assert_attach_fails(staged.root, STAGED_PID, "dwarf-parse-failure", "names");
	staged_proc_remove(&staged);
	unlink(path);
}

static void errors_of_reading_the_objects_are_returned(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();

	assert_attach_fails(staged.root, STAGED_PID, "readlink-failure", "exe");
	staged_link(&staged, "exe", "/proc/self/exe");
	assert_attach_fails(staged.root, STAGED_PID, "maps-read-failure", "maps");
	staged_proc_remove(&staged);
}

/* The library is there, but nothing says where its thread-local storage is. */
static void a_library_out_of_reach_is_named(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	const char *library = jemalloc_library("default/lib/libjemalloc.so.2");
	_cleanup_free_ char *maps = NULL;

	if (!library)
		staged_proc_remove(&staged);
	skip_unless(library, "needs the jemalloc that set-up builds");
	maps = xasprintf("7f0000000000-7f0000001000 r-xp 00000000 fe:00 1 %s\n", library);
	staged_link(&staged, "exe", target_path("KTSTR_TARGET"));
	staged_link(&staged, "root", "/");
	staged_text(&staged, "maps", maps);
	assert_attach_fails(staged.root, STAGED_PID, "jemalloc-in-dso", library);
	staged_proc_remove(&staged);
}

static void assert_cancelled(const struct target *target, const struct cancel *cancel)
{
	struct probe_options options = { .cancel = cancel };
	struct probe *probe = NULL;
	_cleanup_error_ struct error *err = probe_attach(target->pid, &options, &probe);

	assert_true(error_is(err, &base_error_domain, BASE_CANCELLED));
	assert_null(probe);
}

static void a_cancelled_attach_says_so(void **state UNUSED)
{
	struct cancel requested = { 0 }, late = { .deadline_ns = 1 };
	struct target target;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	cancel_request(&requested);
	assert_cancelled(&target, &requested);
	assert_cancelled(&target, &late);
	target_end(&target);
}

/* Attaches, looks once, and compares with what two threads say themselves. */
static void assert_counters_of(struct target *target, const char *path,
			       enum probe_evidence evidence)
{
	struct target_thread one = target_new_thread(target);
	struct target_counters mine = target_counters_of(target_ask(target, "on 1 alloc 123456"));
	struct target_counters mains;
	struct probe_snapshot snapshot;
	struct probe *probe = attach_to(target, PROBE_STOP_IF_NEEDED);

	assert_int_equal(probe_facts(probe).evidence, evidence);
	assert_string_equal(probe_facts(probe).object_path, path);
	mains = target_counters_of(target_ask(target, "on 0 count"));
	assert_success(probe_take_snapshot(probe, &snapshot));
	assert_int_equal(snapshot.n_threads, 2);
	assert_thread(&snapshot, target->pid, mains);
	assert_thread(&snapshot, one.tid, mine);
	assert_true(mine.allocated >= 123456);
	probe_snapshot_deinit(&snapshot);
	probe_free(probe);
}

static void debug_information_of_the_program_is_evidence(void **state UNUSED)
{
	struct target target;

	skip_without_jemalloc();
	target = target_start("KTSTR_JEMALLOC_TARGET");
	assert_counters_of(&target, target_path("KTSTR_JEMALLOC_TARGET"), PROBE_EVIDENCE_DWARF);
	target_end(&target);
}

static void debug_information_of_a_library_is_evidence(void **state UNUSED)
{
	const char *library = jemalloc_library("default/lib/libjemalloc.so.2");
	struct target target;

	skip_unless(library, "needs the jemalloc that set-up builds");
	target = target_with_library(library);
	assert_counters_of(&target, library, PROBE_EVIDENCE_DWARF);
	target_end(&target);
}

static void a_stripped_library_is_known_by_the_table(void **state UNUSED)
{
	const char *library = jemalloc_library("debian/usr/lib/*/libjemalloc.so.2");
	struct target target;

	skip_unless(library, "needs the library that set-up unpacks");
	target = target_with_library(library);
	assert_counters_of(&target, library, PROBE_EVIDENCE_LAYOUT_TABLE);
	target_end(&target);
}

/* In a static program the variable lies elsewhere in the segment: the row moves with it. */
static void a_program_without_debug_information_is_known_by_the_table(void **state UNUSED)
{
	_cleanup_free_ char *path = NULL;
	struct target target;

	skip_without_jemalloc();
	path = stripped_copy("--strip-debug");
	target = target_start_as(path, NULL);
	assert_counters_of(&target, path, PROBE_EVIDENCE_LAYOUT_TABLE);
	target_end(&target);
	unlink(path);
}

/* No symbols at all and storage of its own: the initial values tell the place, its threads prove
 * it.
 */
static void a_program_stripped_of_everything_is_known_by_the_table(void **state UNUSED)
{
	_cleanup_free_ char *path = NULL;
	struct target target;

	skip_without_jemalloc();
	path = stripped_copy("--strip-all");
	target = target_start_as(path, NULL);
	assert_counters_of(&target, path, PROBE_EVIDENCE_LAYOUT_TABLE);
	target_end(&target);
	unlink(path);
}

/* Knows what it was told, and counts how often it was asked. */
struct telling_source {
	struct probe_object_source source;
	struct probe_object_facts *facts[64];
	char *paths[64];
	struct probe_counter_offsets offsets;
	int n, n_counters, denied;
};

static const struct probe_object_facts *tell_facts(const struct probe_object_source *source,
						   const struct probe_objects *objects UNUSED,
						   const struct probe_object *object,
						   struct error **ret_error)
{
	struct telling_source *told = (struct telling_source *)source;

	for (int i = 0; i < told->n && !told->denied; i++)
		if (strcmp(told->paths[i], object->path) == 0)
			return told->facts[i];
	*ret_error = base_error(BASE_IO, told->denied, "open %s", object->path);
	return NULL;
}

static struct error *tell_counters(const struct probe_object_source *source,
				   const struct probe_objects *objects UNUSED,
				   const struct probe_object *object UNUSED,
				   struct probe_counter_offsets *ret)
{
	struct telling_source *told = (struct telling_source *)source;

	told->n_counters++;
	*ret = told->offsets;
	return NULL;
}

/* Learns from the files of a target, as another process might. */
static void learn(struct telling_source *told, pid_t pid)
{
	struct probe_objects objects;

	assert_success(probe_objects_read("/proc", pid, NULL, NULL, &objects));
	for (size_t i = 0; i < objects.rows.n && i < 64; i++) {
		struct probe_object *object = &objects.rows.at[i];

		if (!probe_object_facts(&objects, object))
			continue;
		if (object->facts->is_jemalloc)
			assert_success(probe_object_counters(&objects, object, NULL, &told->offsets,
							     NULL));
		told->paths[told->n] = xstrdup(object->path);
		told->facts[told->n] = xnew(struct probe_object_facts);
		*told->facts[told->n] = *object->facts;
		probe_object_facts_complete(object->image, told->facts[told->n++]);
	}
	probe_objects_deinit(&objects);
}

static void forget(struct telling_source *told)
{
	for (int i = 0; i < told->n; i++) {
		free(told->paths[i]);
		free(told->facts[i]);
	}
}

static void a_given_source_of_facts_replaces_reading_the_files(void **state UNUSED)
{
	const char *library = jemalloc_library("default/lib/libjemalloc.so.2");
	struct telling_source told = { .source = { tell_facts, tell_counters } };
	struct probe_options options = { .stop = PROBE_STOP_NEVER, .source = &told.source };
	struct target_counters mains;
	struct probe_snapshot snapshot;
	struct probe *probe = NULL;
	struct target target;

	skip_unless(library, "needs the jemalloc that set-up builds");
	target = target_with_library(library);
	learn(&told, target.pid);
	assert_success(probe_attach(target.pid, &options, &probe));
	assert_int_equal(told.n_counters, 1);
	assert_string_equal(probe_facts(probe).object_path, library);
	mains = target_counters_of(target_ask(&target, "on 0 count"));
	assert_success(probe_take_snapshot(probe, &snapshot));
	assert_thread(&snapshot, target.pid, mains);
	assert_int_equal(probe_facts(probe).stopped_threads, 0);
	probe_snapshot_deinit(&snapshot);
	probe_free(probe);
	/* What it does not know is not looked for elsewhere. */
	for (int i = 0; i < told.n; i++)
		told.facts[i]->is_jemalloc = false;
	assert_error_tag(probe_attach(target.pid, &options, &probe), "jemalloc-not-found");
	told.denied = EACCES;
	assert_error_tag(probe_attach(target.pid, &options, &probe), "readlink-failure");
	forget(&told);
	target_end(&target);
}

static void not_found_keeps_the_errno_of_a_denied_object(void **state UNUSED)
{
	struct probe_objects objects = { 0 };

	vec_push(&objects.rows, (struct probe_object){ .path = xstrdup("/a") });
	vec_push(&objects.rows, (struct probe_object){ .path = xstrdup("/b") });
	assert_int_equal(probe_objects_denied(&objects), 0);
	objects.rows.at[0].error = base_error(BASE_IO, ENOENT, "a");
	assert_int_equal(probe_objects_denied(&objects), 0);
	objects.rows.at[1].error = base_error(BASE_IO, EACCES, "b");
	assert_int_equal(probe_objects_denied(&objects), EACCES);
	probe_objects_deinit(&objects);
}

static void freeing_nothing_does_not_crash(void **state UNUSED)
{
	probe_free(NULL);
}

/* The tags are wire words: other programs compare them byte by byte. */
static void assert_tags(const struct error_domain *domain, const char *const *tags, size_t n)
{
	assert_int_equal(domain->n_kinds, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(domain->kinds[i].tag, tags[i]);
		assert_true(strlen(domain->kinds[i].meaning) > 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(tags[k], tags[i]);
	}
}

static void attach_tags_are_the_wire_words(void **state UNUSED)
{
	static const char *const tags[] = {
		[PROBE_ATTACH_PID_MISSING] = "pid-missing",
		[PROBE_ATTACH_READLINK_FAILURE] = "readlink-failure",
		[PROBE_ATTACH_MAPS_READ_FAILURE] = "maps-read-failure",
		[PROBE_ATTACH_JEMALLOC_NOT_FOUND] = "jemalloc-not-found",
		[PROBE_ATTACH_JEMALLOC_IN_DSO] = "jemalloc-in-dso",
		[PROBE_ATTACH_ARCH_MISMATCH] = "arch-mismatch",
		[PROBE_ATTACH_DWARF_PARSE_FAILURE] = "dwarf-parse-failure",
		[PROBE_ATTACH_EXE_IDENTITY_CHANGED] = "exe-identity-changed",
	};

	assert_tags(&probe_attach_error_domain, tags, ARRAY_SIZE(tags));
}

static void thread_tags_are_the_wire_words(void **state UNUSED)
{
	static const char *const tags[] = {
		[PROBE_THREAD_PTRACE_SEIZE] = "ptrace-seize",
		[PROBE_THREAD_PTRACE_INTERRUPT] = "ptrace-interrupt",
		[PROBE_THREAD_WAITPID] = "waitpid",
		[PROBE_THREAD_GET_REGSET] = "get-regset",
		[PROBE_THREAD_PROCESS_VM_READV] = "process-vm-readv",
		[PROBE_THREAD_TLS_ARITHMETIC] = "tls-arithmetic",
		[PROBE_THREAD_POINTER] = "thread-pointer",
	};

	assert_tags(&probe_thread_error_domain, tags, ARRAY_SIZE(tags));
}

static void an_error_keeps_kind_and_errno(void **state UNUSED)
{
	_cleanup_error_ struct error *err = probe_thread_error(PROBE_THREAD_PTRACE_SEIZE, EPERM,
							       "thread %d", 42);

	assert_true(error_is(err, &probe_thread_error_domain, PROBE_THREAD_PTRACE_SEIZE));
	assert_false(error_is(err, &probe_attach_error_domain, PROBE_THREAD_PTRACE_SEIZE));
	assert_int_equal(error_errno(err), EPERM);
	assert_string_equal(error_message(err), "thread 42: Operation not permitted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evidence_and_method_names_are_the_wire_words),
		cmocka_unit_test(processes_that_are_not_there_are_missing),
		cmocka_unit_test(a_zombie_has_no_executable),
		cmocka_unit_test(attaching_to_a_program_without_jemalloc_fails),
		cmocka_unit_test(attaching_to_a_staged_program_without_jemalloc_fails),
		cmocka_unit_test(objects_past_the_work_limit_are_named),
		cmocka_unit_test(errors_of_reading_the_objects_are_returned),
		cmocka_unit_test(a_library_out_of_reach_is_named),
		cmocka_unit_test(a_cancelled_attach_says_so),
		cmocka_unit_test(debug_information_of_the_program_is_evidence),
		cmocka_unit_test(debug_information_of_a_library_is_evidence),
		cmocka_unit_test(a_stripped_library_is_known_by_the_table),
		cmocka_unit_test(a_program_without_debug_information_is_known_by_the_table),
		cmocka_unit_test(a_program_stripped_of_everything_is_known_by_the_table),
		cmocka_unit_test(a_given_source_of_facts_replaces_reading_the_files),
		cmocka_unit_test(not_found_keeps_the_errno_of_a_denied_object),
		cmocka_unit_test(freeing_nothing_does_not_crash),
		cmocka_unit_test(attach_tags_are_the_wire_words),
		cmocka_unit_test(thread_tags_are_the_wire_words),
		cmocka_unit_test(an_error_keeps_kind_and_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
