// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/closure.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"
#include "base/vec.h"
#include "elf/closure_internal.h"
#include "elf/image.h"

DEFINE_ERROR_DOMAIN(elf_closure, ELF_CLOSURE, ELF_CLOSURE_ERRORS);

enum { NOBODY = -1 };

/* Beside each file of the result: what the search needs of it. */
struct loaded {
	struct elf_dynamic *dynamic; /* NULL: not ELF */
	char *origin;
	int loader; /* index of the object that first needed it, or NOBODY */
	dev_t dev;
	ino_t ino;
};

struct missing {
	char *name;
	struct strbuf needed_by;
};

struct search {
	const char *root;
	const char *library_path;
	struct elf_closure *out;
	VEC(struct loaded) objects;
	VEC(struct missing) missing;
	struct strbuf cache_bytes;
	struct elf_ld_cache cache;
	int program; /* the first ELF: whose DT_RPATH counts for everybody */
	/* What is looked for now, for which object, and what went wrong. */
	const char *wanted;
	int loader;
	struct error *err;
};

void elf_closure_free(struct elf_closure *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_files; i++) {
		free(c->files[i].path);
		free(c->files[i].wanted);
	}
	free(c->files);
	free(c);
}

static void search_deinit(struct search *s)
{
	for (size_t i = 0; i < s->objects.n; i++) {
		elf_dynamic_free(s->objects.at[i].dynamic);
		free(s->objects.at[i].origin);
	}
	vec_deinit(&s->objects);
	for (size_t i = 0; i < s->missing.n; i++) {
		free(s->missing.at[i].name);
		strbuf_deinit(&s->missing.at[i].needed_by);
	}
	vec_deinit(&s->missing);
	strbuf_deinit(&s->cache_bytes);
	elf_closure_free(s->out);
}

/* Not having a cache, or one that makes no sense, leaves the directories. */
static void read_cache(struct search *s)
{
	_cleanup_close_ int fd = io_open_below(s->root, "/etc/ld.so.cache");
	struct error *err = NULL;

	if (fd >= 0)
		err = io_read_fd(fd, "ld.so.cache", ELF_LIMIT_LD_CACHE_BYTES, &s->cache_bytes);
	if (fd >= 0 && !err)
		err = elf_ld_cache_parse(
			(struct bytes){ (const uint8_t *)s->cache_bytes.at, s->cache_bytes.n },
			&s->cache);
	error_free(err);
}

/* Takes what the object holds, also when it fails. */
static struct error *add(struct search *s, const char *path, const char *wanted,
			 enum elf_closure_way way, const struct loaded *object)
{
	struct elf_closure *out = s->out;

	if (out->n_files == ELF_LIMIT_CLOSURE_FILES) {
		elf_dynamic_free(object->dynamic);
		free(object->origin);
		return elf_closure_error(ELF_CLOSURE_LIMIT, 0, "%s needs more than %d files",
					 out->files[0].path, ELF_LIMIT_CLOSURE_FILES);
	}
	out->files = xreallocarray(out->files, out->n_files + 1, sizeof(*out->files));
	out->files[out->n_files++] = (struct elf_closure_file){
		.path = xstrdup(path),
		.wanted = xstrdup(wanted),
		.way = way,
		.in_default_directory = way == ELF_CLOSURE_DEFAULT,
	};
	vec_push(&s->objects, *object);
	return NULL;
}

static void miss(struct search *s, const char *name, int by)
{
	const char *who = by == NOBODY ? "the caller" : s->out->files[by].path;

	for (size_t i = 0; i < s->missing.n; i++) {
		struct missing *m = &s->missing.at[i];

		if (strcmp(m->name, name) == 0) {
			if (m->needed_by.n < ELF_LIMIT_TRIED_CHARS)
				strbuf_appendf(&m->needed_by, ", %s", who);
			return;
		}
	}
	vec_push(&s->missing, (struct missing){ .name = xstrdup(name) });
	strbuf_append(&s->missing.at[s->missing.n - 1].needed_by, who);
}

/*
 * Opens a candidate. *ret_image stays NULL for a file that is not an object of this machine: the
 * loader goes on searching past a library of another class.
 */
static bool open_object(struct search *s, const char *path, struct loaded *ret,
			struct elf_image **ret_image)
{
	_cleanup_close_ int fd = io_open_below(s->root, path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	*ret = (struct loaded){ .dev = st.st_dev, .ino = st.st_ino, .loader = NOBODY };
	error_free(elf_image_open_fd(fd, path, ret_image));
	return true;
}

/* By file, as two names may lead to one. */
static bool is_known_file(const struct search *s, const struct loaded *o)
{
	for (size_t i = 0; i < s->objects.n; i++) {
		if (s->objects.at[i].dev == o->dev && s->objects.at[i].ino == o->ino)
			return true;
	}
	return false;
}

static bool is_known_name(const struct search *s, const char *name)
{
	for (size_t i = 0; i < s->objects.n; i++) {
		const struct elf_dynamic *d = s->objects.at[i].dynamic;

		if (s->out->files[i].way < ELF_CLOSURE_INTERPRETER)
			continue;
		if (strcmp(s->out->files[i].wanted, name) == 0 ||
		    (d && d->soname && strcmp(d->soname, name) == 0))
			return true;
	}
	return false;
}

/* True when the search for this name is over, one way or the other. */
static bool try_path(struct search *s, const char *path, enum elf_closure_way way)
{
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct loaded o;

	if (!open_object(s, path, &o, &img) || !img || elf_image_machine(img) != s->out->machine)
		return false;
	if (is_known_file(s, &o))
		return true;
	s->err = elf_dynamic_read(img, &o.dynamic);
	if (s->err)
		return true;
	/* Of a library the loader takes the directory of the name it opened, links and all. */
	o.origin = paths_dirname(path);
	o.loader = s->loader;
	s->err = add(s, path, s->wanted, way, &o);
	return true;
}

static bool try_list(struct search *s, const char *list, int of, enum elf_closure_way way)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	while (elf_closure_next_directory(&list, s->objects.at[of].origin, s->out->machine,
					  &path)) {
		strbuf_append_char(&path, '/');
		strbuf_append(&path, s->wanted);
		if (try_path(s, strbuf_str(&path), way))
			return true;
	}
	return false;
}

/* DT_RPATH of the object, of its loaders in turn, and of the program. */
static bool try_rpaths(struct search *s)
{
	bool program_done = false;

	if (s->objects.at[s->loader].dynamic->runpath)
		return false;
	for (int i = s->loader; i != NOBODY; i = s->objects.at[i].loader) {
		const struct elf_dynamic *d = s->objects.at[i].dynamic;

		program_done |= i == s->program;
		if (d && try_list(s, d->rpath, i, ELF_CLOSURE_RPATH))
			return true;
	}
	return !program_done &&
	       try_list(s, s->objects.at[s->program].dynamic->rpath, s->program, ELF_CLOSURE_RPATH);
}

static bool is_default_dir(uint16_t machine, const char *path)
{
	const char *const *directories = elf_closure_default_directories(machine);
	size_t n = (size_t)(strrchr(path, '/') - path);

	for (; *directories; directories++) {
		if (strlen(*directories) == n && memcmp(*directories, path, n) == 0)
			return true;
	}
	return false;
}

static bool try_cache(struct search *s)
{
	const char *path = elf_ld_cache_find(&s->cache, s->out->machine, s->wanted);
	size_t before = s->out->n_files;
	bool is_default;

	if (!path || path[0] != '/' || strlen(path) >= ELF_LIMIT_PATH_CHARS)
		return false;
	is_default = is_default_dir(s->out->machine, path);
	if ((is_default && s->objects.at[s->loader].dynamic->no_default_directories) ||
	    !try_path(s, path, ELF_CLOSURE_CACHE))
		return false;
	if (s->out->n_files > before)
		s->out->files[before].in_default_directory = is_default;
	return true;
}

static bool try_default_dirs(struct search *s)
{
	const char *const *directories = elf_closure_default_directories(s->out->machine);

	if (s->objects.at[s->loader].dynamic->no_default_directories)
		return false;
	for (; *directories; directories++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", *directories, s->wanted);

		if (try_path(s, path, ELF_CLOSURE_DEFAULT))
			return true;
	}
	return false;
}

static bool find_library(struct search *s)
{
	if (strchr(s->wanted, '/')) {
		_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

		return elf_closure_expand(s->wanted, strlen(s->wanted),
					  s->objects.at[s->loader].origin, s->out->machine,
					  &path) &&
		       strbuf_str(&path)[0] == '/' &&
		       try_path(s, strbuf_str(&path), ELF_CLOSURE_BY_PATH);
	}
	return try_rpaths(s) || try_list(s, s->library_path, s->program, ELF_CLOSURE_ENVIRONMENT) ||
	       try_list(s, s->objects.at[s->loader].dynamic->runpath, s->loader,
			ELF_CLOSURE_RUNPATH) ||
	       try_cache(s) || try_default_dirs(s);
}

/* Breadth first from the program on, as the loader maps them. */
static struct error *find_libraries(struct search *s)
{
	for (size_t i = (size_t)s->program; i < s->objects.n && !s->err; i++) {
		const struct elf_dynamic *d = s->objects.at[i].dynamic;

		s->loader = (int)i;
		for (size_t k = 0; d && k < d->n_needed && !s->err; k++) {
			s->wanted = d->needed[k];
			if (!is_known_name(s, s->wanted) && !find_library(s))
				miss(s, s->wanted, s->loader);
		}
	}
	return take_ptr(s->err);
}

static struct error *add_interpreter(struct search *s)
{
	s->wanted = s->objects.at[s->program].dynamic->interpreter;
	s->loader = s->program;
	if (s->wanted && (s->wanted[0] != '/' || !try_path(s, s->wanted, ELF_CLOSURE_INTERPRETER)))
		miss(s, s->wanted, s->program);
	return take_ptr(s->err);
}

struct script {
	char interpreter[256];
	char word[256]; /* the first of what follows it; "" when there is none */
};

static bool parse_script(const char *line, size_t n, struct script *ret)
{
	char text[512];
	char *at = text, *save = NULL, *word;

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	n = n - 2 < sizeof(text) - 1 ? n - 2 : sizeof(text) - 1;
	memcpy(text, line + 2, n);
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	word = strtok_r(at, " \t\r", &save);
	if (!word || strlen(word) >= sizeof(ret->interpreter))
		return false;
	*ret = (struct script){ 0 };
	strcpy(ret->interpreter, word);
	do
		word = strtok_r(NULL, " \t\r", &save);
	while (word && strcmp(word, "-S") == 0);
	if (word && strlen(word) < sizeof(ret->word))
		strcpy(ret->word, word);
	return true;
}

static bool read_script(struct search *s, const char *path, struct script *ret)
{
	_cleanup_close_ int fd = io_open_below(s->root, path);
	char line[512];
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line));

	return n > 0 && parse_script(line, (size_t)n, ret);
}

static struct error *add_program(struct search *s, const char *path, enum elf_closure_way way,
				 int by, int depth);

/* `#!/usr/bin/env python3` needs python3 as much as env. */
static struct error *add_named_by_env(struct search *s, const struct script *script, int by,
				      int depth)
{
	static const char *const directories[] = { "/usr/local/bin", "/usr/bin", "/bin" };
	const char *name = strrchr(script->interpreter, '/');

	if (!name || strcmp(name, "/env") != 0 || !script->word[0] || strchr(script->word, '/') ||
	    strchr(script->word, '='))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", directories[i], script->word);
		_cleanup_close_ int fd = io_open_below(s->root, path);

		if (fd >= 0)
			return add_program(s, path, ELF_CLOSURE_SCRIPT, by, depth);
	}
	miss(s, script->word, by);
	return NULL;
}

static struct error *add_script(struct search *s, const struct script *script, int by, int depth)
{
	struct error *err;

	if (depth >= ELF_LIMIT_SCRIPT_DEPTH)
		return elf_closure_error(ELF_CLOSURE_LIMIT, ELOOP,
					 "%s: the interpreter of a script is a script",
					 s->out->files[0].path);
	err = add_program(s, script->interpreter, ELF_CLOSURE_SCRIPT, by, depth + 1);
	return err ? err : add_named_by_env(s, script, by, depth + 1);
}

static struct error *add_program(struct search *s, const char *path, enum elf_closure_way way,
				 int by, int depth)
{
	_cleanup_strbuf_ struct strbuf real = STRBUF_INIT;
	_cleanup_elf_image_ struct elf_image *img = NULL;
	struct script script;
	struct loaded o;
	struct error *err = NULL;

	if (path[0] != '/' || !open_object(s, path, &o, &img)) {
		miss(s, path, by);
		return NULL;
	}
	if (is_known_file(s, &o))
		return NULL;
	/* For the program itself, the kernel passes the real path. */
	err = elf_closure_path_walk(s->root, path, NULL, NULL, &real);
	if (!err && img)
		err = elf_dynamic_read(img, &o.dynamic);
	if (err)
		return err;
	o.origin = paths_dirname(strbuf_str(&real));
	by = (int)s->objects.n;
	err = add(s, path, path, way, &o);
	if (err)
		return err;
	if (!img)
		return read_script(s, path, &script) ? add_script(s, &script, by, depth) : NULL;
	if (s->program == NOBODY)
		s->out->machine = elf_image_machine(img);
	/* With env and what it starts there are two programs; each has its own DT_RPATH. */
	s->program = by;
	err = add_interpreter(s);
	return err ? err : find_libraries(s);
}

static struct error *missing_error(const struct search *s, const char *program)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < s->missing.n && text.n < ELF_LIMIT_TRIED_CHARS; i++)
		strbuf_appendf(&text, "%s%s (needed by %s)", i ? "; " : "", s->missing.at[i].name,
			       strbuf_str(&s->missing.at[i].needed_by));
	return elf_closure_error(ELF_CLOSURE_MISSING, 0, "%s: not found: %s", program,
				 strbuf_str(&text));
}

struct error *elf_closure_read(const struct elf_closure_options *options, const char *program,
			       struct elf_closure **ret)
{
	struct search s = {
		.root = options->root ? options->root : "/",
		.library_path = options->library_path,
		.out = xnew(struct elf_closure),
		.program = NOBODY,
	};
	struct error *err;

	read_cache(&s);
	err = add_program(&s, program, ELF_CLOSURE_PROGRAM, NOBODY, 0);
	if (!err && s.missing.n)
		err = missing_error(&s, program);
	if (!err)
		*ret = take_ptr(s.out);
	search_deinit(&s);
	return err;
}
