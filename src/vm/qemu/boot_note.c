// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/accel.h"

#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"
#include "json/rows.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

enum { NOTE_BYTES_LIMIT = 16 << 10 };

struct note {
	char *boot_id;
	uint64_t at_sec, key;
	bool answer;
	char *reason;
};

#define ROW(member) JSON_SCALAR(struct note, member), .presence = JSON_REQUIRED

static const struct json_row note_rows[] = {
	{ ROW(boot_id), .means = "the boot of the machine for which it counts" },
	{ ROW(at_sec), .means = "when it was written, in Unix time" },
	{ ROW(key), .means = "hash of what the answer depends on" },
	{ ROW(answer), .means = "yes or no" },
	{ ROW(reason), .means = "why" },
};

static const struct json_rows note_table = { JSON_TABLE(note_rows) };

static void note_deinit(struct note *note)
{
	json_rows_deinit(&note_table, note);
}
#define _cleanup_note_ __attribute__((cleanup(note_deinit)))

static char *note_path(const char *name)
{
	_cleanup_free_ char *file = xasprintf("%s.json", name);

	return paths_run(file);
}

/* Empty when there is none; notes then count by their age alone. */
static char *boot_id(void)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *ignored = io_read_file(BOOT_ID, 256, &text);

	if (text.n && text.at[text.n - 1] == '\n')
		text.at[text.n - 1] = 0;
	return xstrdup(strbuf_str(&text));
}

void vm_boot_note_keep(const char *name, uint64_t key, bool answer, const char *reason)
{
	_cleanup_free_ char *dir = paths_run("");
	_cleanup_free_ char *path = note_path(name);
	_cleanup_free_ char *id = boot_id();
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *ignored = NULL;
	struct note note = { id, clock_unix_sec(), key, answer, (char *)(uintptr_t)reason };

	json_rows_format(&note_table, &note, &out);
	ignored = paths_make(dir, 0700);
	if (!ignored)
		ignored = io_replace_file(path, strbuf_str(&out), out.n);
}

static bool read_note(const char *path, struct note *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_regular(path, O_NOFOLLOW, NOTE_BYTES_LIMIT,
							    &text);

	if (!err)
		err = json_rows_parse(&note_table, strbuf_str(&text), text.n, path, ret);
	return !err;
}

bool vm_boot_note_recall(const char *name, uint64_t key, uint64_t max_age_sec, bool *ret_answer,
			 char **ret_reason)
{
	_cleanup_free_ char *path = note_path(name);
	_cleanup_free_ char *id = NULL;
	_cleanup_note_ struct note note = { 0 };
	uint64_t now = clock_unix_sec();

	if (!read_note(path, &note))
		return false;
	id = boot_id();
	if (strcmp(note.boot_id, id) != 0 || note.key != key || note.at_sec > now ||
	    now - note.at_sec > max_age_sec)
		return false;
	*ret_answer = note.answer;
	*ret_reason = take_ptr(note.reason);
	return true;
}

void vm_boot_note_forget(const char *name)
{
	_cleanup_free_ char *path = note_path(name);

	unlink(path);
}
