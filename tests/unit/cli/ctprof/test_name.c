// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static void assert_name(const char *host, uint64_t unix_sec, const char *expected)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	snapshot_name_format(host, unix_sec, &name);
	assert_string_equal(strbuf_str(&name), expected);
}

static void a_name_holds_host_and_time_in_utc(void **state UNUSED)
{
	setenv("TZ", "America/New_York", 1);
	assert_name("web-1.example", 1700000000, "web-1.example-20231114T221320Z.ctprof.zst");
}

static void strange_hosts_make_plain_names(void **state UNUSED)
{
	assert_name("a/b c\n", 0, "a_b_c_-19700101T000000Z.ctprof.zst");
	assert_name("", 0, "host-19700101T000000Z.ctprof.zst");
	assert_name(".hidden", 0, "host.hidden-19700101T000000Z.ctprof.zst");
	assert_name("-rf", 0, "host-rf-19700101T000000Z.ctprof.zst");
}

static void a_name_that_is_taken_gets_a_number(void **state UNUSED)
{
	char folder[] = "/tmp/ktstr-name-XXXXXX";
	char *names[20];

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int fd;

		names[i] = snapshot_name_new();
		fd = open(names[i], O_WRONLY | O_CREAT | O_EXCL, 0600);
		assert_true(fd >= 0);
		close(fd);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		unlink(names[i]);
		free(names[i]);
	}
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_holds_host_and_time_in_utc),
		cmocka_unit_test(strange_hosts_make_plain_names),
		cmocka_unit_test(a_name_that_is_taken_gets_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
