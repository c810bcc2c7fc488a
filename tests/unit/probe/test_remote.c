// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/remote.h"

#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

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

static void a_range_that_is_not_there_spoils_no_other(void **state UNUSED)
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

static void a_stranger_is_denied(void **state UNUSED)
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
		cmocka_unit_test(many_ranges_take_several_calls),
		cmocka_unit_test(a_range_that_is_not_there_spoils_no_other),
		cmocka_unit_test(each_single_hole_is_found_wherever_it_is),
		cmocka_unit_test(a_range_across_the_end_is_a_fault),
		cmocka_unit_test(an_impossible_address_is_a_fault),
		cmocka_unit_test(no_ranges_and_empty_ranges_are_fine),
		cmocka_unit_test(a_process_that_went_is_gone_for_every_range),
		cmocka_unit_test(a_stranger_is_denied),
		cmocka_unit_test(each_status_has_its_errno),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
