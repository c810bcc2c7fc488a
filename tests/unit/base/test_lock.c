// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/lock.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "unit.h"

static char path[64];

static int make_name(void **state UNUSED)
{
	snprintf(path, sizeof(path), "/tmp/ktstr-lock-%d", getpid());
	return 0;
}

static int remove_name(void **state UNUSED)
{
	unlink(path);
	return 0;
}

static void sharers_share_and_an_owner_does_not(void **state UNUSED)
{
	_cleanup_close_ int a = -1, b = -1, c = -1;

	assert_success(lock_try(path, LOCK_SHARED, &a));
	assert_success(lock_try(path, LOCK_SHARED, &b));
	assert_true(a >= 0 && b >= 0);
	assert_success(lock_try(path, LOCK_EXCLUSIVE, &c));
	assert_int_equal(c, -1);
	close(take_fd(a));
	close(take_fd(b));
	assert_success(lock_try(path, LOCK_EXCLUSIVE, &c));
	assert_true(c >= 0);
	assert_success(lock_try(path, LOCK_SHARED, &a));
	assert_int_equal(a, -1);
}

static void *remove_and_let_go(void *arg)
{
	int fd = *(int *)arg;

	usleep(60000);
	unlink(path);
	close(fd);
	return NULL;
}

/* Who waited for a file that its holder removed must end up with the one others will find. */
static void waiter_holds_the_file_that_has_the_name(void **state UNUSED)
{
	_cleanup_close_ int fd = -1;
	struct stat held, named;
	pthread_t thread;
	int first;

	assert_success(lock_try(path, LOCK_EXCLUSIVE, &first));
	assert_int_equal(pthread_create(&thread, NULL, remove_and_let_go, &first), 0);
	assert_success(lock_wait(path, LOCK_EXCLUSIVE, NULL, &fd));
	pthread_join(thread, NULL);
	assert_int_equal(fstat(fd, &held), 0);
	assert_int_equal(stat(path, &named), 0);
	assert_int_equal(held.st_ino, named.st_ino);
}

static void waiting_can_be_called_off(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 50 * NS_PER_MS };
	_cleanup_close_ int holder = -1, fd = -1;

	assert_success(lock_try(path, LOCK_EXCLUSIVE, &holder));
	assert_error_tag(lock_wait(path, LOCK_EXCLUSIVE, &cancel, &fd), "cancelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sharers_share_and_an_owner_does_not, make_name,
						remove_name),
		cmocka_unit_test_setup_teardown(waiter_holds_the_file_that_has_the_name, make_name,
						remove_name),
		cmocka_unit_test_setup_teardown(waiting_can_be_called_off, make_name, remove_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
