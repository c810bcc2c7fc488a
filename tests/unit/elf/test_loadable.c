// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/loadable.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/io.h"
#include "unit.h"

static void read_fixture(const char *name, struct strbuf *into)
{
	_cleanup_free_ char *path = xasprintf("%s/%s/prog", getenv("ELF_FIXTURES"), name);

	assert_success(io_read_file(path, 64 << 20, into));
}

static struct bytes bytes_of(const struct strbuf *text)
{
	return (struct bytes){ (const uint8_t *)text->at, text->n };
}

/* The kernel is the judge: it runs the same, with the same answer. */
static int run(const struct strbuf *program)
{
	_cleanup_free_ char *command = NULL;
	char path[] = "/tmp/ktstr-loadable-XXXXXX";
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	assert_success(io_write_all(fd, path, program->at, program->n));
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	command = xasprintf("%s >/dev/null", path);
	status = system(command);
	unlink(path);
	return status;
}

static void a_static_program_runs_without_the_rest(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT, loaded = STRBUF_INIT;

	read_fixture("gcc-static", &whole);
	assert_true(elf_loadable(bytes_of(&whole), &loaded));
	assert_true(loaded.n < whole.n);
	assert_int_equal(run(&loaded), run(&whole));
	/* Not that both could not be run at all. */
	assert_true(WIFEXITED(run(&loaded)) && WEXITSTATUS(run(&loaded)) != 126 &&
		    WEXITSTATUS(run(&loaded)) != 127);
}

static void a_program_with_an_interpreter_is_left_alone(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT, loaded = STRBUF_INIT;

	read_fixture("gcc-dwarf5", &whole);
	assert_false(elf_loadable(bytes_of(&whole), &loaded));
	assert_int_equal(loaded.n, 0);
}

static void what_is_no_program_is_left_alone(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT, loaded = STRBUF_INIT;

	assert_false(elf_loadable((struct bytes){ (const uint8_t *)"#!/bin/sh\n", 10 }, &loaded));
	assert_false(elf_loadable((struct bytes){ NULL, 0 }, &loaded));
	read_fixture("gcc-static", &whole);
	/* Cut anywhere before its last segment ends: never read past the end, never half a program.
	 */
	for (size_t n = 0; n < 4096; n += 7)
		assert_false(elf_loadable((struct bytes){ (const uint8_t *)whole.at, n }, &loaded));
	assert_int_equal(loaded.n, 0);
}

static void segments_outside_the_file_are_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT, loaded = STRBUF_INIT;
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	read_fixture("gcc-static", &whole);
	memcpy(&header, whole.at, sizeof(header));
	memcpy(&segment, whole.at + header.e_phoff, sizeof(segment));
	segment.p_filesz = UINT64_MAX;
	memcpy(whole.at + header.e_phoff, &segment, sizeof(segment));
	assert_false(elf_loadable(bytes_of(&whole), &loaded));
	header.e_phoff = UINT64_MAX - 8;
	memcpy(whole.at, &header, sizeof(header));
	assert_false(elf_loadable(bytes_of(&whole), &loaded));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_static_program_runs_without_the_rest),
		cmocka_unit_test(a_program_with_an_interpreter_is_left_alone),
		cmocka_unit_test(what_is_no_program_is_left_alone),
		cmocka_unit_test(segments_outside_the_file_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
