// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "cli/frame/command.h"
#include "json/writer.h"
#include "text/terminal.h"

enum { CHECK_FILE_LIMIT = 4 << 20 };

const struct check doctor_checks[] = {
#define CHECK_ROW_(name, what) { #name, check_##name },
	DOCTOR_CHECKS(CHECK_ROW_)
#undef CHECK_ROW_
};
const size_t doctor_n_checks = ARRAY_SIZE(doctor_checks);

static const char *const state_names[CHECK_N_STATES] = { "ok", "limited", "missing" };

void finding_deinit(struct finding *finding)
{
	strbuf_deinit(&finding->text);
	strbuf_deinit(&finding->fix);
}

static void PRINTF_LIKE(3, 0)
	replace(struct strbuf *into, const char *prefix, const char *fmt, va_list args)
{
	strbuf_clear(into);
	strbuf_append(into, prefix);
	strbuf_vappendf(into, fmt, args);
}

void finding_say(struct finding *finding, enum check_state state, const char *fmt, ...)
{
	va_list args;

	finding->state = state;
	strbuf_clear(&finding->fix);
	va_start(args, fmt);
	replace(&finding->text, "", fmt, args);
	va_end(args);
}

void finding_fix(struct finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	replace(&finding->fix, "", fmt, args);
	va_end(args);
}

void finding_fix_as_root(struct finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	replace(&finding->fix, geteuid() == 0 ? "" : "sudo ", fmt, args);
	va_end(args);
}

bool check_read(const char *root, const char *path, struct strbuf *into)
{
	_cleanup_free_ char *full = xasprintf("%s%s", root, path);
	_cleanup_close_ int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_error_ struct error *err = NULL;

	if (fd < 0)
		return false;
	err = io_read_fd(fd, full, CHECK_FILE_LIMIT, into);
	return !err;
}

bool check_exists(const char *root, const char *path)
{
	_cleanup_free_ char *full = xasprintf("%s%s", root, path);

	return access(full, F_OK) == 0;
}

bool check_has_word(struct slice words, const char *word)
{
	struct slice next;

	while (slice_take_word(&words, &next)) {
		if (slice_equal(next, word))
			return true;
	}
	return false;
}

char *check_os_release(const char *root, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t n = strlen(name);
	struct slice rest, line;

	check_read(root, "/etc/os-release", &text);
	rest = slice_of(strbuf_str(&text));
	while (slice_take_line(&rest, &line)) {
		if (!slice_starts_with(line, name) || line.n == n || line.at[n] != '=')
			continue;
		line = (struct slice){ line.at + n + 1, line.n - n - 1 };
		if (line.n >= 2 && line.at[0] == '"' && line.at[line.n - 1] == '"')
			line = (struct slice){ line.at + 1, line.n - 2 };
		return xstrndup(line.at, line.n);
	}
	return NULL;
}

enum {
	NAME_COLUMNS = 13,
	STATE_COLUMNS = 9,
};

void doctor_report_make(const struct check *checks, size_t n, const char *root,
			struct doctor_report *ret)
{
	*ret = (struct doctor_report){
		.checks = checks,
		.findings = xcalloc(n + 1, sizeof(struct finding)),
		.n = n,
	};
	for (size_t i = 0; i < n; i++)
		checks[i].run(root, &ret->findings[i]);
}

void doctor_report_deinit(struct doctor_report *report)
{
	for (size_t i = 0; i < report->n; i++)
		finding_deinit(&report->findings[i]);
	free(report->findings);
	*report = (struct doctor_report){ 0 };
}

static void format_row(const struct check *check, const struct finding *finding, size_t columns,
		       struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	/* Paths and programs speak here. */
	text_escape(&text, strbuf_str(&finding->text));
	strbuf_appendf(into, "%-*s%-*s", NAME_COLUMNS, check->name, STATE_COLUMNS,
		       state_names[finding->state]);
	text_wrap(into, strbuf_str(&text), NAME_COLUMNS + STATE_COLUMNS, columns);
	strbuf_append_char(into, '\n');
	if (!finding->fix.n)
		return;
	/* In one piece, to be copied. */
	strbuf_append_repeated(into, ' ', NAME_COLUMNS + STATE_COLUMNS);
	strbuf_append(into, "fix: ");
	text_escape(into, strbuf_str(&finding->fix));
	strbuf_append_char(into, '\n');
}

void doctor_report_format(const struct doctor_report *report, size_t columns, struct strbuf *into)
{
	for (size_t i = 0; i < report->n; i++)
		format_row(&report->checks[i], &report->findings[i], columns ? columns : SIZE_MAX,
			   into);
}

void doctor_report_format_json(const struct doctor_report *report, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_open_array(&w, "checks");
	for (size_t i = 0; i < report->n; i++) {
		const struct finding *finding = &report->findings[i];

		json_begin_object(&w);
		json_add_string(&w, "name", report->checks[i].name);
		json_add_string(&w, "state", state_names[finding->state]);
		json_add_string(&w, "text", strbuf_str(&finding->text));
		json_add_string(&w, "fix", finding->fix.n ? strbuf_str(&finding->fix) : NULL);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_add_bool(&w, "complete", doctor_report_exit_code(report) == CLI_EXIT_OK);
	json_end_document(&w);
}

int doctor_report_exit_code(const struct doctor_report *report)
{
	for (size_t i = 0; i < report->n; i++) {
		if (report->findings[i].state == CHECK_MISSING)
			return CLI_EXIT_FAILED;
	}
	return CLI_EXIT_OK;
}
