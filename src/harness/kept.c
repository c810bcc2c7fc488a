// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/job.h"

#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/paths.h"

void harness_kept_files_deinit(struct harness_kept_files *kept)
{
	for (size_t i = 0; i < kept->names.n; i++)
		free(kept->names.at[i]);
	vec_deinit(&kept->names);
}

/* A link of that name, in a directory that others write to, would lead us elsewhere. */
static struct error *make_dir(const char *dir)
{
	struct error *err = paths_make(dir, 0755);
	struct stat st;

	if (!err && (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode)))
		err = base_error(BASE_IO, ENOTDIR, "%s", dir);
	return err;
}

static bool is_taken(const struct harness_kept_files *kept, const char *name)
{
	for (size_t i = 0; i < kept->names.n; i++)
		if (strcmp(kept->names.at[i], name) == 0)
			return true;
	return false;
}

/* A guest may name its texts as it likes; ours stay what they are. */
static char *free_name(const struct harness_kept_files *kept, const char *name)
{
	char *own = xstrdup(name);

	while (is_taken(kept, own)) {
		char *longer = xasprintf("guest.%s", own);

		free(own);
		own = longer;
	}
	return own;
}

static struct error *keep_text(const char *dir, const char *name, const struct strbuf *text,
			       uint64_t dropped_bytes, struct harness_kept_files *kept)
{
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ char *own = free_name(kept, name);
	struct error *err;

	if (text->n == 0)
		return NULL;
	err = make_dir(dir);
	if (err)
		return err;
	path = xasprintf("%s/%s", dir, own);
	strbuf_append_bytes(&all, text->at, text->n);
	if (dropped_bytes)
		strbuf_appendf(&all, "\n[%llu bytes in the middle were not kept]\n",
			       (unsigned long long)dropped_bytes);
	err = io_replace_file(path, all.at, all.n);
	if (err)
		return err;
	vec_push(&kept->names, take_ptr(own));
	return NULL;
}

static struct error *keep_run(const char *dir, const struct harness_guest_run *run,
			      struct harness_kept_files *kept)
{
	static const char *const streams[] = {
		[VM_STDOUT] = "test.stdout", [VM_STDERR] = "test.stderr"
	};
	struct error *err = NULL;

	for (size_t i = 0; !err && i < ARRAY_SIZE(streams); i++)
		err = keep_text(dir, streams[i], &run->streams[i].text,
				run->streams[i].dropped_bytes, kept);
	if (!err)
		err = keep_text(dir, HARNESS_KEPT_PAGES, &run->pages, 0, kept);
	for (size_t i = 0; !err && i < run->report.texts.n; i++)
		err = keep_text(dir, run->report.texts.at[i].name, &run->report.texts.at[i].text, 0,
				kept);
	return err;
}

struct error *harness_kept_write(const char *dir, const struct strbuf *console,
				 const struct harness_guest_run *run,
				 struct harness_kept_files *ret)
{
	_cleanup_harness_kept_files_ struct harness_kept_files kept = { 0 };
	struct error *err = keep_text(dir, "console.log", console, 0, &kept);

	if (!err && run)
		err = keep_run(dir, run, &kept);
	if (err)
		return error_wrap(err, "keeping %s", dir);
	*ret = kept;
	kept = (struct harness_kept_files){ 0 };
	return NULL;
}
