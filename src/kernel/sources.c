// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/sources.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/io.h"
#include "kernel/version.h"

enum { SOURCES_FILE_LIMIT = 1 << 20 };

void kernel_sources_deinit(struct kernel_sources *sources)
{
	for (size_t i = 0; i < sources->n; i++) {
		free(sources->at[i].uri);
		free(sources->at[i].suite);
		free(sources->at[i].entry);
		free(sources->at[i].signed_by);
	}
	vec_deinit(sources);
	free(sources->uri);
	free(sources->signed_by);
	free(sources->next);
	*sources = (struct kernel_sources){ 0 };
}

/* Names of suites move with every release of Debian, so nothing here grows old. */
static const char *suite_after(const char *suite)
{
	static const char *const order[] = { "oldoldstable", "oldstable", "stable", "testing" };

	for (size_t i = 0; i + 1 < ARRAY_SIZE(order); i++) {
		if (strcmp(suite, order[i]) == 0)
			return order[i + 1];
	}
	return NULL;
}

static bool has_suite(const struct kernel_sources *sources, const char *uri, const char *suite)
{
	for (size_t i = 0; i < sources->n; i++) {
		if (strcmp(sources->at[i].suite, suite) == 0 &&
		    strcmp(sources->at[i].uri, uri) == 0)
			return true;
	}
	return false;
}

/* apt leaves what it does not know unexpanded: "$(SUITE)". */
static bool is_plain(const char *word)
{
	return word && word[0] && !strpbrk(word, "$\"\\;");
}

static void read_line(struct kernel_sources *sources, char *line, const char *codename)
{
	char *save = NULL;
	const char *uri = strtok_r(line, " ", &save);
	const char *name = strtok_r(NULL, " ", &save);
	const char *suite = strtok_r(NULL, " ", &save);
	const char *entry = strtok_r(NULL, " ", &save);
	const char *origin = save;

	if (!is_plain(uri) || !is_plain(name) || !is_plain(suite) || !is_plain(entry) || !origin ||
	    (strcmp(origin, "Debian") != 0 && strcmp(origin, "Debian Backports") != 0))
		return;
	if (!sources->uri && strcmp(name, codename) == 0) {
		const char *next = suite_after(suite);

		sources->uri = xstrdup(uri);
		sources->next = next ? xstrdup(next) : NULL;
	}
	/* One line per component: each suite once is enough, kernels are in main. */
	if (!has_suite(sources, uri, name)) {
		struct kernel_source source = {
			.uri = xstrdup(uri),
			.suite = xstrdup(name),
			.entry = xstrdup(entry),
		};

		vec_push(sources, source);
	}
}

struct error *kernel_sources_parse(const char *text, size_t n, const char *codename,
				   struct kernel_sources *ret)
{
	_cleanup_kernel_sources_ struct kernel_sources sources = { 0 };
	_cleanup_free_ char *copy = xstrndup(text, n);
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		read_line(&sources, line, codename);
	if (!sources.uri)
		return base_error(BASE_ABSENT, 0,
				  "no source of the system's apt is a Debian archive with '%s'",
				  codename);
	*ret = sources;
	sources = (struct kernel_sources){ 0 };
	return NULL;
}

/* "[arch=amd64 signed-by=/path]" of a one-line entry. */
static char *signed_by_option(const char *line, size_t n)
{
	static const char word[] = "signed-by=";
	const char *at = memmem(line, n, word, sizeof(word) - 1);
	_cleanup_free_ char *rest = NULL;

	if (!at)
		return NULL;
	at += sizeof(word) - 1;
	rest = xstrndup(at, (size_t)(line + n - at));
	rest[strcspn(rest, "] ,\t")] = 0;
	return rest[0] == '/' ? take_ptr(rest) : NULL;
}

/* "Signed-By: /path"; keys that stand in the file itself are no path. */
static char *signed_by_field(const char *line, size_t n)
{
	static const char word[] = "signed-by:";
	_cleanup_free_ char *rest = NULL;

	if (n <= sizeof(word) - 1 || strncasecmp(line, word, sizeof(word) - 1) != 0)
		return NULL;
	rest = xstrndup(line + sizeof(word) - 1, n - (sizeof(word) - 1));
	memmove(rest, rest + strspn(rest, " \t"), strlen(rest + strspn(rest, " \t")) + 1);
	rest[strcspn(rest, " \t")] = 0;
	return rest[0] == '/' ? take_ptr(rest) : NULL;
}

char *kernel_signed_by(const char *text, size_t n, bool deb822, unsigned long wanted)
{
	const char *at = text, *end = text + n;

	for (unsigned long line = 1; at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t line_n = (size_t)((newline ? newline : end) - at);
		char *found = NULL;

		if (line >= wanted && line_n == 0 && deb822)
			return NULL;
		if (deb822 ? line >= wanted : line == wanted)
			found = deb822 ? signed_by_field(at, line_n) : signed_by_option(at, line_n);
		if (found)
			return found;
		at += line_n + 1;
	}
	return NULL;
}

static char *read_key(const char *entry)
{
	_cleanup_free_ char *path = xstrdup(entry);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	char *colon = strrchr(path, ':');
	size_t path_n;

	if (!colon)
		return NULL;
	*colon = 0;
	path_n = strlen(path);
	err = io_read_file(path, SOURCES_FILE_LIMIT, &text);
	if (err)
		return NULL;
	return kernel_signed_by(strbuf_str(&text), text.n,
				path_n > 8 && strcmp(path + path_n - 8, ".sources") == 0,
				strtoul(colon + 1, NULL, 10));
}

static char *debian_keys(void)
{
	static const char *const files[] = { "/usr/share/keyrings/debian-archive-keyring.gpg",
					     "/usr/share/keyrings/debian-archive-keyring.pgp" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (access(files[i], R_OK) == 0)
			return xstrdup(files[i]);
	}
	return NULL;
}

void kernel_sources_read_keys(struct kernel_sources *sources)
{
	for (size_t i = 0; i < sources->n; i++) {
		struct kernel_source *source = &sources->at[i];

		source->signed_by = source->entry ? read_key(source->entry) : NULL;
		if (!source->signed_by)
			source->signed_by = debian_keys();
		if (!sources->signed_by && source->signed_by &&
		    strcmp(source->uri, sources->uri) == 0)
			sources->signed_by = xstrdup(source->signed_by);
	}
}

char *kernel_sources_codename(const char *text, size_t n)
{
	static const char word[] = "\nCodename: ";
	const char *at = memmem(text, n, word, sizeof(word) - 1);
	_cleanup_free_ char *name = NULL;

	if (!at)
		return NULL;
	at += sizeof(word) - 1;
	name = xstrndup(at, (size_t)(text + n - at));
	name[strcspn(name, "\n")] = 0;
	return kernel_name_is_safe(name) ? take_ptr(name) : NULL;
}

void kernel_sources_add(struct kernel_sources *sources, const char *suite)
{
	struct kernel_source source = { 0 };

	if (has_suite(sources, sources->uri, suite))
		return;
	source.uri = xstrdup(sources->uri);
	source.suite = xstrdup(suite);
	source.signed_by = sources->signed_by ? xstrdup(sources->signed_by) : NULL;
	vec_push(sources, source);
}

void kernel_sources_format(const struct kernel_sources *sources, struct strbuf *into)
{
	for (size_t i = 0; i < sources->n; i++) {
		const struct kernel_source *source = &sources->at[i];

		strbuf_appendf(into, "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n",
			       source->uri, source->suite);
		if (source->signed_by)
			strbuf_appendf(into, "Signed-By: %s\n", source->signed_by);
		strbuf_append_char(into, '\n');
	}
}
