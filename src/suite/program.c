// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/declared.h"

#include <stdio.h>
#include <string.h>

#include "suite/ctx.h"
#include "suite/limits.h"

static const char *name_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "test binary";
}

static void print_usage(FILE *to, const char *path)
{
	const char *name = name_of(path);

	fprintf(to,
		"%s holds tests for process schedulers. The runner boots a machine for each:\n"
		"\n"
		"  ktstr test %s\n"
		"\n"
		"It answers these itself:\n"
		"  %s --list          its tests\n"
		"  %s --list --json   the same, for the runner\n"
		"  %s --run TEST      runs one here: in a guest, or on a machine you can lose\n"
		"  %s --version       the version of libktstr in it\n",
		name, path ? path : name, name, name, name, name);
}

static int wrong(const char *path, const char *what, const char *which)
{
	fprintf(stderr, "%s: %s%s%s\nTry --help.\n", name_of(path), what, which ? " " : "",
		which ? which : "");
	return SUITE_EXIT_USAGE;
}

static int unknown(const char *path, const char *word)
{
	return wrong(path, word[0] == '-' ? "unknown option" : "unexpected argument", word);
}

/* 0, or the exit code when a declaration has a suite_mistake. */
static int check(const char *path, const struct suite_entry_list *entries)
{
	_cleanup_strbuf_ struct strbuf mistakes = STRBUF_INIT;

	if (entries->rows.n == 0) {
		fprintf(stderr, "%s: no tests: no KTSTR_TEST() was linked into it\n",
			name_of(path));
		return SUITE_EXIT_USAGE;
	}
	suite_validate_entries(entries, &mistakes);
	fputs(strbuf_str(&mistakes), stderr);
	return mistakes.n ? SUITE_EXIT_USAGE : 0;
}

static int list(const char *path, const struct suite_entry_list *entries, bool json)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	int code = check(path, entries);

	if (code)
		return code;
	if (json)
		suite_list_format_json(entries, &text);
	else
		suite_list_format(entries, &text);
	if (fwrite(strbuf_str(&text), 1, text.n, stdout) != text.n || fflush(stdout) != 0) {
		fprintf(stderr, "%s: the list could not be written\n", name_of(path));
		return 1;
	}
	return 0;
}

static int run(const char *path, const struct suite_entry_list *entries, const char *name)
{
	const struct ktstr_entry *entry = suite_entries_find(entries, name);
	int code;

	if (!entry)
		return wrong(path, "there is no test named", name);
	code = check(path, entries);
	return code ? code : suite_run_test(entry);
}

int suite_program_main(int argc, char **argv, const struct suite_entry_list *entries)
{
	const char *path = argv[0];

	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout, path);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("%s: libktstr %s, API %d\n", name_of(path), KTSTR_VERSION,
		       KTSTR_API_VERSION);
		return 0;
	}
	if (strcmp(argv[1], "--list") == 0) {
		bool json = argc > 2 && strcmp(argv[2], "--json") == 0;

		if (argc > 2 + json)
			return unknown(path, argv[2 + json]);
		return list(path, entries, json);
	}
	if (strcmp(argv[1], "--run") == 0) {
		if (argc != 3)
			return wrong(path, "--run takes the name of one test", NULL);
		return run(path, entries, argv[2]);
	}
	return unknown(path, argv[1]);
}
