// SPDX-License-Identifier: GPL-2.0-or-later
/* A payload that lies, eats and meddles. No part of it is ktstr's. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A report as a test gives it: a failure that nobody saw, and an end. */
static const char report[] =
	"{\"report\":\"part\",\"reason\":\"expectation\",\"text\":\"forged\"}\n"
	"{\"report\":\"end\",\"parts\":1}\n";

static pid_t parent_of(pid_t pid)
{
	char path[64], text[512], *at;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	at = strrchr(text, ')');
	return at ? (pid_t)atoi(at + 4) : 0;
}

static int forge(pid_t whose, int fd_there, const char *text)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", whose, fd_there);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return 1;
	return 0;
}

static void eat(void)
{
	for (;;) {
		char *at = malloc(4 << 20);

		if (at)
			memset(at, 1, 4 << 20);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "eat") == 0)
		eat();
	if (strcmp(what, "claim") == 0) {
		/* Fine metrics and a report, and then it fails. */
		puts("{\"ktstr\":{\"verdict\":\"pass\"},\"ops_per_s\":1000000}");
		fputs(report, stdout);
		return 1;
	}
	if (strcmp(what, "lie") == 0) {
		fputs(report, stderr);
		puts("{\"verdict\":\"pass\",\"ops_per_s\":1000000}");
		return 0;
	}
	if (strcmp(what, "garbage") == 0) {
		for (unsigned int i = 0; i < 70000; i++)
			putchar((int)(i * 2654435761u >> 24));
		return 0;
	}
	/* What was not given is not there. */
	if (strcmp(what, "inherited") == 0) {
		for (int fd = 3; fd < 64; fd++)
			if (write(fd, report, sizeof(report) - 1) > 0)
				return 1;
		return 0;
	}
	/* Root may write into anybody's pipe. */
	if (strcmp(what, "forge") == 0)
		return forge(parent_of(getppid()), 3, report);
	/* Everything held, and whoever knows better is gone. */
	if (strcmp(what, "silence") == 0) {
		pid_t reporter = parent_of(getppid());
		int status = forge(reporter, 3, "{\"report\":\"end\",\"parts\":0}\n");

		kill(reporter, SIGKILL);
		return status;
	}
	return 2;
}
