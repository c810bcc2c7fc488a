// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/closure.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "elf/image.h"

struct walk {
	const char *root;
	const char *path;
	elf_closure_link_fn *on_link;
	void *context;
	struct strbuf real, rest;
	size_t at; /* how much of the rest is done */
	unsigned int links;
};

/* Takes the next component off the rest; false when there is none. */
static bool next_part(struct walk *w, char *part, size_t room)
{
	const char *at = strbuf_str(&w->rest) + w->at;
	size_t skip = strspn(at, "/"), n = strcspn(at + skip, "/");

	if (n == 0 || n >= room)
		return false;
	memcpy(part, at + skip, n);
	part[n] = 0;
	w->at += skip + n;
	return true;
}

static void drop_last(struct strbuf *path)
{
	char *slash = path->n ? strrchr(path->at, '/') : NULL;

	if (slash) {
		*slash = 0;
		path->n = (size_t)(slash - path->at);
	}
}

/* The link's text in front of what is left of the path. */
static void follow(struct walk *w, const char *target)
{
	_cleanup_free_ char *left = xstrdup(strbuf_str(&w->rest) + w->at);

	if (target[0] == '/')
		strbuf_clear(&w->real);
	else
		drop_last(&w->real);
	strbuf_clear(&w->rest);
	strbuf_appendf(&w->rest, "%s/%s", target, left);
	w->at = 0;
}

/* Whether the component just appended is a link, and its target. */
static struct error *look(struct walk *w)
{
	_cleanup_free_ char *host = xasprintf("%s%s", w->root, strbuf_str(&w->real));
	char target[ELF_LIMIT_PATH_CHARS];
	struct stat st;
	ssize_t n;

	if (lstat(host, &st) < 0)
		return base_error(BASE_IO, errno, "%s", w->path);
	if (!S_ISLNK(st.st_mode))
		return NULL;
	n = readlink(host, target, sizeof(target) - 1);
	if (n < 0)
		return base_error(BASE_IO, errno, "%s", w->path);
	target[n] = 0;
	if (++w->links > ELF_LIMIT_PATH_LINKS ||
	    w->rest.n - w->at + (size_t)n >= ELF_LIMIT_PATH_CHARS)
		return base_error(BASE_IO, ELOOP, "%s", w->path);
	if (w->on_link)
		w->on_link(w->context, strbuf_str(&w->real), target);
	follow(w, target);
	return NULL;
}

static struct error *walk(struct walk *w)
{
	char part[256];
	struct error *err = NULL;

	strbuf_append(&w->rest, w->path);
	while (!err && next_part(w, part, sizeof(part))) {
		if (strcmp(part, ".") == 0)
			continue;
		if (strcmp(part, "..") == 0) {
			if (w->on_link && w->real.n)
				w->on_link(w->context, strbuf_str(&w->real), NULL);
			drop_last(&w->real);
			continue;
		}
		strbuf_append_char(&w->real, '/');
		strbuf_append(&w->real, part);
		err = look(w);
	}
	if (!err && strspn(strbuf_str(&w->rest) + w->at, "/") < w->rest.n - w->at)
		err = base_error(BASE_IO, ENAMETOOLONG, "%s", w->path);
	return err;
}

struct error *elf_closure_path_walk(const char *root, const char *path,
				    elf_closure_link_fn *on_link, void *context,
				    struct strbuf *ret_real)
{
	struct walk w = { .root = root, .path = path, .on_link = on_link, .context = context };
	struct error *err;

	if (path[0] != '/' || strlen(path) >= ELF_LIMIT_PATH_CHARS)
		return base_error(BASE_IO, EINVAL, "'%.80s' is not an absolute path", path);
	err = walk(&w);
	if (!err) {
		strbuf_clear(ret_real);
		strbuf_append(ret_real, w.real.n ? strbuf_str(&w.real) : "/");
	}
	strbuf_deinit(&w.real);
	strbuf_deinit(&w.rest);
	return err;
}
