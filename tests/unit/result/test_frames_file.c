// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/frames.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "unit.h"

static const struct result_frame sample = { 5250013376, 0x0123456789abcdef, 6, 2, 12 };

static void only_a_regular_file_is_read(void **state UNUSED)
{
	char dir[] = "/tmp/ktstr-frames-XXXXXX";
	_cleanup_result_frames_ struct result_frames frames = { 0 }, read = { 0 };
	_cleanup_free_ char *path = NULL, *fifo = NULL;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/x.frames", dir);
	fifo = xasprintf("%s/fifo", dir);
	assert_error_tag(result_frames_read(path, &read), "absent");
	result_frames_add(&frames, &sample);
	frames.digest = 9;
	assert_success(result_frames_write(dir, path, &frames));
	/* Over another one. */
	assert_success(result_frames_write(dir, path, &frames));
	assert_success(result_frames_read(path, &read));
	assert_int_equal(read.frames.n, 1);
	assert_true(read.frames.at[0].hash == sample.hash && read.digest == 9);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_error_tag(result_frames_read(fifo, &read), "io");
	assert_error_tag(result_frames_read(dir, &read), "io");
	assert_success(paths_remove(dir));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_regular_file_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
