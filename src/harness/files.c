// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/session.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "elf/debug_file.h"
#include "elf/image.h"
#include "harness/limits.h"

enum { PIECE_BYTES = 1 << 20 };

struct host_file {
	char *path;
	uint64_t bytes, hash;
	char *build_id;
	struct harness_file_stamp stamp;
};

static void host_file_free(struct host_file *file)
{
	free(file->path);
	free(file->build_id);
	free(file);
}
DEFINE_CLEANUP(host_file, struct host_file *, NULL, host_file_free);

void harness_test_files_deinit(struct harness_test_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->at[i].name);
	vec_deinit(files);
}

void harness_file_finder_deinit(struct harness_file_finder *finder)
{
	for (size_t i = 0; i < finder->known.n; i++)
		host_file_free(finder->known.at[i]);
	vec_deinit(&finder->known);
}

static struct error *hash_file(int fd, struct host_file *file)
{
	_cleanup_free_ char *piece = xcalloc(1, PIECE_BYTES);
	uint64_t hash = HASH_INIT, bytes = 0;

	for (;;) {
		ssize_t n = read(fd, piece, PIECE_BYTES);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return base_error(BASE_IO, errno, "reading %s", file->path);
		if (n == 0)
			break;
		hash = hash_bytes(hash, piece, (size_t)n);
		bytes += (uint64_t)n;
		if (bytes > HARNESS_LIMIT_FILE_BYTES)
			return base_error(BASE_LIMIT, 0, "%s is larger than %llu bytes", file->path,
					  (unsigned long long)HARNESS_LIMIT_FILE_BYTES);
	}
	file->hash = hash;
	file->bytes = bytes;
	return NULL;
}

/* NULL: no ELF object, no build-id, or none that can be read. */
static char *read_build_id(int fd, const char *path)
{
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_strbuf_ struct strbuf hex = STRBUF_INIT;
	_cleanup_error_ struct error *err = elf_image_open_fd(fd, path, &img);

	if (!err)
		err = elf_build_id(img, &hex);
	return err || !hex.n ? NULL : strbuf_take(&hex);
}

static struct error *read_stamp(int fd, const char *path, struct harness_file_stamp *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return base_error(BASE_IO, errno, "%s", path);
	*ret = (struct harness_file_stamp){
		.device = st.st_dev,
		.inode = st.st_ino,
		.bytes = (uint64_t)st.st_size,
		.changed_sec = st.st_ctim.tv_sec,
		.changed_nsec = st.st_ctim.tv_nsec,
	};
	return NULL;
}

/* path has no links in it. */
static struct error *learn(struct harness_file_finder *finder, const char *path,
			   const struct host_file **ret)
{
	_cleanup_(cleanup_host_file) struct host_file *file = NULL;
	_cleanup_close_ int fd = -1;
	struct error *err;

	for (size_t i = 0; i < finder->known.n; i++) {
		if (strcmp(finder->known.at[i]->path, path) == 0) {
			*ret = finder->known.at[i];
			return NULL;
		}
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return base_error(BASE_IO, errno, "%s", path);
	file = xnew(struct host_file);
	file->path = xstrdup(path);
	/* Before the content: a change in between is seen later. */
	err = read_stamp(fd, path, &file->stamp);
	if (!err)
		err = hash_file(fd, file);
	if (err)
		return err;
	file->build_id = read_build_id(fd, path);
	*ret = file;
	vec_push(&finder->known, take_ptr(file));
	return NULL;
}

/* The real path when it is a file (that can be executed); else NULL. */
static char *try_path(const char *directory, size_t dir_n, const char *name, bool executable)
{
	_cleanup_free_ char *path = xasprintf("%.*s/%s", (int)dir_n, directory, name);
	_cleanup_free_ char *real = realpath(path, NULL);
	struct stat st;

	if (!real || stat(real, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	if (executable && access(real, X_OK) < 0)
		return NULL;
	return take_ptr(real);
}

static char *search_path(const char *path, const char *name, bool executable)
{
	while (path && *path) {
		size_t n = strcspn(path, ":");
		/* An empty entry of PATH means the current directory, as in a shell. */
		char *found = try_path(n ? path : ".", n ? n : 1, name, executable);

		if (found)
			return found;
		path += n + (path[n] == ':');
	}
	return NULL;
}

/* A relative path would depend on the current directory. */
static char *find_known(const struct harness_file_finder *finder, const char *name, bool executable,
			struct strbuf *looked)
{
	const char *base = exchange_declared_base_name(name);

	for (size_t i = 0; i < finder->n_places; i++) {
		const struct harness_known_place *place = &finder->places[i];
		char *found;

		if (strcmp(place->name, base) != 0 || place->path[0] != '/')
			continue;
		found = try_path("", 0, place->path + 1, executable);
		if (found)
			return found;
		strbuf_appendf(looked, "at %s, ", place->path);
	}
	return NULL;
}

/* NULL: nowhere; `looked` then says where. */
static char *find(const struct harness_file_finder *finder,
		  const struct exchange_declared_suite *suite, const char *name, bool executable,
		  struct strbuf *looked)
{
	size_t beside_n = (size_t)(exchange_declared_base_name(suite->path) - suite->path) - 1;
	char *found = find_known(finder, name, executable, looked);

	if (found)
		return found;
	if (name[0] == '/') {
		strbuf_append(looked, "there");
		return try_path("", 0, name + 1, executable);
	}
	strbuf_appendf(looked, "in %.*s", beside_n ? (int)beside_n : 1, suite->path);
	found = try_path(suite->path, beside_n, name, executable);
	if (found || strchr(name, '/'))
		return found;
	for (size_t i = 0; i < finder->n_dirs; i++) {
		strbuf_appendf(looked, ", %s", finder->dirs[i]);
		found = try_path(finder->dirs[i], strlen(finder->dirs[i]), name, executable);
		if (found)
			return found;
	}
	strbuf_append(looked, ", PATH");
	return search_path(finder->path, name, executable);
}

struct search {
	struct harness_file_finder *finder;
	const struct exchange_declared_suite *suite;
	const struct exchange_declared_test *test;
	struct strbuf *mistakes;
	struct harness_test_files *ret;
};

static void add_mistake(const struct search *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void add_mistake(const struct search *s, const char *fmt, ...)
{
	_cleanup_free_ char *what = NULL;
	va_list args;

	va_start(args, fmt);
	what = xvasprintf(fmt, args);
	va_end(args);
	strbuf_appendf(s->mistakes, "%s:%d: %s: %s\n", s->test->file, s->test->line, s->test->name,
		       what);
}

static struct error *add_file(const struct search *s, const char *name, const char *path)
{
	const struct host_file *host = NULL;
	struct error *err = learn(s->finder, path, &host);

	if (err)
		return err;
	for (size_t i = 0; i < s->ret->n; i++) {
		const struct harness_test_file *other = &s->ret->at[i];

		if (strcmp(other->name, name) != 0)
			continue;
		if (other->path != host->path)
			add_mistake(s, "%s and %s would both be %s in the guest", other->path,
				    host->path, name);
		return NULL;
	}
	vec_push(s->ret, (struct harness_test_file){ .name = xstrdup(name),
						     .path = host->path,
						     .bytes = host->bytes,
						     .hash = host->hash,
						     .build_id = host->build_id,
						     .stamp = host->stamp });
	return NULL;
}

/* Otherwise its libraries would be reported missing, or the guest would exit with 127. */
static bool of_another_machine(const char *path)
{
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_error_ struct error *err = fd < 0 ? NULL : elf_image_open_fd(fd, path, &img);

	return fd >= 0 && !err && elf_image_machine(img) != EM_X86_64;
}

static struct error *find_one(const struct search *s, const char *name, bool executable)
{
	_cleanup_strbuf_ struct strbuf looked = STRBUF_INIT, aside = STRBUF_INIT;
	_cleanup_free_ char *path = NULL;
	const char *base = exchange_declared_base_name(name);

	if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
		add_mistake(s, "'%s' is not a file name", name);
		return NULL;
	}
	path = find(s->finder, s->suite, name, executable, &looked);
	if (path && executable && of_another_machine(path)) {
		add_mistake(s, "%s is a program for another architecture", path);
		return NULL;
	}
	if (path)
		return add_file(s, base, path);
	if (executable)
		path = find(s->finder, s->suite, name, false, &aside);
	if (path)
		add_mistake(s, "no program %s: %s cannot be executed: chmod +x it", name, path);
	else
		add_mistake(s, "no %s %s: searched %s", executable ? "program" : "file", name,
			    strbuf_str(&looked));
	return NULL;
}

static struct error *find_list(const struct search *s, const struct exchange_text_list *names)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < names->n; i++)
		err = find_one(s, names->at[i], false);
	return err;
}

struct error *harness_files_find(struct harness_file_finder *finder,
				 const struct exchange_declared_suite *suite,
				 const struct exchange_declared_test *test, struct strbuf *mistakes,
				 struct harness_test_files *ret)
{
	_cleanup_harness_test_files_ struct harness_test_files files = { 0 };
	const struct search s = { finder, suite, test, mistakes, &files };
	struct error *err = add_file(&s, exchange_declared_base_name(suite->path), suite->path);

	if (!err && test->scheduler.argv.n)
		err = find_one(&s, test->scheduler.argv.at[0], true);
	if (!err)
		err = find_list(&s, &test->scheduler.files);
	if (!err)
		err = find_list(&s, &test->files);
	if (err)
		return err;
	*ret = files;
	files = (struct harness_test_files){ 0 };
	return NULL;
}

static bool same_stamp(const struct harness_file_stamp *a, const struct harness_file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
	       a->changed_sec == b->changed_sec && a->changed_nsec == b->changed_nsec;
}

static struct error *check_file(const struct harness_test_file *file)
{
	_cleanup_close_ int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct host_file now = { .path = (char *)(uintptr_t)file->path };
	struct error *err;

	if (fd < 0)
		return base_error(BASE_IO, errno, "%s", file->path);
	err = read_stamp(fd, file->path, &now.stamp);
	if (err || same_stamp(&now.stamp, &file->stamp))
		return err;
	/* A new link or another mode changes the stamp but not the content. */
	err = hash_file(fd, &now);
	if (!err && now.hash != file->hash)
		err = harness_error(HARNESS_FILES, 0, "%s has changed since the run began",
				    file->path);
	return err;
}

struct error *harness_files_check(const struct harness_test_files *files)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < files->n; i++)
		err = check_file(&files->at[i]);
	return err;
}
