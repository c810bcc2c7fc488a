// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/glibc.h"

#include <dlfcn.h>
#include <grp.h>
#include <link.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "staged_proc.h"
#include "target.h"
#include "unit.h"

/* Our own libc as our own loader shows it; the reader goes through the file. */
static uint32_t offset_in_our_libc(const char *name)
{
	_cleanup_free_ char *symbol = xasprintf("_thread_db_%s", name);
	const uint32_t *descriptor = dlsym(RTLD_DEFAULT, symbol);

	if (!descriptor)
		fail_msg("our libc has no %s", symbol);
	return descriptor[2];
}

/* Where the loader tells a debugger to look. The symbol itself would be a copy in this program. */
static uintptr_t our_r_debug(void)
{
	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_DEBUG)
			return d->d_un.d_ptr;
	fail_msg("no DT_DEBUG");
	return 0;
}

static void this_process_is_described_as_its_loader_sees_it(void **state UNUSED)
{
	const char *rtld_global = dlsym(RTLD_DEFAULT, "_rtld_global");
	struct probe_glibc_layout layout;
	struct probe_objects objects;

	assert_non_null(rtld_global);
	assert_success(probe_objects_read("/proc", getpid(), NULL, NULL, &objects));
	assert_success(probe_glibc_layout_read(&objects, &layout));
	assert_int_equal(layout.threads.heads[0],
			 (uintptr_t)rtld_global + offset_in_our_libc("rtld_global__dl_stack_used"));
	assert_int_equal(layout.threads.heads[1],
			 (uintptr_t)rtld_global + offset_in_our_libc("rtld_global__dl_stack_user"));
	assert_int_equal(layout.threads.list_next, offset_in_our_libc("list_t_next"));
	assert_int_equal(layout.threads.pthread_list, offset_in_our_libc("pthread_list"));
	assert_int_equal(layout.threads.pthread_tid, offset_in_our_libc("pthread_tid"));
	assert_true(layout.has_libraries);
	assert_int_equal(layout.r_debug, our_r_debug());
	assert_int_equal(layout.pthread_dtvp, offset_in_our_libc("pthread_dtvp"));
	assert_int_equal(layout.dtv_pointer_val, offset_in_our_libc("dtv_t_pointer_val"));
	assert_int_equal(layout.link_map_tls_modid, offset_in_our_libc("link_map_l_tls_modid"));
	assert_int_equal(layout.link_map_tls_offset, offset_in_our_libc("link_map_l_tls_offset"));
	assert_int_equal(layout.slotinfo_list,
			 (uintptr_t)rtld_global +
				 offset_in_our_libc("rtld_global__dl_tls_dtv_slotinfo_list"));
	assert_int_equal(layout.slotinfo_list_len, offset_in_our_libc("dtv_slotinfo_list_len"));
	assert_int_equal(layout.slotinfo_list_next, offset_in_our_libc("dtv_slotinfo_list_next"));
	assert_int_equal(layout.slotinfo_gen, offset_in_our_libc("dtv_slotinfo_gen"));
	/* Two pointers, and a pointer with a counter. */
	assert_int_equal(layout.dtv_slot_bytes, 16);
	assert_int_equal(layout.slotinfo_bytes, 16);
	probe_objects_deinit(&objects);
}

static void a_static_program_has_its_own_lists_and_no_libraries(void **state UNUSED)
{
	struct target target;
	struct target_thread threads[3];
	struct probe_remote_process process;
	struct probe_glibc_layout layout;
	struct probe_objects objects;
	struct probe_thread_list list;

	skip_unless(getenv("KTSTR_JEMALLOC_TARGET"), "needs the jemalloc that set-up builds");
	target = target_start("KTSTR_JEMALLOC_TARGET");
	threads[0] = target_thread_of(target_ask(&target, "hello"));
	for (int i = 1; i < 3; i++)
		threads[i] = target_new_thread(&target);
	assert_success(probe_objects_read("/proc", target.pid, NULL, NULL, &objects));
	assert_success(probe_glibc_layout_read(&objects, &layout));
	assert_false(layout.has_libraries);
	probe_remote_process_init(&process, target.pid);
	probe_thread_list_walk(&process.remote, &layout.threads, 100, &list);
	assert_true(list.complete);
	assert_int_equal(list.threads.n, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(probe_thread_list_find(&list, threads[i].tid)->thread_pointer,
				 threads[i].pointer);
	probe_thread_list_deinit(&list);
	probe_objects_deinit(&objects);
	target_end(&target);
}

/* Reads a staged process whose map has these extra lines. */
static void assert_absent(struct staged_proc *staged, const char *maps, const char *says)
{
	struct probe_glibc_layout layout = { .r_debug = 77 };
	struct probe_objects objects;
	_cleanup_error_ struct error *err = NULL;

	staged_text(staged, "maps", maps);
	assert_success(probe_objects_read(staged->root, STAGED_PID, NULL, NULL, &objects));
	err = probe_glibc_layout_read(&objects, &layout);
	assert_non_null(err);
	assert_true(error_is(err, &base_error_domain, BASE_ABSENT));
	assert_contains(error_message(err), says);
	assert_int_equal(layout.r_debug, 77);
	probe_objects_deinit(&objects);
}

static void other_c_libraries_have_no_descriptors(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	_cleanup_free_ char *libc = xasprintf("%s/libc.so.6", staged.pid_dir);
	_cleanup_free_ char *loader = xasprintf("%s/ld-other.so.1", staged.pid_dir);
	_cleanup_free_ char *only_libc = xasprintf("1000-2000 r-xp 0 fe:00 1 %s\n", libc);
	_cleanup_free_ char *both = xasprintf(
		"1000-2000 r-xp 0 fe:00 1 %s\n3000-4000 r-xp 0 fe:00 2 %s\n", libc, loader);

	staged_link(&staged, "root", "/");
	staged_link(&staged, "exe", target_path("KTSTR_TARGET"));
	/* A program of its own C library, or without symbols. */
	assert_absent(&staged, "", "has no _thread_db_");
	assert_absent(&staged, only_libc, "open");
	staged_link(&staged, "libc.so.6", target_path("KTSTR_TLS_LIBRARY"));
	assert_absent(&staged, only_libc, "older than glibc 2.34");
	staged_link(&staged, "ld-other.so.1", target_path("KTSTR_TLS_LIBRARY"));
	assert_absent(&staged, both, "older than glibc 2.34");
	assert_absent(&staged, "1000-2000 r-xp 0 fe:00 1 /lib/ld-musl-x86_64.so.1\n", "musl");
	/* As it was called before 2.34. */
	assert_absent(&staged, "1000-2000 r-xp 0 fe:00 1 /lib/libc-2.31.so\n",
		      "/lib/libc-2.31.so does not describe its threads");
	staged_proc_remove(&staged);
}

/* The right libc, but a loader that is not its own. */
static void a_loader_without_its_globals_is_absent(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	_cleanup_free_ char *loader = xasprintf("%s/ld-other.so.1", staged.pid_dir);
	_cleanup_free_ char *maps = NULL;
	struct probe_objects objects;

	assert_success(probe_objects_read("/proc", getpid(), NULL, NULL, &objects));
	maps = xasprintf(
		"1000-2000 r-xp 0 fe:00 1 %s\n3000-4000 r-xp 0 fe:00 2 %s\n",
		probe_objects_find_defining(&objects, "libc.so.6", "_thread_db_pthread_tid")->path,
		loader);
	probe_objects_deinit(&objects);
	staged_link(&staged, "root", "/");
	staged_link(&staged, "exe", target_path("KTSTR_TARGET"));
	staged_link(&staged, "ld-other.so.1", target_path("KTSTR_TLS_LIBRARY"));
	assert_absent(&staged, maps, "_rtld_global");
	staged_proc_remove(&staged);
}

enum { PAGE = 4096, MANY = 5000 };

/* A child with a page of known words, followed by one that is not there. */
struct child {
	pid_t pid;
	uint64_t page;
	uint64_t hole;
	struct probe_remote_process process;
};

static uint64_t word(size_t i)
{
	return i * 1000003 + 17;
}

static struct child child_start(void)
{
	uint64_t *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
	struct child child = { .page = (uintptr_t)page, .hole = (uintptr_t)page + PAGE };

	assert_true(page != MAP_FAILED);
	munmap((char *)page + PAGE, PAGE);
	for (size_t i = 0; i < PAGE / sizeof(*page); i++)
		page[i] = word(i);
	child.pid = fork();
	if (child.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	/* Ours differs now: what is read must be the child's. */
	memset(page, 0, PAGE);
	munmap(page, PAGE);
	probe_remote_process_init(&child.process, child.pid);
	return child;
}

static void child_end(struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}

struct batch {
	struct probe_remote_range ranges[MANY];
	uint64_t words[MANY];
};

static struct batch *batch_make(const struct child *child)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	assert_non_null(batch);
	for (size_t i = 0; i < MANY; i++)
		batch->ranges[i] = (struct probe_remote_range){ child->page + i % 512 * 8,
								&batch->words[i], 8,
								PROBE_REMOTE_DENIED };
	return batch;
}

static void assert_whole_but(const struct batch *batch, size_t n, const size_t *holes,
			     size_t n_holes)
{
	for (size_t i = 0; i < n; i++) {
		bool hole = false;

		for (size_t k = 0; k < n_holes; k++)
			hole |= holes[k] == i;
		if (batch->ranges[i].status != (hole ? PROBE_REMOTE_FAULT : PROBE_REMOTE_OK))
			fail_msg("range %zu has status %d", i, (int)batch->ranges[i].status);
		if (!hole)
			assert_int_equal(batch->words[i], word(i % 512));
	}
}

static void many_ranges_take_several_calls(void **state UNUSED)
{
	static const size_t sizes[] = { 1, 2, 1023, 1024, 1025, 2048, 2049, MANY };
	struct child child = child_start();

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct batch *batch = batch_make(&child);

		probe_remote_read_many(&child.process.remote, batch->ranges, sizes[i]);
		assert_whole_but(batch, sizes[i], NULL, 0);
		/* Nothing past the end was touched. */
		if (sizes[i] < MANY)
			assert_int_equal(batch->ranges[sizes[i]].status, PROBE_REMOTE_DENIED);
		free(batch);
	}
	child_end(&child);
}

static void an_unreadable_range_does_not_affect_the_others(void **state UNUSED)
{
	static const size_t holes[] = { 0, 1, 700, 1023, 1024, 2047, 3000, MANY - 1 };
	struct child child = child_start();
	struct batch *batch = batch_make(&child);

	for (size_t i = 0; i < ARRAY_SIZE(holes); i++)
		batch->ranges[holes[i]].address = child.hole;
	probe_remote_read_many(&child.process.remote, batch->ranges, MANY);
	assert_whole_but(batch, MANY, holes, ARRAY_SIZE(holes));
	free(batch);
	child_end(&child);
}

static void each_single_hole_is_found_wherever_it_is(void **state UNUSED)
{
	static const size_t places[] = { 0, 5, 9 };
	struct child child = child_start();

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct batch *batch = batch_make(&child);

		batch->ranges[places[i]].address = 8; /* never mapped */
		probe_remote_read_many(&child.process.remote, batch->ranges, 10);
		assert_whole_but(batch, 10, &places[i], 1);
		free(batch);
	}
	child_end(&child);
}

/* Half of it could be read; half a counter is none. */
static void a_range_across_the_end_is_a_fault(void **state UNUSED)
{
	struct child child = child_start();
	struct batch *batch = batch_make(&child);
	static const size_t holes[] = { 3 };

	batch->ranges[3].address = child.hole - 4;
	probe_remote_read_many(&child.process.remote, batch->ranges, 10);
	assert_whole_but(batch, 10, holes, 1);
	free(batch);
	child_end(&child);
}

static void an_impossible_address_is_a_fault(void **state UNUSED)
{
	struct child child = child_start();
	uint64_t value;

	assert_int_equal(probe_remote_read(&child.process.remote, UINT64_MAX - 3, &value, 8),
			 PROBE_REMOTE_FAULT);
	assert_int_equal(probe_remote_read(&child.process.remote, UINT64_C(1) << 63, &value, 8),
			 PROBE_REMOTE_FAULT);
	assert_int_equal(probe_remote_read(&child.process.remote, 0, &value, 8),
			 PROBE_REMOTE_FAULT);
	child_end(&child);
}

static void no_ranges_and_empty_ranges_are_fine(void **state UNUSED)
{
	struct child child = child_start();
	struct probe_remote_range empty[] = { { child.page, NULL, 0, PROBE_REMOTE_DENIED },
					      { child.page, NULL, 0, PROBE_REMOTE_DENIED } };

	probe_remote_read_many(&child.process.remote, NULL, 0);
	probe_remote_read_many(&child.process.remote, empty, ARRAY_SIZE(empty));
	assert_int_equal(empty[0].status, PROBE_REMOTE_OK);
	assert_int_equal(empty[1].status, PROBE_REMOTE_OK);
	child_end(&child);
}

static void a_process_that_went_is_gone_for_every_range(void **state UNUSED)
{
	struct child child = child_start();
	struct batch *batch = batch_make(&child);

	child_end(&child);
	probe_remote_read_many(&child.process.remote, batch->ranges, MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(batch->ranges[i].status, PROBE_REMOTE_GONE);
	free(batch);
}

static void another_user_cannot_read_the_memory(void **state UNUSED)
{
	const struct passwd *nobody = getpwnam("nobody");
	struct child child;
	int status;
	pid_t reader;

	skip_unless(geteuid() == 0 && nobody, "needs root, to become somebody else");
	child = child_start();
	reader = fork();
	if (reader == 0) {
		uint64_t value;

		if (setgroups(0, NULL) < 0 || setgid(nobody->pw_gid) < 0 ||
		    setuid(nobody->pw_uid) < 0)
			_exit(99);
		_exit(probe_remote_read(&child.process.remote, child.page, &value, 8));
	}
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), PROBE_REMOTE_DENIED);
	child_end(&child);
}

static void each_status_has_its_errno(void **state UNUSED)
{
	assert_int_equal(probe_remote_errno(PROBE_REMOTE_OK), 0);
	assert_int_equal(probe_remote_errno(PROBE_REMOTE_FAULT), EFAULT);
	assert_int_equal(probe_remote_errno(PROBE_REMOTE_GONE), ESRCH);
	assert_int_equal(probe_remote_errno(PROBE_REMOTE_DENIED), EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_process_is_described_as_its_loader_sees_it),
		cmocka_unit_test(a_static_program_has_its_own_lists_and_no_libraries),
		cmocka_unit_test(other_c_libraries_have_no_descriptors),
		cmocka_unit_test(a_loader_without_its_globals_is_absent),
		cmocka_unit_test(many_ranges_take_several_calls),
		cmocka_unit_test(an_unreadable_range_does_not_affect_the_others),
		cmocka_unit_test(each_single_hole_is_found_wherever_it_is),
		cmocka_unit_test(a_range_across_the_end_is_a_fault),
		cmocka_unit_test(an_impossible_address_is_a_fault),
		cmocka_unit_test(no_ranges_and_empty_ranges_are_fine),
		cmocka_unit_test(a_process_that_went_is_gone_for_every_range),
		cmocka_unit_test(another_user_cannot_read_the_memory),
		cmocka_unit_test(each_status_has_its_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
