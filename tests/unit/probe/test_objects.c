// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/objects.h"

#include <elf.h>
#include <grp.h>
#include <pwd.h>

#include "probe/probe.h"
#include "staged_proc.h"
#include "target.h"

static const char some_maps[] =
	"5583e6f7a000-5583e6f7b000 r-xp 00000000 fe:00 12345 /usr/bin/anything\n";

/* The error names its kind by tag and says something of use. */
static void assert_read_fails(const char *root, pid_t pid, const char *tag, const char *says)
{
	struct probe_objects objects = { .pid = 77 };
	_cleanup_error_ struct error *err = probe_objects_read(root, pid, NULL, NULL, &objects);

	assert_non_null(err);
	assert_ptr_equal(error_domain_of(err), &probe_attach_error_domain);
	assert_string_equal(error_tag(err), tag);
	assert_contains(error_message(err), says);
	assert_int_equal(objects.pid, 77);
}

static void a_process_that_is_not_there_is_missing(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();

	assert_read_fails(staged.root, 4243, "pid-missing", "4243");
	assert_read_fails("/proc", 0, "pid-missing", "0");
	assert_read_fails("/proc", -1, "pid-missing", "-1");
	assert_read_fails("/proc", INT32_MAX, "pid-missing", "2147483647");
	staged_proc_remove(&staged);
}

/* The link is looked at before the map: this map alone would give another error. */
static void without_an_exe_link_it_is_a_readlink_failure(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();

	staged_text(&staged, "maps", some_maps);
	assert_read_fails(staged.root, STAGED_PID, "readlink-failure", "exe");
	staged_proc_remove(&staged);
}

static void without_a_map_it_is_a_maps_read_failure(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();

	staged_link(&staged, "exe", "/proc/self/exe");
	assert_read_fails(staged.root, STAGED_PID, "maps-read-failure", "maps");
	staged_text(&staged, "maps", "this is no mapping\n");
	assert_read_fails(staged.root, STAGED_PID, "maps-read-failure", "line 1");
	staged_proc_remove(&staged);
}

static void an_exe_that_leads_nowhere_is_a_readlink_failure(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();

	staged_link(&staged, "exe", "/nowhere/at/all");
	staged_text(&staged, "maps", some_maps);
	assert_read_fails(staged.root, STAGED_PID, "readlink-failure", "/nowhere/at/all");
	staged_proc_remove(&staged);
}

/* The command builds its hints from it. */
static void the_systems_reason_is_kept(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	struct probe_objects objects;
	_cleanup_error_ struct error *no_exe = probe_objects_read(staged.root, STAGED_PID, NULL,
								  NULL, &objects);
	_cleanup_error_ struct error *no_maps = NULL;

	assert_int_equal(error_errno(no_exe), ENOENT);
	staged_link(&staged, "exe", "/proc/self/exe");
	no_maps = probe_objects_read(staged.root, STAGED_PID, NULL, NULL, &objects);
	assert_int_equal(error_errno(no_maps), ENOENT);
	staged_proc_remove(&staged);
}

static void stage_program(const struct staged_proc *staged, uint8_t class, uint16_t machine)
{
	_cleanup_free_ char *program = xasprintf("%s/program", staged->pid_dir);
	uint8_t bytes[4096];
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, &header, sizeof(header));
	staged_file(staged, "program", bytes, sizeof(bytes));
	staged_link(staged, "exe", program);
	staged_text(staged, "maps", some_maps);
}

static void a_program_of_32_bits_is_an_arch_mismatch(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();

	stage_program(&staged, ELFCLASS32, EM_386);
	assert_read_fails(staged.root, STAGED_PID, "arch-mismatch", "this probe reads");
	staged_proc_remove(&staged);
}

static void a_program_for_another_machine_is_an_arch_mismatch(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();

	stage_program(&staged, ELFCLASS64, EM_RISCV);
	assert_read_fails(staged.root, STAGED_PID, "arch-mismatch", "0xf3");
	staged_proc_remove(&staged);
}

static void a_program_that_is_not_elf_is_a_readlink_failure(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();

	staged_link(&staged, "exe", "/proc/self/status");
	staged_text(&staged, "maps", some_maps);
	assert_read_fails(staged.root, STAGED_PID, "readlink-failure", "");
	staged_proc_remove(&staged);
}

/* What is something else, gone or refused has no jemalloc for us; anything else may have. */
static void only_some_errors_mean_an_unknown_object(void **state UNUSED)
{
	static const struct {
		int errnum;
		bool open;
	} rows[] = { { ENOENT, false }, { ESRCH, false }, { EACCES, false }, { EPERM, false },
		     { EIO, true },	{ ENOMEM, true }, { E2BIG, true } };
	struct error *closed[] = { elf_error(ELF_NOT_ELF, 0, "x"), elf_error(ELF_ARCH, 0, "x") };
	struct error *open[] = { elf_error(ELF_TRUNCATED, 0, "x"), elf_error(ELF_MALFORMED, 0, "x"),
				 base_error(BASE_LIMIT, ENOMEM, "x"),
				 base_error(BASE_PARSE, 0, "x") };

	assert_false(probe_object_error_leaves_open(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_error_ struct error *err = base_error(BASE_IO, rows[i].errnum, "x");

		assert_int_equal(probe_object_error_leaves_open(err), rows[i].open);
	}
	for (size_t i = 0; i < ARRAY_SIZE(closed); i++) {
		assert_false(probe_object_error_leaves_open(closed[i]));
		error_free(closed[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(open); i++) {
		assert_true(probe_object_error_leaves_open(open[i]));
		error_free(open[i]);
	}
}

static void another_user_cannot_read_the_objects(void **state UNUSED)
{
	const struct passwd *nobody = getpwnam("nobody");
	struct target target;
	pid_t stranger;
	int status;

	skip_unless(geteuid() == 0 && nobody, "needs root, to become somebody else");
	target = target_start("KTSTR_TARGET");
	stranger = fork();
	if (stranger == 0) {
		struct probe_objects objects;
		struct error *err;

		if (setgroups(0, NULL) < 0 || setgid(nobody->pw_gid) < 0 ||
		    setuid(nobody->pw_uid) < 0)
			_exit(99);
		err = probe_objects_read("/proc", target.pid, NULL, NULL, &objects);
		_exit(err && strcmp(error_tag(err), "readlink-failure") == 0 &&
				      error_errno(err) == EACCES
			      ? 0
			      : 98);
	}
	assert_int_equal(waitpid(stranger, &status, 0), stranger);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	target_end(&target);
}

static struct probe_objects read_staged(const struct staged_proc *staged)
{
	struct probe_objects objects;

	assert_success(probe_objects_read(staged->root, STAGED_PID, NULL, NULL, &objects));
	return objects;
}

static void only_executable_mappings_are_objects_and_once(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	_cleanup_free_ char *program = realpath("/proc/self/exe", NULL);
	_cleanup_free_ char *maps = xasprintf(
		"400000-401000 r--p 00000000 fe:00 1 %s\n"
		"401000-402000 r-xp 00001000 fe:00 1 %s\n"
		"7e0000000000-7e0000001000 r--p 00000000 fe:00 2 /lib/a.so\n" /* as mere data */
		"7f0000000000-7f0000001000 r--p 00000000 fe:00 2 /lib/a.so\n"
		"7f0000001000-7f0000002000 r-xp 00001000 fe:00 2 /lib/a.so\n"
		"7f0000002000-7f0000003000 r-xp 00002000 fe:00 2 /lib/a.so\n"
		"7f0000005000-7f0000006000 rw-p 00000000 fe:00 3 /tmp/data\n"
		"7f0000006000-7f0000007000 r-xp 00000000 00:00 0 \n"
		"7f0000007000-7f0000008000 r-xp 00000000 00:00 0 [vdso]\n"
		"7f0000008000-7f0000009000 r-xp 00000000 fe:00 4 /lib/b.so (deleted)\n",
		program, program);
	struct probe_objects objects;

	staged_link(&staged, "exe", program);
	staged_text(&staged, "maps", maps);
	objects = read_staged(&staged);
	assert_int_equal(objects.rows.n, 3);
	assert_string_equal(objects.rows.at[0].path, program);
	assert_true(objects.rows.at[0].is_executable);
	/* Its place is that of its first mapping, not of the one it is run from. */
	assert_int_equal(objects.rows.at[0].map_start, 0x400000);
	assert_int_equal(objects.rows.at[0].map_offset, 0);
	assert_string_equal(objects.rows.at[1].path, "/lib/a.so");
	assert_false(objects.rows.at[1].is_executable);
	assert_int_equal(objects.rows.at[1].map_start, 0x7f0000000000);
	assert_int_equal(objects.rows.at[1].map_end, 0x7f0000001000);
	assert_false(objects.rows.at[1].deleted);
	assert_string_equal(objects.rows.at[2].path, "/lib/b.so");
	assert_true(objects.rows.at[2].deleted);
	probe_objects_deinit(&objects);
	staged_proc_remove(&staged);
}

/* After an upgrade another file stands at the path: it is not what runs. */
static void a_deleted_library_is_not_read_from_its_old_path(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	_cleanup_free_ char *program = realpath("/proc/self/exe", NULL);
	_cleanup_free_ char *maps = xasprintf("400000-401000 r-xp 00000000 fe:00 1 %s (deleted)\n"
					      "7f00-8f00 r-xp 00000000 fe:00 1 %s (deleted)\n"
					      "9f00-af00 r-xp 00000000 fe:00 1 %s\n",
					      program, target_path("KTSTR_TARGET"),
					      target_path("KTSTR_TLS_LIBRARY"));
	struct probe_objects objects;

	staged_link(&staged, "root", "/");
	staged_link(&staged, "exe", program);
	staged_text(&staged, "maps", maps);
	objects = read_staged(&staged);
	assert_int_equal(objects.rows.n, 3);
	assert_true(objects.rows.at[0].deleted);
	assert_non_null(probe_object_image(&objects, &objects.rows.at[0]));
	assert_null(probe_object_image(&objects, &objects.rows.at[1]));
	assert_non_null(objects.rows.at[1].error);
	/* Asked twice, it fails once. */
	assert_null(probe_object_image(&objects, &objects.rows.at[1]));
	assert_non_null(probe_object_image(&objects, &objects.rows.at[2]));
	probe_objects_deinit(&objects);
	staged_proc_remove(&staged);
}

/* The kernel names a chroot's files from our root, and its debug files are looked for in there. */
static void files_of_a_chroot_are_named_as_it_sees_them(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	_cleanup_free_ char *inside = xasprintf("%s/inside", staged.pid_dir);
	_cleanup_free_ char *program = xasprintf("%s/bin/program", inside);
	_cleanup_free_ char *maps = xasprintf("400000-401000 r-xp 00000000 fe:00 1 %s\n"
					      "7f00-8f00 r-xp 00000000 fe:00 2 %s/lib/a.so\n"
					      "9f00-af00 r-xp 00000000 fe:00 3 %sd/lib/a.so\n",
					      program, inside, inside);
	_cleanup_free_ char *elsewhere = xasprintf("%sd/lib/a.so", inside);
	struct probe_objects objects;

	staged_dir(&staged, "inside");
	staged_dir(&staged, "inside/bin");
	staged_link(&staged, "inside/bin/program", "/proc/self/exe");
	staged_link(&staged, "root", inside);
	staged_link(&staged, "exe", program);
	staged_text(&staged, "maps", maps);
	objects = read_staged(&staged);
	assert_int_equal(objects.rows.n, 3);
	assert_string_equal(objects.rows.at[0].path, "/bin/program");
	assert_int_equal(objects.rows.at[0].map_start, 0x400000);
	assert_string_equal(objects.rows.at[1].path, "/lib/a.so");
	assert_string_equal(objects.rows.at[2].path, elsewhere);
	probe_objects_deinit(&objects);
	staged_proc_remove(&staged);
}

static void a_program_without_a_mapping_of_its_name_still_comes_first(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	struct probe_objects objects;
	uint64_t bias;

	staged_link(&staged, "exe", "/proc/self/exe");
	staged_text(&staged, "maps", some_maps);
	objects = read_staged(&staged);
	assert_int_equal(objects.rows.n, 2);
	assert_true(objects.rows.at[0].is_executable);
	assert_error_tag(probe_object_load_bias(&objects, &objects.rows.at[0], &bias), "absent");
	probe_objects_deinit(&objects);
	staged_proc_remove(&staged);
}

/* A program may be called as it likes: only what defines the symbol is the library. */
static void objects_are_found_by_name_and_what_they_define(void **state UNUSED)
{
	struct staged_proc staged = staged_proc_make();
	_cleanup_free_ char *impostor = xasprintf("%s/libc.so.6-impostor", staged.pid_dir);
	_cleanup_free_ char *maps = NULL;
	_cleanup_free_ char *libc = NULL;
	struct probe_objects objects;

	assert_success(probe_objects_read("/proc", getpid(), NULL, NULL, &objects));
	libc = xstrdup(probe_objects_find_defining(&objects, "libc.so.6", "pthread_create")->path);
	probe_objects_deinit(&objects);
	staged_link(&staged, "root", "/");
	staged_link(&staged, "exe", "/proc/self/exe");
	staged_link(&staged, "libc.so.6-impostor", "/proc/self/exe");
	maps = xasprintf("1000-2000 r-xp 00000000 fe:00 1 %s\n"
			 "3000-4000 r-xp 00000000 fe:00 2 /usr/lib/notlibc.so.6\n"
			 "5000-6000 r-xp 00000000 fe:00 3 %s\n",
			 impostor, libc);
	staged_text(&staged, "maps", maps);
	objects = read_staged(&staged);
	assert_string_equal(
		probe_objects_find_defining(&objects, "libc.so.6", "_thread_db_pthread_tid")->path,
		libc);
	assert_null(probe_objects_find_defining(&objects, "ld-", "_rtld_global"));
	probe_objects_deinit(&objects);
	staged_proc_remove(&staged);
}

/* Where the loader put this very program is the oracle. */
static void the_bias_of_this_program_is_what_the_loader_chose(void **state UNUSED)
{
	extern const char __executable_start[];
	struct probe_objects objects;
	struct elf_load load;
	uint64_t bias = 0;

	assert_success(probe_objects_read("/proc", getpid(), NULL, NULL, &objects));
	assert_true(objects.rows.n >= 3);
	assert_non_null(probe_objects_find_defining(&objects, "libc.so.6", "pthread_create"));
	assert_success(probe_object_load_bias(&objects, &objects.rows.at[0], &bias));
	assert_int_equal(elf_image_loads(objects.rows.at[0].image, &load, 1), 1);
	assert_int_equal(bias, (uintptr_t)__executable_start - load.vaddr);
	assert_int_equal(objects.rows.at[0].map_start, (uintptr_t)__executable_start);
	probe_objects_deinit(&objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_is_not_there_is_missing),
		cmocka_unit_test(without_an_exe_link_it_is_a_readlink_failure),
		cmocka_unit_test(without_a_map_it_is_a_maps_read_failure),
		cmocka_unit_test(an_exe_that_leads_nowhere_is_a_readlink_failure),
		cmocka_unit_test(the_systems_reason_is_kept),
		cmocka_unit_test(a_program_of_32_bits_is_an_arch_mismatch),
		cmocka_unit_test(a_program_for_another_machine_is_an_arch_mismatch),
		cmocka_unit_test(a_program_that_is_not_elf_is_a_readlink_failure),
		cmocka_unit_test(only_some_errors_mean_an_unknown_object),
		cmocka_unit_test(another_user_cannot_read_the_objects),
		cmocka_unit_test(only_executable_mappings_are_objects_and_once),
		cmocka_unit_test(a_deleted_library_is_not_read_from_its_old_path),
		cmocka_unit_test(files_of_a_chroot_are_named_as_it_sees_them),
		cmocka_unit_test(a_program_without_a_mapping_of_its_name_still_comes_first),
		cmocka_unit_test(objects_are_found_by_name_and_what_they_define),
		cmocka_unit_test(the_bias_of_this_program_is_what_the_loader_chose),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
