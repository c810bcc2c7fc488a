// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A test binary of its own making: it lists tests as libktstr does, and speaks the report's
 * language wrongly, one way per test. `correctly` shows that nothing else is wrong with it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPORT_FD = 3, LONG_LINE = 1 << 20 };

#define STAGE "{\"report\":\"stage\",\"name\":\"work\",\"at_ms\":1}\n"
#define END   "{\"report\":\"end\",\"parts\":0}\n"

static void say_bytes(const char *at, size_t n)
{
	while (n) {
		ssize_t sent = write(REPORT_FD, at, n);

		if (sent <= 0)
			exit(9);
		at += sent;
		n -= (size_t)sent;
	}
}

static void say(const char *text)
{
	say_bytes(text, strlen(text));
}

static void begin(const char *test)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "{\"report\":\"begin\",\"test\":\"%s\",\"api\":1,\"pid\":%d}\n", test, getpid());
	say(text);
}

static void say_part(const char *reason)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "{\"report\":\"part\",\"reason\":\"%s\",\"text\":\"so it says\"}\n", reason);
	say(text);
}

static void correctly(const char *name)
{
	begin(name);
	say(STAGE);
	say(END);
}

static void two_begins(const char *name)
{
	begin(name);
	begin(name);
	say(STAGE END);
}

static void two_ends(const char *name)
{
	correctly(name);
	say(END);
}

static void two_reports(const char *name)
{
	correctly(name);
	correctly(name);
}

static void wrong_count(const char *name)
{
	begin(name);
	say(STAGE);
	say_part("expectation");
	say(END);
}

static void garbage(const char *name)
{
	begin(name);
	say(STAGE "\x80\xff\x01 garbage\n" END);
}

static void long_line(const char *name)
{
	char *line = malloc(LONG_LINE);

	begin(name);
	if (!line)
		exit(8);
	memset(line, 'x', LONG_LINE);
	line[LONG_LINE - 1] = '\n';
	say_bytes(line, LONG_LINE);
	say(STAGE END);
}

static void silence(const char *name)
{
	(void)name;
}

static void no_end(const char *name)
{
	begin(name);
	say(STAGE);
}

static void half_a_line(const char *name)
{
	begin(name);
	say(STAGE "{\"report\":\"end\"");
}

static void hosts_reason(const char *name)
{
	begin(name);
	say(STAGE);
	say_part("host-busy");
	say("{\"report\":\"end\",\"parts\":1}\n");
}

static void other_name(const char *name)
{
	(void)name;
	begin("correctly");
	say(STAGE END);
}

static void before_begin(const char *name)
{
	(void)name;
	say(STAGE END);
}

static void unknown_word(const char *name)
{
	begin(name);
	say("{\"report\":\"gossip\",\"text\":\"?\"}\n" STAGE END);
}

static void no_work(const char *name)
{
	begin(name);
	say(END);
}

static void dies_first(const char *name)
{
	(void)name;
	raise(SIGKILL);
}

static void dies_last(const char *name)
{
	correctly(name);
	raise(SIGSEGV);
}

static void exits_last(const char *name)
{
	correctly(name);
	exit(6);
}

static void exits_without_end(const char *name)
{
	begin(name);
	exit(7);
}

static const struct {
	const char *name;
	void (*run)(const char *name);
} tests[] = {
	{ "before_begin", before_begin },
	{ "correctly", correctly },
	{ "dies_first", dies_first },
	{ "dies_last", dies_last },
	{ "exits_last", exits_last },
	{ "exits_without_end", exits_without_end },
	{ "garbage", garbage },
	{ "half_a_line", half_a_line },
	{ "hosts_reason", hosts_reason },
	{ "long_line", long_line },
	{ "no_end", no_end },
	{ "no_work", no_work },
	{ "other_name", other_name },
	{ "silence", silence },
	{ "two_begins", two_begins },
	{ "two_ends", two_ends },
	{ "two_reports", two_reports },
	{ "unknown_word", unknown_word },
	{ "wrong_count", wrong_count },
};
enum { N_TESTS = sizeof(tests) / sizeof(tests[0]) };

static void list(void)
{
	printf("{\"ktstr_api\":1,\"tests\":[");
	for (int i = 0; i < N_TESTS; i++)
		printf("%s{\"name\":\"%s\",\"file\":\"self_dialects.c\",\"line\":1,"
		       "\"topology\":\"1n1l2c1t\",\"memory_mb\":0,\"duration_s\":0,\"timeout_s\":60,"
		       "\"scheduler\":null,\"files\":[],\"cgroups\":[],"
		       "\"checks\":{\"progress\":true,\"isolation\":false,\"scheduler_alive\":false},"
		       "\"needs\":{\"sched_ext\":false,\"smt\":false,\"min_cpus\":0,\"max_cpus\":0,"
		       "\"min_llcs\":0,\"max_llcs\":0,\"min_nodes\":0,\"max_nodes\":0,"
		       "\"kconfig\":[]},\"expect\":\"none\",\"has_run\":true}",
		       i ? "," : "", tests[i].name);
	puts("]}");
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--list") == 0) {
		list();
		return 0;
	}
	for (int i = 0; argc == 3 && i < N_TESTS; i++) {
		if (strcmp(argv[2], tests[i].name) != 0)
			continue;
		tests[i].run(tests[i].name);
		return 0;
	}
	return 2;
}
