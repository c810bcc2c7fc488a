// SPDX-License-Identifier: GPL-2.0-or-later
/* Room for kernels and templates. */
#include "cli/doctor/doctor.h"

#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/paths.h"
#include "text/number.h"

/* A kernel takes about 100 MB and a template as much or more. */
#define ENOUGH_BYTES (UINT64_C(2) << 30)

/* The folder itself or the nearest one above that exists. */
static char *nearest(const char *path)
{
	_cleanup_free_ char *at = xstrdup(path);

	while (access(at, F_OK) < 0 && strrchr(at, '/') > at)
		*strrchr(at, '/') = 0;
	return access(at, F_OK) == 0 ? take_ptr(at) : xstrdup("/");
}

void check_cache(const char *root UNUSED, struct finding *finding)
{
	_cleanup_free_ char *path = paths_cache("");
	_cleanup_free_ char *there = nearest(path);
	_cleanup_strbuf_ struct strbuf used = STRBUF_INIT, left = STRBUF_INIT;
	struct statvfs fs;
	uint64_t free_bytes;

	if (access(there, W_OK | X_OK) < 0) {
		finding_say(finding, CHECK_MISSING, "%s cannot be used: %s may not be written",
			    path, there);
		/* Below HOME is where it looked by itself. */
		finding_fix(finding, "%s",
			    getenv("KTSTR_CACHE_DIR") || getenv("XDG_CACHE_HOME")
				    ? "export KTSTR_CACHE_DIR=$HOME/.cache/ktstr"
				    : "export KTSTR_CACHE_DIR=$(mktemp -d /var/tmp/ktstr-XXXXXX)");
		return;
	}
	if (statvfs(there, &fs) < 0) {
		finding_say(finding, CHECK_MISSING, "%s: %s", there, strerror(errno));
		return;
	}
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	text_format_bytes(&used, paths_disk_bytes(path));
	text_format_bytes(&left, free_bytes);
	if (free_bytes >= ENOUGH_BYTES) {
		finding_say(finding, CHECK_OK, "%s in %s, %s free", strbuf_str(&used), path,
			    strbuf_str(&left));
		return;
	}
	finding_say(finding, CHECK_LIMITED, "%s in %s, only %s free: templates may not fit",
		    strbuf_str(&used), path, strbuf_str(&left));
	finding_fix(finding, "rm -r %s/templates", path);
}

void check_shm(const char *root, struct finding *finding)
{
	_cleanup_free_ char *path = xasprintf("%s/dev/shm", root);
	_cleanup_strbuf_ struct strbuf size = STRBUF_INIT;
	struct statvfs fs;

	if (statvfs(path, &fs) < 0) {
		finding_say(finding, CHECK_OK, "there is no /dev/shm; nothing depends on it");
		return;
	}
	text_format_bytes(&size, (uint64_t)fs.f_blocks * fs.f_frsize);
	finding_say(finding, CHECK_OK, "%s; nothing depends on its size", strbuf_str(&size));
}
