// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

enum { HOST_BYTES = 256, TRIES = 1000 };

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-' || c == '_';
}

static void append_stem(const char *host, uint64_t unix_sec, struct strbuf *into)
{
	time_t time = (time_t)unix_sec;
	char stamp[32];
	struct tm tm;

	/* Neither hidden nor an option. */
	if (!*host || *host == '.' || *host == '-')
		strbuf_append(into, "host");
	for (; *host; host++)
		strbuf_append_char(into, is_plain(*host) ? *host : '_');
	gmtime_r(&time, &tm);
	strftime(stamp, sizeof(stamp), "-%Y%m%dT%H%M%SZ", &tm);
	strbuf_append(into, stamp);
}

void snapshot_name_format(const char *host, uint64_t unix_sec, struct strbuf *into)
{
	append_stem(host, unix_sec, into);
	strbuf_append(into, SNAPSHOT_SUFFIX);
}

char *snapshot_name_new(void)
{
	_cleanup_strbuf_ struct strbuf stem = STRBUF_INIT;
	uint64_t now = clock_unix_sec();
	char host[HOST_BYTES] = "";
	struct stat st;
	char *name;

	gethostname(host, sizeof(host) - 1);
	append_stem(host, now, &stem);
	name = xasprintf("%s" SNAPSHOT_SUFFIX, strbuf_str(&stem));
	for (int i = 2; i < TRIES && lstat(name, &st) == 0; i++) {
		free(name);
		name = xasprintf("%s-%d" SNAPSHOT_SUFFIX, strbuf_str(&stem), i);
	}
	return name;
}
