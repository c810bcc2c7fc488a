// SPDX-License-Identifier: GPL-2.0-or-later
#include "physmap/physmap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "unit.h"

/* A file of n bytes where byte i is i % 251. */
static int counted_file(size_t n)
{
	int fd = memfd_create("physmap", MFD_CLOEXEC);
	_cleanup_free_ unsigned char *bytes = malloc(n + 1);

	assert_true(fd >= 0);
	assert_non_null(bytes);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i % 251);
	assert_success(io_write_all(fd, "memfd", bytes, n));
	return fd;
}

static void segments_are_found_whatever_their_order(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();

	assert_null(physmap_find(map, 0));
	assert_success(physmap_add_process(map, 0x3000, 0x1000, 1, 0));
	assert_success(physmap_add_process(map, 0x1000, 0x1000, 2, 0));
	assert_success(physmap_add_process(map, 0x2000, 0x1000, 3, 0));
	assert_null(physmap_find(map, 0xfff));
	assert_int_equal(physmap_find(map, 0x1000)->pid, 2);
	assert_int_equal(physmap_find(map, 0x1fff)->pid, 2);
	assert_int_equal(physmap_find(map, 0x2000)->pid, 3);
	assert_int_equal(physmap_find(map, 0x3fff)->pid, 1);
	assert_null(physmap_find(map, 0x4000));
	assert_null(physmap_find(map, UINT64_MAX));
}

static void overlaps_are_refused(void **state UNUSED)
{
	static const struct {
		uint64_t start, length;
	} bad[] = {
		{ 0x1000, 0x1000 }, { 0x1fff, 1 },  { 0x0, 0x1001 },
		{ 0x1800, 0x10 },   { 0, 0x10000 }, { 0x1800, 0x1000 },
	};
	_cleanup_physmap_ struct physmap *map = physmap_new();

	assert_success(physmap_add_process(map, 0x1000, 0x1000, 1, 0));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_error_tag(physmap_add_process(map, bad[i].start, bad[i].length, 1, 0),
				 "physmap-overlap");
	assert_success(physmap_add_process(map, 0xfff, 1, 1, 0));
	assert_success(physmap_add_process(map, 0x2000, 1, 1, 0));
	assert_int_equal(map->segments.n, 3);
}

static void segments_that_wrap_are_refused(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();

	assert_error_tag(physmap_add_process(map, 0, 0, 1, 0), "physmap-range");
	assert_error_tag(physmap_add_process(map, UINT64_MAX, 1, 1, 0), "physmap-range");
	assert_error_tag(physmap_add_process(map, 2, UINT64_MAX, 1, 0), "physmap-range");
	assert_error_tag(physmap_add_process(map, 0, 2, 1, UINT64_MAX), "physmap-range");
	assert_error_tag(physmap_add_fd(map, 0, 2, 0, INT64_MAX), "physmap-range");
	assert_int_equal(map->segments.n, 0);
}

static void a_file_is_read_across_segments(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int fd = counted_file(0x3000);
	unsigned char buf[0x1800];
	uint64_t failed = 1;

	/* The two halves of what the guest sees in one piece lie swapped in the file. */
	assert_success(physmap_add_fd(map, 0x10000, 0x1000, fd, 0x2000));
	assert_success(physmap_add_fd(map, 0x11000, 0x1000, fd, 0x0));
	assert_int_equal(physmap_read(map, 0x10800, buf, sizeof(buf), NULL), PHYSMAP_READ_OK);
	for (size_t i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], (i < 0x800 ? 0x2800 + i : i - 0x800) % 251);
	assert_int_equal(physmap_read(map, 0x10801, buf, sizeof(buf), &failed),
			 PHYSMAP_READ_OUTSIDE);
	assert_true(failed == 0x12000);
	assert_int_equal(physmap_read(map, 0xffff, buf, 1, &failed), PHYSMAP_READ_OUTSIDE);
	assert_true(failed == 0xffff);
	assert_int_equal(physmap_read(map, 0, buf, 0, NULL), PHYSMAP_READ_OK);
}

static void a_file_that_ends_early_is_unreadable(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();
	_cleanup_close_ int fd = counted_file(0x1000);
	_cleanup_error_ struct error *err = NULL;
	unsigned char buf[16];
	uint64_t failed;

	assert_success(physmap_add_fd(map, 0, 0x2000, fd, 0));
	assert_int_equal(physmap_read(map, 0xff8, buf, 16, &failed), PHYSMAP_READ_UNREADABLE);
	assert_int_equal(errno, 0);
	assert_true(failed == 0x1000);
	err = physmap_read_exact(map, 0xff8, buf, 16);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "physmap-unreadable");
	assert_contains(error_message(err), "0xff8");
}

static void a_process_is_read_as_it_is_now(void **state UNUSED)
{
	unsigned char *shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				     -1, 0);
	_cleanup_physmap_ struct physmap *map = physmap_new();
	unsigned char buf[32];
	pid_t child;

	assert_true(shared != MAP_FAILED);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_success(physmap_add_process(map, UINT64_C(4) << 30, 8192, child,
					   (uint64_t)(uintptr_t)shared));
	memset(shared + 4090, 0x5a, 32);
	assert_success(physmap_read_exact(map, (UINT64_C(4) << 30) + 4090, buf, sizeof(buf)));
	for (size_t i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], 0x5a);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(physmap_read(map, UINT64_C(4) << 30, buf, 1, NULL),
			 PHYSMAP_READ_UNREADABLE);
	assert_int_equal(errno, ESRCH);
	munmap(shared, 8192);
}

static void a_named_file_is_opened_and_closed(void **state UNUSED)
{
	char path[] = "/tmp/ktstr-physmap-XXXXXX";
	int fd = mkstemp(path);
	struct physmap *map = physmap_new();
	char buf[5] = "";

	assert_success(io_write_all(fd, path, "0123456789", 10));
	close(fd);
	assert_success(physmap_add_file(map, 0x100, 5, path, 5));
	assert_error_tag(physmap_add_file(map, 0x100, 5, path, 0), "physmap-overlap");
	assert_int_equal(map->files.n, 1);
	unlink(path);
	assert_error_tag(physmap_add_file(map, 0, 5, path, 0), "io");
	assert_success(physmap_read_exact(map, 0x100, buf, 5));
	assert_memory_equal(buf, "56789", 5);
	assert_error_tag(physmap_read_exact(map, 0x101, buf, 5), "physmap-outside");
	fd = map->files.at[0];
	physmap_free(map);
	assert_int_equal(close(fd), -1);
}

static void segments_have_a_limit(void **state UNUSED)
{
	_cleanup_physmap_ struct physmap *map = physmap_new();

	for (uint64_t i = 0; i < PHYSMAP_LIMIT_SEGMENTS; i++)
		assert_success(physmap_add_process(map, i * 2, 1, 1, 0));
	assert_error_tag(physmap_add_process(map, 1, 1, 1, 0), "limit");
}

#define MIB (UINT64_C(1) << 20)

/* What QEMU 10.0.2 printed (`info mtree -f`), the legacy area taken out. Sizes in MiB. */
static const struct layout_case {
	enum physmap_machine machine;
	uint64_t sizes[3];
	struct physmap_range ranges[5];
} cases[] = {
	{ PHYSMAP_Q35, { 512 }, { { 0, 0xa0000, 0, 0 }, { 0x100000, 0x1ff00000, 0, 0x100000 } } },
	{ PHYSMAP_Q35, { 2048 }, { { 0, 0xa0000, 0, 0 }, { 0x100000, 0x7ff00000, 0, 0x100000 } } },
	{ PHYSMAP_Q35, { 2815 }, { { 0, 0xa0000, 0, 0 }, { 0x100000, 0xafe00000, 0, 0x100000 } } },
	{ PHYSMAP_Q35,
	  { 2816 },
	  { { 0, 0xa0000, 0, 0 },
	    { 0x100000, 0x7ff00000, 0, 0x100000 },
	    { 0x100000000, 0x30000000, 0, 0x80000000 } } },
	{ PHYSMAP_Q35,
	  { 3072 },
	  { { 0, 0xa0000, 0, 0 },
	    { 0x100000, 0x7ff00000, 0, 0x100000 },
	    { 0x100000000, 0x40000000, 0, 0x80000000 } } },
	{ PHYSMAP_Q35,
	  { 5120 },
	  { { 0, 0xa0000, 0, 0 },
	    { 0x100000, 0x7ff00000, 0, 0x100000 },
	    { 0x100000000, 0xc0000000, 0, 0x80000000 } } },
	{ PHYSMAP_Q35,
	  { 3072, 3072 },
	  { { 0, 0xa0000, 0, 0 },
	    { 0x100000, 0x7ff00000, 0, 0x100000 },
	    { 0x100000000, 0x40000000, 0, 0x80000000 },
	    { 0x140000000, 0xc0000000, 1, 0 } } },
	{ PHYSMAP_PC, { 2816 }, { { 0, 0xa0000, 0, 0 }, { 0x100000, 0xaff00000, 0, 0x100000 } } },
	{ PHYSMAP_PC,
	  { 5120 },
	  { { 0, 0xa0000, 0, 0 },
	    { 0x100000, 0xbff00000, 0, 0x100000 },
	    { 0x100000000, 0x80000000, 0, 0xc0000000 } } },
	{ PHYSMAP_PC,
	  { 3072, 3072 },
	  { { 0, 0xa0000, 0, 0 },
	    { 0x100000, 0xbff00000, 0, 0x100000 },
	    { 0x100000000, 0xc0000000, 1, 0 } } },
};

static size_t sizes_of(const struct layout_case *c, uint64_t bytes[3])
{
	size_t n = 0;

	for (; n < 3 && c->sizes[n]; n++)
		bytes[n] = c->sizes[n] * MIB;
	return n;
}

static void ram_layout_matches_recorded_qemu_layouts(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_physmap_layout_ struct physmap_layout layout = { VEC_INIT };
		uint64_t sizes[3];
		size_t n = sizes_of(&cases[i], sizes);

		assert_success(physmap_from_backends(cases[i].machine, sizes, n, &layout));
		for (size_t r = 0; r < layout.ranges.n; r++) {
			const struct physmap_range *found = &layout.ranges.at[r];
			const struct physmap_range *wanted = &cases[i].ranges[r];

			assert_true(r < ARRAY_SIZE(cases[i].ranges));
			assert_true(found->start == wanted->start);
			assert_true(found->length == wanted->length);
			assert_int_equal(found->backend, wanted->backend);
			assert_true(found->offset == wanted->offset);
		}
		assert_true(cases[i].ranges[layout.ranges.n].length == 0);
	}
}

/* Lines "  start-end (prio 0, ram): NAME @offset" of the first flat view of "memory". */
static size_t ranges_of_qemu(const char *machine, const struct layout_case *c,
			     struct physmap_range *ret, size_t most)
{
	_cleanup_strbuf_ struct strbuf command = STRBUF_INIT;
	bool in_memory = false, done = false;
	char line[512];
	uint64_t total = 0;
	size_t n = 0;
	FILE *qemu;

	for (size_t i = 0; i < 3; i++)
		total += c->sizes[i];
	strbuf_appendf(&command,
		       "printf 'info mtree -f\\nquit\\n' | timeout 60 qemu-system-x86_64 "
		       "-nodefaults -display none -S -accel tcg -cpu Nehalem -monitor stdio "
		       "-machine %s -m %lluM",
		       machine, (unsigned long long)total);
	for (size_t i = 0; i < 3 && c->sizes[i]; i++)
		strbuf_appendf(&command,
			       " -object memory-backend-memfd,id=ram%zu,size=%lluM"
			       " -numa node,memdev=ram%zu",
			       i, (unsigned long long)c->sizes[i], i);
	strbuf_append(&command, " 2>/dev/null");
	qemu = popen(strbuf_str(&command), "r");
	assert_non_null(qemu);
	while (fgets(line, sizeof(line), qemu)) {
		unsigned long long start, end, offset = 0;
		unsigned int backend;

		if (strstr(line, "AS \"memory\""))
			in_memory = true;
		done |= in_memory && n > 0 && strncmp(line, "FlatView", 8) == 0;
		if (done || !in_memory ||
		    sscanf(line, " %llx-%llx (prio 0, ram): ram%u @%llx", &start, &end, &backend,
			   &offset) < 3)
			continue;
		assert_true(n < most);
		ret[n++] = (struct physmap_range){ start, end - start + 1, backend, offset };
	}
	pclose(qemu);
	return n;
}

/* The QEMU of this machine may be another version than the one the table was written from. */
static void ram_layout_matches_the_installed_qemu(void **state UNUSED)
{
	skip_unless(system("qemu-system-x86_64 --version >/dev/null 2>&1") == 0,
		    "there is no qemu-system-x86_64");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_physmap_layout_ struct physmap_layout layout = { VEC_INIT };
		const char *machine = cases[i].machine == PHYSMAP_Q35 ? "q35" : "pc";
		struct physmap_range said[16];
		size_t n_said = ranges_of_qemu(machine, &cases[i], said, ARRAY_SIZE(said));
		uint64_t sizes[3], ours = 0, theirs = 0;
		size_t n = sizes_of(&cases[i], sizes);

		assert_true(n_said > 0);
		assert_success(physmap_from_backends(cases[i].machine, sizes, n, &layout));
		/* Each of ours lies inside one of QEMU's; QEMU has more only below 1 MiB. */
		for (size_t r = 0; r < layout.ranges.n; r++) {
			const struct physmap_range *range = &layout.ranges.at[r];
			size_t s = 0;

			for (; s < n_said; s++)
				if (range->start >= said[s].start &&
				    range->start - said[s].start + range->length <=
					    said[s].length &&
				    range->backend == said[s].backend &&
				    range->offset ==
					    said[s].offset + (range->start - said[s].start))
					break;
			assert_true(s < n_said);
			ours += range->start >= MIB ? range->length : 0;
		}
		for (size_t s = 0; s < n_said; s++)
			theirs += said[s].start >= MIB ? said[s].length : 0;
		assert_true(ours == theirs);
	}
}

static void impossible_backends_are_refused(void **state UNUSED)
{
	struct physmap_layout layout = { VEC_INIT };
	uint64_t sizes[PHYSMAP_LIMIT_BACKENDS + 1] = { 0 };

	assert_error_tag(physmap_from_backends(PHYSMAP_Q35, sizes, 0, &layout), "limit");
	assert_error_tag(physmap_from_backends(PHYSMAP_Q35, sizes, ARRAY_SIZE(sizes), &layout),
			 "limit");
	assert_error_tag(physmap_from_backends(PHYSMAP_Q35, sizes, 1, &layout), "physmap-range");
	sizes[0] = 4097;
	assert_error_tag(physmap_from_backends(PHYSMAP_Q35, sizes, 1, &layout), "physmap-range");
	sizes[0] = sizes[1] = UINT64_C(1) << 63;
	assert_error_tag(physmap_from_backends(PHYSMAP_Q35, sizes, 1, &layout), "physmap-range");
	assert_error_tag(physmap_from_backends(PHYSMAP_Q35, sizes, 2, &layout), "physmap-range");
	assert_null(layout.ranges.at);
}

static void a_small_first_backend_is_cut_by_the_legacy_area(void **state UNUSED)
{
	_cleanup_physmap_layout_ struct physmap_layout layout = { VEC_INIT };
	const uint64_t sizes[] = { 0x90000, 0x20000, 0x80000 };

	assert_success(physmap_from_backends(PHYSMAP_Q35, sizes, 3, &layout));
	assert_int_equal(layout.ranges.n, 3);
	assert_true(layout.ranges.at[1].start == 0x90000 && layout.ranges.at[1].length == 0x10000);
	assert_true(layout.ranges.at[2].start == 0x100000 && layout.ranges.at[2].length == 0x30000);
	assert_true(layout.ranges.at[2].backend == 2 && layout.ranges.at[2].offset == 0x50000);
}

static void a_layout_becomes_a_map(void **state UNUSED)
{
	_cleanup_physmap_layout_ struct physmap_layout layout = { VEC_INIT };
	_cleanup_physmap_ struct physmap *map = NULL, *of_process = NULL;
	const uint64_t sizes[] = { 3072 * MIB, 3072 * MIB };
	uint64_t bases[] = { 0x1000, 0x2000 };
	_cleanup_close_ int low = memfd_create("low", 0), high = memfd_create("high", 0);
	const int fds[] = { low, high };
	char buf[4];

	assert_int_equal(ftruncate(low, (off_t)(sizes[0] + 0x1000)), 0);
	assert_int_equal(ftruncate(high, (off_t)(sizes[1] + 0x2000)), 0);
	assert_int_equal(pwrite(low, "low", 4, (off_t)(0x80000000 + 0x1000)), 4);
	assert_int_equal(pwrite(high, "top", 4, (off_t)(sizes[1] - 4 + 0x2000)), 4);
	assert_success(physmap_from_backends(PHYSMAP_Q35, sizes, 2, &layout));
	assert_success(physmap_layout_bind(&layout, fds, 0, bases, &map));
	assert_success(physmap_read_exact(map, UINT64_C(4) << 30, buf, 4));
	assert_string_equal(buf, "low");
	assert_success(physmap_read_exact(map, (UINT64_C(8) << 30) - 4, buf, 4));
	assert_string_equal(buf, "top");
	assert_error_tag(physmap_read_exact(map, 0x80000000, buf, 1), "physmap-outside");
	assert_error_tag(physmap_read_exact(map, 0xa0000, buf, 1), "physmap-outside");
	assert_error_tag(physmap_read_exact(map, 0xfffff, buf, 1), "physmap-outside");

	assert_success(physmap_layout_bind(&layout, NULL, 7, bases, &of_process));
	assert_true(physmap_find(of_process, UINT64_C(5) << 30)->offset == 0x2000);
	bases[1] = UINT64_MAX;
	map = (physmap_free(map), NULL);
	assert_error_tag(physmap_layout_bind(&layout, fds, 0, bases, &map), "physmap-range");
	assert_null(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_found_whatever_their_order),
		cmocka_unit_test(overlaps_are_refused),
		cmocka_unit_test(segments_that_wrap_are_refused),
		cmocka_unit_test(a_file_is_read_across_segments),
		cmocka_unit_test(a_file_that_ends_early_is_unreadable),
		cmocka_unit_test(a_process_is_read_as_it_is_now),
		cmocka_unit_test(a_named_file_is_opened_and_closed),
		cmocka_unit_test(segments_have_a_limit),
		cmocka_unit_test(ram_layout_matches_recorded_qemu_layouts),
		cmocka_unit_test(ram_layout_matches_the_installed_qemu),
		cmocka_unit_test(impossible_backends_are_refused),
		cmocka_unit_test(a_small_first_backend_is_cut_by_the_legacy_area),
		cmocka_unit_test(a_layout_becomes_a_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
