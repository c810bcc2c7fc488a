// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/boot_note.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"
#include "json/writer.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

enum { NOTE_BYTES_LIMIT = 16 << 10 };

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

void boot_note_keep(const char *name, uint64_t key, bool answer, const char *reason)
{
	_cleanup_free_ char *folder = paths_run("");
	_cleanup_free_ char *path = note_path(name);
	_cleanup_free_ char *id = boot_id();
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *ignored = NULL;
	struct json_writer w = json_writer_to(&out, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "boot_id", id);
	json_add_u64(&w, "at_sec", clock_unix_sec());
	json_add_u64(&w, "key", key);
	json_add_bool(&w, "answer", answer);
	json_add_string(&w, "reason", reason);
	json_end_object(&w);
	strbuf_append_char(&out, '\n');
	ignored = paths_make(folder, 0700);
	if (!ignored)
		ignored = io_replace_file(path, strbuf_str(&out), out.n);
}

static struct json_doc *read_note(const char *path)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	struct json_doc *doc = NULL;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

	if (fd < 0)
		return NULL;
	err = io_read_fd(fd, path, NOTE_BYTES_LIMIT, &text);
	if (!err)
		err = json_doc_parse(strbuf_str(&text), text.n, path, &doc);
	return doc;
}

bool boot_note_recall(const char *name, uint64_t key, uint64_t max_age_sec, bool *ret_answer,
		      char **ret_reason)
{
	_cleanup_free_ char *path = note_path(name);
	_cleanup_json_doc_ struct json_doc *doc = read_note(path);
	uint64_t at = 0, kept_key = 0, now = clock_unix_sec();
	const struct json_value *root;
	_cleanup_free_ char *id = NULL;
	struct json_text reason;
	bool answer;

	if (!doc)
		return false;
	id = boot_id();
	root = json_doc_root(doc);
	reason = json_string(json_find(root, "reason"));
	if (!reason.at || !json_text_is(json_string(json_find(root, "boot_id")), id) ||
	    !json_get_u64(json_find(root, "key"), &kept_key) || kept_key != key ||
	    !json_get_bool(json_find(root, "answer"), &answer) ||
	    !json_get_u64(json_find(root, "at_sec"), &at) || at > now || now - at > max_age_sec)
		return false;
	*ret_answer = answer;
	*ret_reason = xstrndup(reason.at, reason.n);
	return true;
}

void boot_note_forget(const char *name)
{
	_cleanup_free_ char *path = note_path(name);

	unlink(path);
}
