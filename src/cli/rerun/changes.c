// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rerun/rerun.h"

#include <inttypes.h>
#include <string.h>

#include "base/shell_word.h"
#include "text/terminal.h"

#define SYSCTL_PREFIX "sysctl."

void changes_deinit(struct changes *changes)
{
	for (size_t i = 0; i < changes->lines.n; i++)
		free(changes->lines.at[i]);
	vec_deinit(&changes->lines);
	*changes = (struct changes){ 0 };
}

static void say(struct changes *changes, bool counted, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void say(struct changes *changes, bool counted, const char *fmt, ...)
{
	char *line;
	va_list args;

	va_start(args, fmt);
	line = xvasprintf(fmt, args);
	va_end(args);
	vec_push(&changes->lines, line);
	changes->n_counted += counted;
}

/* Values that the record lacks are not compared. */
static bool differs(const char *before, const char *now)
{
	return before && strcmp(before, now ? now : "") != 0;
}

static void compare_file(struct changes *changes, const struct result_file *before,
			 const struct harness_test_file *now)
{
	_cleanup_strbuf_ struct strbuf what = STRBUF_INIT;
	char hash[HARNESS_VARIANT_ID_CHARS + 1];

	snprintf(hash, sizeof(hash), "%016" PRIx64, now->hash);
	if (differs(before->hash, hash))
		strbuf_appendf(&what, "hash %s is now %s", before->hash, hash);
	if (differs(before->build_id, now->build_id))
		strbuf_appendf(&what, "%sbuild-id %s is now %s", what.n ? ", " : "",
			       before->build_id, now->build_id ? now->build_id : "none");
	if (what.n)
		say(changes, true, "changed: %s: %s", now->name, strbuf_str(&what));
	if (differs(before->path, now->path))
		say(changes, false, "moved: %s: %s is now %s", now->name, before->path, now->path);
}

static const struct result_file *find_before(const struct result_run *past, const char *name)
{
	for (size_t i = 0; i < past->rerun.files.n; i++)
		if (past->rerun.files.at[i].name && strcmp(past->rerun.files.at[i].name, name) == 0)
			return &past->rerun.files.at[i];
	return NULL;
}

static bool is_taken(const struct harness_test_files *files, const char *name)
{
	for (size_t i = 1; i < files->n; i++)
		if (strcmp(files->at[i].name, name) == 0)
			return true;
	return false;
}

static void compare_files(struct changes *changes, const struct result_run *past,
			  const struct harness_test_files *files)
{
	compare_file(changes, &past->rerun.binary, &files->at[0]);
	for (size_t i = 1; i < files->n; i++) {
		const struct result_file *before = find_before(past, files->at[i].name);

		if (before)
			compare_file(changes, before, &files->at[i]);
		else
			say(changes, true, "changed: %s is new: the test did not name it",
			    files->at[i].name);
	}
	for (size_t i = 0; i < past->rerun.files.n; i++) {
		const char *name = past->rerun.files.at[i].name;

		if (name && !is_taken(files, name))
			say(changes, true, "changed: the test no longer names %s", name);
	}
}

static void compare_kernel(struct changes *changes, const struct result_run *past,
			   const struct kernel *now)
{
	const char *build_id = past->rerun.kernel_build_id;

	if (differs(build_id, now->build_id))
		say(changes, true, "changed: kernel %s: build-id %s is now %s", now->id, build_id,
		    now->build_id ? now->build_id : "none");
	if (differs(past->rerun.kernel_id, now->id))
		say(changes, !build_id, "moved: kernel %s is now %s%s", past->rerun.kernel_id,
		    now->id, build_id ? ", the same by its build-id" : "");
}

static void append_words(struct strbuf *into, const struct exchange_text_list *words,
			 const char *prefix)
{
	size_t skip = strlen(prefix);

	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->at[i];

		if (strncmp(word, prefix, skip) == 0)
			word += skip;
		if (i)
			strbuf_append_char(into, ' ');
		shell_append_word(into, word);
	}
	if (words->n == 0)
		strbuf_append(into, "none");
}

static void compare_words(struct changes *changes, const char *what,
			  const struct exchange_text_list *before, const char *prefix,
			  const struct exchange_text_list *now)
{
	_cleanup_strbuf_ struct strbuf was = STRBUF_INIT, is = STRBUF_INIT;

	append_words(&was, before, prefix);
	append_words(&is, now, "");
	if (strcmp(strbuf_str(&was), strbuf_str(&is)) != 0)
		say(changes, true, "changed: %s: %s is now %s", what, strbuf_str(&was),
		    strbuf_str(&is));
}

static char *memory_text(uint64_t bytes)
{
	struct strbuf text = STRBUF_INIT;

	if (bytes)
		text_format_bytes(&text, bytes);
	else
		strbuf_append(&text, "what the machine needs");
	return strbuf_take(&text);
}

static void compare_declaration(struct changes *changes, const struct result_run *past,
				const struct exchange_declared_test *now)
{
	uint64_t bytes = (uint64_t)now->memory_mb << 20;

	compare_words(changes, "scheduler", &past->rerun.scheduler_argv, "", &now->scheduler.argv);
	compare_words(changes, "kernel arguments", &past->rerun.kernel_args, "",
		      &now->scheduler.kernel_args);
	compare_words(changes, "sysctls", &past->sysctls, SYSCTL_PREFIX, &now->scheduler.sysctls);
	if (past->rerun.memory_bytes != bytes) {
		_cleanup_free_ char *was = memory_text(past->rerun.memory_bytes);
		_cleanup_free_ char *is = memory_text(bytes);

		say(changes, true, "changed: memory: %s is now %s", was, is);
	}
}

static void compare_tools(struct changes *changes, const struct result_run *past,
			  const struct changes_tools *now)
{
	if (past->clock.kind != RESULT_CLOCK_VIRTUAL)
		return;
	if (now->qemu_version && differs(past->qemu_version, now->qemu_version))
		say(changes, true, "changed: QEMU %s is now %s", past->qemu_version,
		    now->qemu_version);
	if (now->ktstr_hash && differs(past->ktstr_hash, now->ktstr_hash))
		say(changes, true, "changed: agent and plugin of ktstr: hash %s is now %s",
		    past->ktstr_hash, now->ktstr_hash);
	if (now->tools_hash && differs(past->tools_hash, now->tools_hash))
		say(changes, true,
		    "changed: the guest's busybox or its libraries: hash %s is now %s",
		    past->tools_hash, now->tools_hash);
}

void changes_find(const struct result_run *past, const struct harness_variant *now,
		  const struct harness_test_files *files, const struct changes_tools *tools,
		  struct changes *ret)
{
	compare_tools(ret, past, tools);
	compare_kernel(ret, past, now->kernel);
	compare_files(ret, past, files);
	compare_declaration(ret, past, now->test);
	ret->other_variant = strcmp(past->id, now->id) != 0;
}

void changes_format(const struct changes *changes, const struct result_run *past,
		    const struct harness_variant *now, struct strbuf *into)
{
	size_t n = changes->lines.n;

	for (size_t i = 0; i < n && i < CHANGES_SHOWN_LIMIT; i++) {
		text_escape(into, changes->lines.at[i]);
		strbuf_append_char(into, '\n');
	}
	if (n > CHANGES_SHOWN_LIMIT)
		strbuf_appendf(into, "and %zu more\n", n - CHANGES_SHOWN_LIMIT);
	if (changes->other_variant) {
		strbuf_append(into, "another variant: ");
		text_escape(into, past->id);
		strbuf_appendf(into, " is now %s%s\n", now->id,
			       changes->n_counted ? "" : ", though nothing above says why");
	} else {
		strbuf_appendf(into, "same variant: %s%s\n", now->id,
			       changes->n_counted ? "" : ", nothing changed");
	}
}
