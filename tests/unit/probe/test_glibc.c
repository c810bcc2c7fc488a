// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/glibc.h"

#include <dlfcn.h>
#include <link.h>

#include "staged_proc.h"
#include "target.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_process_is_described_as_its_loader_sees_it),
		cmocka_unit_test(a_static_program_has_its_own_lists_and_no_libraries),
		cmocka_unit_test(other_c_libraries_have_no_descriptors),
		cmocka_unit_test(a_loader_without_its_globals_is_absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
