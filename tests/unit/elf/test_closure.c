// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/closure.h"

#include "base/vec.h"
#include "made_dynamic.h"
#include "made_ld_cache.h"
#include "staged_root.h"

static int setup(void **state)
{
	*state = staged_root_new();
	return 0;
}

static int teardown(void **state)
{
	staged_root_free(*state);
	return 0;
}

static void place(const char *root, const char *path, struct made_dynamic m)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;

	made_dynamic_append(&m, &bytes);
	staged_file(root, path, bytes.at, bytes.n);
}

static void read_paths(const char *root, const char *library_path, const char *program,
		       struct strbuf *ret)
{
	struct elf_closure_options options = { .root = root, .library_path = library_path };
	_cleanup_elf_closure_ struct elf_closure *c = NULL;

	strbuf_clear(ret);
	assert_success(elf_closure_read(&options, program, &c));
	for (size_t i = 0; i < c->n_files; i++)
		strbuf_appendf(ret, "%s%s", i ? " " : "", c->files[i].path);
}

static void libraries_come_breadth_first_and_once(void **state)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	place(*state, "/bin/prog",
	      (struct made_dynamic){ .interpreter = "/lib64/ld.so",
				     .needed = { "liba.so", "libb.so" } });
	place(*state, "/lib64/ld.so", (struct made_dynamic){ .soname = "ld.so" });
	place(*state, "/usr/lib/liba.so",
	      (struct made_dynamic){ .needed = { "libc.so", "ld.so" } });
	place(*state, "/usr/lib/libb.so",
	      (struct made_dynamic){ .needed = { "liba.so", "libc.so" } });
	place(*state, "/usr/lib/libc.so",
	      (struct made_dynamic){ .needed = { "ld.so", "liba.so" } });
	read_paths(*state, NULL, "/bin/prog", &got);
	assert_string_equal(strbuf_str(&got), "/bin/prog /lib64/ld.so /usr/lib/liba.so "
					      "/usr/lib/libb.so /usr/lib/libc.so");
}

/* One library in every place; the places are removed from the first on. */
static void places_are_searched_in_the_loaders_order(void **state)
{
	static const struct made_cache_row rows[] = { { "libx.so", "/cached/libx.so", 0x0303, 0 } };
	static const char *const with_rpath[] = { "/rpath", "/environment", "/cached",
						  "/lib/x86_64-linux-gnu", "/usr/lib" };
	static const char *const with_runpath[] = { "/environment", "/runpath", "/cached",
						    "/lib/x86_64-linux-gnu", "/usr/lib" };
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT, cache = STRBUF_INIT;

	made_ld_cache_append(rows, 1, &cache);
	staged_file(*state, "/etc/ld.so.cache", cache.at, cache.n);
	place(*state, "/old", (struct made_dynamic){ .needed = { "libx.so" }, .rpath = "/rpath" });
	place(*state, "/new",
	      (struct made_dynamic){
		      .needed = { "libx.so" }, .rpath = "/rpath", .runpath = "/runpath" });
	for (int kind = 0; kind < 2; kind++) {
		const char *const *places = kind ? with_runpath : with_rpath;

		place(*state, "/rpath/libx.so", (struct made_dynamic){ 0 });
		for (size_t i = 0; i < 5; i++) {
			_cleanup_free_ char *path = xasprintf("%s/libx.so", places[i]);

			place(*state, path, (struct made_dynamic){ 0 });
		}
		for (size_t i = 0; i < 5; i++) {
			_cleanup_free_ char *path = xasprintf("%s/libx.so", places[i]);
			_cleanup_free_ char *full = xasprintf("%s%s", (char *)*state, path);

			read_paths(*state, "/environment", kind ? "/new" : "/old", &got);
			assert_string_equal(strchr(strbuf_str(&got), ' ') + 1, path);
			unlink(full);
		}
	}
}

static void rpath_is_inherited_and_runpath_is_not(void **state)
{
	struct elf_closure_options options = { .root = *state };
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;
	struct elf_closure *c = NULL;

	place(*state, "/app/bin/old",
	      (struct made_dynamic){ .needed = { "libmid.so" }, .rpath = "$ORIGIN/../lib" });
	place(*state, "/app/bin/new",
	      (struct made_dynamic){ .needed = { "libmid.so" }, .runpath = "$ORIGIN/../lib" });
	place(*state, "/app/lib/libmid.so", (struct made_dynamic){ .needed = { "libdeep.so" } });
	place(*state, "/app/lib/libdeep.so", (struct made_dynamic){ 0 });
	read_paths(*state, NULL, "/app/bin/old", &got);
	assert_string_equal(strbuf_str(&got), "/app/bin/old /app/bin/../lib/libmid.so "
					      "/app/bin/../lib/libdeep.so");
	assert_error_tag(elf_closure_read(&options, "/app/bin/new", &c), "library-missing");
	/* An object with DT_RUNPATH does not ask its loaders either. */
	place(*state, "/app/lib/libmid.so",
	      (struct made_dynamic){ .needed = { "libdeep.so" }, .runpath = "/elsewhere" });
	assert_error_tag(elf_closure_read(&options, "/app/bin/old", &c), "library-missing");
	assert_null(c);
}

static void origin_of_a_symlinked_program_is_its_real_directory(void **state)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	place(*state, "/opt/app/prog",
	      (struct made_dynamic){ .needed = { "liba.so" }, .runpath = "$ORIGIN" });
	place(*state, "/opt/app/liba.so", (struct made_dynamic){ 0 });
	staged_link(*state, "/bin/prog", "/opt/app/prog");
	read_paths(*state, NULL, "/bin/prog", &got);
	assert_string_equal(strbuf_str(&got), "/bin/prog /opt/app/liba.so");
}

static void libraries_of_another_machine_are_passed_over(void **state)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	place(*state, "/prog",
	      (struct made_dynamic){ .needed = { "liba.so" }, .runpath = "/one:/two:/three" });
	place(*state, "/one/liba.so", (struct made_dynamic){ .machine = EM_AARCH64 });
	place(*state, "/two/liba.so", (struct made_dynamic){ .class = ELFCLASS32 });
	place(*state, "/three/liba.so", (struct made_dynamic){ 0 });
	read_paths(*state, NULL, "/prog", &got);
	assert_string_equal(strbuf_str(&got), "/prog /three/liba.so");
}

static void missing_libraries_are_named_with_what_needs_them(void **state)
{
	struct elf_closure_options options = { .root = *state };
	struct elf_closure *c = NULL;
	struct error *err;

	place(*state, "/prog",
	      (struct made_dynamic){ .interpreter = "/lib64/no-loader",
				     .needed = { "liba.so", "libgone.so" } });
	place(*state, "/lib/liba.so",
	      (struct made_dynamic){ .needed = { "libgone.so", "liblost.so" } });
	err = elf_closure_read(&options, "/prog", &c);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "library-missing");
	assert_string_equal(error_message(err),
			    "/prog: not found: /lib64/no-loader (needed by /prog); "
			    "libgone.so (needed by /prog, /lib/liba.so); "
			    "liblost.so (needed by /lib/liba.so)");
	error_free(err);
	assert_error_tag(elf_closure_read(&options, "/none", &c), "library-missing");
	assert_null(c);
}

static void nodeflib_disables_the_default_directories(void **state)
{
	static const struct made_cache_row rows[] = { { "liba.so", "/lib/liba.so", 0x0303, 0 } };
	_cleanup_strbuf_ struct strbuf cache = STRBUF_INIT;
	struct elf_closure_options options = { .root = *state };
	struct elf_closure *c = NULL;

	made_ld_cache_append(rows, 1, &cache);
	staged_file(*state, "/etc/ld.so.cache", cache.at, cache.n);
	place(*state, "/prog",
	      (struct made_dynamic){ .needed = { "liba.so" }, .flags_1 = DF_1_NODEFLIB });
	place(*state, "/lib/liba.so", (struct made_dynamic){ 0 });
	assert_error_tag(elf_closure_read(&options, "/prog", &c), "library-missing");
}

static void a_name_with_a_slash_is_a_path(void **state)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	place(*state, "/app/prog", (struct made_dynamic){ .needed = { "$ORIGIN/deep/liba.so" } });
	place(*state, "/app/deep/liba.so", (struct made_dynamic){ 0 });
	read_paths(*state, NULL, "/app/prog", &got);
	assert_string_equal(strbuf_str(&got), "/app/prog /app/deep/liba.so");
}

static void a_library_found_only_through_ld_cache_is_marked(void **state)
{
	static const struct made_cache_row rows[] = {
		{ "liba.so", "/opt/lib/liba.so", 0x0303, 0 },
		{ "libb.so", "/lib/x86_64-linux-gnu/libb.so", 0x0303, 0 },
	};
	_cleanup_strbuf_ struct strbuf cache = STRBUF_INIT;
	struct elf_closure_options options = { .root = *state };
	_cleanup_elf_closure_ struct elf_closure *c = NULL;

	made_ld_cache_append(rows, 2, &cache);
	staged_file(*state, "/etc/ld.so.cache", cache.at, cache.n);
	place(*state, "/prog", (struct made_dynamic){ .needed = { "liba.so", "libb.so" } });
	place(*state, "/opt/lib/liba.so", (struct made_dynamic){ 0 });
	place(*state, "/lib/x86_64-linux-gnu/libb.so", (struct made_dynamic){ 0 });
	assert_success(elf_closure_read(&options, "/prog", &c));
	assert_int_equal(c->n_files, 3);
	assert_int_equal(c->files[1].way, ELF_CLOSURE_CACHE);
	assert_false(c->files[1].in_default_directory);
	assert_int_equal(c->files[2].way, ELF_CLOSURE_CACHE);
	assert_true(c->files[2].in_default_directory);
}

static void a_script_needs_its_interpreter(void **state)
{
	struct elf_closure_options options = { .root = *state };
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;
	struct elf_closure *c = NULL;

	staged_file(*state, "/script", "#! /bin/sh -e\necho\n", 19);
	place(*state, "/bin/sh", (struct made_dynamic){ .needed = { "liba.so" } });
	place(*state, "/lib/liba.so", (struct made_dynamic){ 0 });
	read_paths(*state, NULL, "/script", &got);
	assert_string_equal(strbuf_str(&got), "/script /bin/sh /lib/liba.so");

	staged_file(*state, "/by-env", "#!/usr/bin/env -S tool x\n", 25);
	place(*state, "/usr/bin/env", (struct made_dynamic){ 0 });
	place(*state, "/usr/bin/tool", (struct made_dynamic){ .needed = { "liba.so" } });
	read_paths(*state, NULL, "/by-env", &got);
	assert_string_equal(strbuf_str(&got), "/by-env /usr/bin/env /usr/bin/tool /lib/liba.so");

	staged_file(*state, "/orphan", "#!/no/such\n", 11);
	assert_error_tag(elf_closure_read(&options, "/orphan", &c), "library-missing");
	for (int i = 0; i < 8; i++) {
		char path[16], text[32];

		(void)snprintf(path, sizeof(path), "/chain%d", i);
		staged_file(*state, path, text,
			    (size_t)snprintf(text, sizeof(text), "#!/chain%d\n", i + 1));
	}
	assert_error_tag(elf_closure_read(&options, "/chain0", &c), "closure-limit");
}

static void a_file_that_is_not_elf_needs_no_libraries(void **state)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	staged_file(*state, "/data", "#", 1);
	read_paths(*state, NULL, "/data", &got);
	assert_string_equal(strbuf_str(&got), "/data");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct paths {
	char *at[512];
	size_t n;
};

static void add_real(struct paths *p, const char *path)
{
	char *real = realpath(path, NULL);

	assert_non_null(real);
	assert_true(p->n < ARRAY_SIZE(p->at));
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->at[i], real) == 0) {
			free(real);
			return;
		}
	}
	p->at[p->n++] = real;
}

/* ldd prints "\tlibc.so.6 => /lib/…/libc.so.6 (0x…)" and "\t/lib64/ld-… (0x…)". */
static void ask_ldd(const char *program, struct paths *ret)
{
	_cleanup_free_ char *command = xasprintf("ldd %s 2>/dev/null", program);
	FILE *pipe = popen(command, "r");
	char line[1024], path[512];

	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		const char *arrow = strstr(line, "=> ");

		if (sscanf(arrow ? arrow + 3 : line, " %511s (0x", path) == 1 && path[0] == '/')
			add_real(ret, path);
	}
	pclose(pipe);
}

static void compare_with_ldd(const char *program)
{
	_cleanup_elf_closure_ struct elf_closure *c = NULL;
	struct elf_closure_options options = { .library_path = getenv("LD_LIBRARY_PATH") };
	struct paths theirs = { 0 }, ours = { 0 };

	ask_ldd(program, &theirs);
	assert_success(elf_closure_read(&options, program, &c));
	for (size_t i = 1; i < c->n_files; i++)
		add_real(&ours, c->files[i].path);
	qsort(theirs.at, theirs.n, sizeof(char *), by_text);
	qsort(ours.at, ours.n, sizeof(char *), by_text);
	print_message("# %s: %zu files\n", program, ours.n);
	for (size_t i = 0; i < ours.n && i < theirs.n; i++)
		assert_string_equal(ours.at[i], theirs.at[i]);
	assert_int_equal(ours.n, theirs.n);
	for (size_t i = 0; i < ours.n; i++) {
		free(ours.at[i]);
		free(theirs.at[i]);
	}
}

static void ldd_finds_the_same_files(void **state UNUSED)
{
	static const char *const programs[] = {
		"/usr/bin/python3", "/usr/bin/gdb", "/usr/bin/qemu-system-x86_64",
		"/usr/bin/busybox", "/usr/bin/git", "/bin/sh",
	};
	char self[512];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(n > 0);
	self[n] = 0;
	compare_with_ldd(self);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		if (access(programs[i], R_OK) == 0)
			compare_with_ldd(programs[i]);
	}
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		STAGED(libraries_come_breadth_first_and_once),
		STAGED(places_are_searched_in_the_loaders_order),
		STAGED(rpath_is_inherited_and_runpath_is_not),
		STAGED(origin_of_a_symlinked_program_is_its_real_directory),
		STAGED(libraries_of_another_machine_are_passed_over),
		STAGED(missing_libraries_are_named_with_what_needs_them),
		STAGED(nodeflib_disables_the_default_directories),
		STAGED(a_name_with_a_slash_is_a_path),
		STAGED(a_library_found_only_through_ld_cache_is_marked),
		STAGED(a_script_needs_its_interpreter),
		STAGED(a_file_that_is_not_elf_needs_no_libraries),
		cmocka_unit_test(ldd_finds_the_same_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
