// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/run_record.h"

#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "result/limits.h"

/* The file's first line; NULL when there is none. */
static char *read_line(const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, RESULT_LIMIT_GIT_LINE, &text);

	if (err || !text.n)
		return NULL;
	text.at[strcspn(text.at, "\n")] = '\0';
	return strbuf_take(&text);
}

/* SHA-1 or SHA-256. */
static bool is_commit(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return (n == 40 || n == 64) && (!text[n] || text[n] == ' ');
}

/* `path` relative to dir. */
static char *resolve(const char *dir, const char *path)
{
	return path[0] == '/' ? xstrdup(path) : xasprintf("%s/%s", dir, path);
}

/* The repository's own directory: .git, or where the file .git of a worktree points. */
static char *find_repository(const char *path)
{
	_cleanup_free_ char *dir = xstrdup(path);
	char *slash;

	while ((slash = strrchr(dir, '/'))) {
		_cleanup_free_ char *git = NULL, *line = NULL;
		struct stat st;

		*slash = '\0';
		git = xasprintf("%s/.git", dir);
		if (stat(git, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode))
			return take_ptr(git);
		line = read_line(dir, ".git");
		return line && strncmp(line, "gitdir: ", 8) == 0 ? resolve(dir, line + 8) : NULL;
	}
	return NULL;
}

static char *find_packed(const char *common, const char *ref)
{
	_cleanup_free_ char *path = xasprintf("%s/packed-refs", common);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, RESULT_LIMIT_GIT_REFS, &text);
	char *save = NULL;

	if (err || !text.n)
		return NULL;
	for (char *line = strtok_r(text.at, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *name = strchr(line, ' ');

		if (name && is_commit(line) && strcmp(name + 1, ref) == 0)
			return xstrndup(line, (size_t)(name - line));
	}
	return NULL;
}

static char *find_ref(const char *git, const char *ref)
{
	/* A worktree keeps its branches where the others are. */
	_cleanup_free_ char *below = read_line(git, "commondir");
	_cleanup_free_ char *common = resolve(git, below ? below : ".");
	char *commit;

	if (strncmp(ref, "refs/", 5) != 0 || strstr(ref, ".."))
		return NULL;
	commit = read_line(common, ref);
	return commit ? commit : find_packed(common, ref);
}

struct error *result_commit_of(const char *path, char **ret)
{
	_cleanup_free_ char *git = find_repository(path);
	_cleanup_free_ char *head = git ? read_line(git, "HEAD") : NULL;
	_cleanup_free_ char *commit = NULL;

	if (!git)
		return base_error(BASE_ABSENT, 0, "no git repository is around %s", path);
	if (!head)
		return base_error(BASE_PARSE, 0, "%s has no HEAD that can be read", git);
	commit = strncmp(head, "ref: ", 5) == 0 ? find_ref(git, head + 5) : take_ptr(head);
	if (!commit)
		return base_error(BASE_ABSENT, 0, "the branch of %s has no commit", git);
	if (!is_commit(commit))
		return base_error(BASE_PARSE, 0, "HEAD of %s is not a commit", git);
	*ret = take_ptr(commit);
	return NULL;
}
