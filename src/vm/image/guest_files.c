// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/image/image.h"

#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/vec.h"
#include "elf/closure.h"

DEFINE_ERROR_DOMAIN(vm_guest_files, VM_GUEST_FILES, VM_GUEST_FILES_ERRORS);

struct entry {
	char *name; /* relative, usr-merged */
	uint32_t mode;
	char *target;	   /* of a link */
	char *host;	   /* path of the file in the root */
	const void *bytes; /* borrowed, when there is no host */
	size_t n;
	uint32_t major, minor;
};

struct vm_guest_files {
	const char *root;
	VEC(struct entry) entries; /* sorted by name */
};

struct vm_guest_files *vm_guest_files_new(const char *root)
{
	struct vm_guest_files *g = xnew(struct vm_guest_files);

	g->root = root ? root : "/";
	return g;
}

static void entry_deinit(struct entry *e)
{
	free(e->name);
	free(e->target);
	free(e->host);
}

void vm_guest_files_free(struct vm_guest_files *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->entries.n; i++)
		entry_deinit(&g->entries.at[i]);
	vec_deinit(&g->entries);
	free(g);
}

static const char *const merged[] = { "bin", "lib", "lib64", "sbin" };

/* Does the path begin with a directory that is a link into /usr? */
static bool is_merged(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(merged); i++) {
		if (strlen(merged[i]) == n && memcmp(merged[i], name, n) == 0)
			return true;
	}
	return false;
}

/* "/lib//x/" becomes "usr/lib/x". */
static char *guest_name(const char *path)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	for (const char *at = path; *at;) {
		size_t n = strcspn(at, "/");

		if (n && !(n == 1 && at[0] == '.')) {
			if (s.n == 0 && at[n] == '/' && is_merged(at, n))
				strbuf_append(&s, "usr");
			if (s.n)
				strbuf_append_char(&s, '/');
			strbuf_append_bytes(&s, at, n);
		}
		at += n + (at[n] == '/');
	}
	return xstrdup(strbuf_str(&s));
}

/* The first entry whose name is not before this one. */
static size_t place_of(const struct vm_guest_files *g, const char *name)
{
	size_t low = 0, high = g->entries.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(g->entries.at[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct entry *find(const struct vm_guest_files *g, const char *name)
{
	size_t i = place_of(g, name);

	return i < g->entries.n && strcmp(g->entries.at[i].name, name) == 0 ? &g->entries.at[i]
									    : NULL;
}

bool vm_guest_files_has(const struct vm_guest_files *g, const char *name)
{
	_cleanup_free_ char *normal = guest_name(name);

	return find(g, normal);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same(const struct entry *a, const struct entry *b)
{
	/* The first entry for a directory decides its permissions. */
	if (S_ISDIR(a->mode) && S_ISDIR(b->mode))
		return true;
	return a->mode == b->mode && same_text(a->target, b->target) &&
	       same_text(a->host, b->host) && a->n == b->n && a->major == b->major &&
	       a->minor == b->minor &&
	       (a->n == 0 || a->bytes == b->bytes || memcmp(a->bytes, b->bytes, a->n) == 0);
}

/* Takes what e owns, whatever comes of it. */
static struct error *insert(struct vm_guest_files *g, struct entry e)
{
	struct entry *there = find(g, e.name);
	struct error *err;
	size_t at;

	err = wire_cpio_check_name(e.name);
	if (!err && there && !same(there, &e))
		err = vm_guest_files_error(VM_GUEST_FILES_CONFLICT, 0, "/%s: %s and %s", e.name,
					   there->host	   ? there->host
					   : there->target ? there->target
							   : "something else",
					   e.host     ? e.host
					   : e.target ? e.target
						      : "something else");
	if (!err && g->entries.n >= VM_LIMIT_GUEST_FILES_ENTRIES)
		err = vm_guest_files_error(VM_GUEST_FILES_LIMIT, 0, "more than %d entries",
					   VM_LIMIT_GUEST_FILES_ENTRIES);
	if (err || there) {
		entry_deinit(&e);
		return err;
	}
	at = place_of(g, e.name);
	vec_push(&g->entries, e);
	memmove(&g->entries.at[at + 1], &g->entries.at[at],
		(g->entries.n - 1 - at) * sizeof(struct entry));
	g->entries.at[at] = e;
	return NULL;
}

/* Directories that others expect with permissions of their own; the rest is 0755. */
static uint32_t usual_permissions(const char *name)
{
	if (strcmp(name, "tmp") == 0 || strcmp(name, "var/tmp") == 0)
		return 01777;
	return strcmp(name, "root") == 0 ? 0700 : 0755;
}

static struct error *add_parents(struct vm_guest_files *g, const char *name)
{
	struct error *err = NULL;

	for (const char *slash = strchr(name, '/'); slash && !err; slash = strchr(slash + 1, '/')) {
		_cleanup_free_ char *dir = xstrndup(name, (size_t)(slash - name));

		if (find(g, dir))
			continue;
		err = insert(g, (struct entry){ .name = xstrdup(dir),
						.mode = S_IFDIR | usual_permissions(dir) });
	}
	return err;
}

/* Takes what e owns except its name, which comes as any spelling. */
static struct error *add(struct vm_guest_files *g, const char *name, struct entry e)
{
	struct error *err;

	e.name = guest_name(name);
	err = add_parents(g, e.name);
	if (err) {
		entry_deinit(&e);
		return err;
	}
	return insert(g, e);
}

struct error *vm_guest_files_add_dir(struct vm_guest_files *g, const char *name)
{
	_cleanup_free_ char *normal = guest_name(name);

	return add(g, normal, (struct entry){ .mode = S_IFDIR | usual_permissions(normal) });
}

struct error *vm_guest_files_add_link(struct vm_guest_files *g, const char *name,
				      const char *target)
{
	return add(g, name, (struct entry){ .mode = S_IFLNK | 0777, .target = xstrdup(target) });
}

struct error *vm_guest_files_add_device(struct vm_guest_files *g, const char *name, uint32_t mode,
					uint32_t major, uint32_t minor)
{
	return add(g, name, (struct entry){ .mode = mode, .major = major, .minor = minor });
}

struct error *vm_guest_files_add_bytes(struct vm_guest_files *g, const char *name,
				       uint32_t permissions, const void *bytes, size_t n)
{
	return add(g, name,
		   (struct entry){ .mode = S_IFREG | permissions, .bytes = bytes, .n = n });
}

struct links {
	struct vm_guest_files *g;
	struct error *err;
};

/* A link on the way to a file, or a directory that was entered only to leave it by `..`. */
static void add_way(void *context, const char *path, const char *target)
{
	struct links *links = context;

	/* The guest's own links say the same; and a script does not bring another sh for all. */
	if (links->err || is_merged(path + 1, strlen(path + 1)) || strcmp(path, "/usr/bin/sh") == 0)
		return;
	links->err = target ? vm_guest_files_add_link(links->g, path, target)
			    : vm_guest_files_add_dir(links->g, path);
}

/*
 * What its owner may do with it, others may see: a umask and who built it decide the rest, and the
 * guest shall not depend on them.
 */
static uint32_t guest_permissions(uint32_t mode)
{
	uint32_t seen = mode & 0500;

	return (mode & 07700) | seen >> 3 | seen >> 6;
}

/* The regular file at the real path `real`; NULL: at its own path in the guest, too. */
static struct error *add_regular(struct vm_guest_files *g, const char *path, const char *real,
				 const char *name)
{
	_cleanup_close_ int fd = io_open_below(g->root, real);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return base_error(BASE_IO, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return vm_guest_files_error(VM_GUEST_FILES_KIND, 0, "%s is %s", path,
					    S_ISDIR(st.st_mode) ? "a directory"
								: "not a regular file");
	return add(g, name ? name : real,
		   (struct entry){ .mode = S_IFREG | guest_permissions(st.st_mode),
				   .host = xstrdup(real) });
}

struct error *vm_guest_files_add_host(struct vm_guest_files *g, const char *path)
{
	_cleanup_strbuf_ struct strbuf real = STRBUF_INIT;
	struct links links = { .g = g };
	struct error *err;

	err = elf_closure_path_walk(g->root, path, add_way, &links, &real);
	if (err) {
		error_free(links.err);
		return err;
	}
	return links.err ? links.err : add_regular(g, path, strbuf_str(&real), NULL);
}

/* What the guest's loader would not find by itself. */
static struct error *add_library_link(struct vm_guest_files *g, const struct elf_closure *c,
				      const struct elf_closure_file *f)
{
	_cleanup_free_ char *name = NULL;

	if (f->in_default_directory ||
	    (f->way != ELF_CLOSURE_CACHE && f->way != ELF_CLOSURE_ENVIRONMENT))
		return NULL;
	name = xasprintf("%s/%s", elf_closure_default_directories(c->machine)[0], f->wanted);
	return vm_guest_files_has(g, name) ? NULL : vm_guest_files_add_link(g, name, f->path);
}

static struct error *read_closure(const struct vm_guest_files *g, const char *path,
				  struct elf_closure **ret)
{
	struct elf_closure_options options = {
		.root = g->root,
		/* The environment is the host's: a staged root has none. */
		.library_path = strcmp(g->root, "/") == 0 ? getenv("LD_LIBRARY_PATH") : NULL,
	};

	return elf_closure_read(&options, path, ret);
}

/* From the first on: 0 is the program itself. */
static struct error *add_closure(struct vm_guest_files *g, const struct elf_closure *c,
				 size_t first)
{
	struct error *err = NULL;

	for (size_t i = first; !err && i < c->n_files; i++)
		err = vm_guest_files_add_host(g, c->files[i].path);
	for (size_t i = first; !err && i < c->n_files; i++)
		err = add_library_link(g, c, &c->files[i]);
	return err;
}

struct error *vm_guest_files_add_program(struct vm_guest_files *g, const char *path)
{
	_cleanup_elf_closure_ struct elf_closure *c = NULL;
	struct error *err = read_closure(g, path, &c);

	return err ? err : add_closure(g, c, 0);
}

/* $ORIGIN, or a path: the program may be where it is for its libraries' sake. */
static bool is_bound_to_its_place(const struct elf_closure *c)
{
	for (size_t i = 1; i < c->n_files; i++)
		if (c->files[i].way == ELF_CLOSURE_BY_PATH ||
		    c->files[i].way == ELF_CLOSURE_RPATH || c->files[i].way == ELF_CLOSURE_RUNPATH)
			return true;
	return false;
}

struct error *vm_guest_files_add_program_at(struct vm_guest_files *g, const char *path,
					    const char *name)
{
	_cleanup_elf_closure_ struct elf_closure *c = NULL;
	_cleanup_strbuf_ struct strbuf real = STRBUF_INIT;
	struct error *err = read_closure(g, path, &c);

	if (err)
		return err;
	if (is_bound_to_its_place(c)) {
		err = add_closure(g, c, 0);
		return err ? err : vm_guest_files_add_link(g, name, path);
	}
	err = elf_closure_path_walk(g->root, path, NULL, NULL, &real);
	if (!err)
		err = add_regular(g, path, strbuf_str(&real), name);
	return err ? err : add_closure(g, c, 1);
}

/* A name that itself holds a colon is taken whole when there is such a file. */
static size_t host_part(const char *spec)
{
	const char *colon = strrchr(spec, ':');

	return colon && access(spec, F_OK) < 0 ? (size_t)(colon - spec) : strlen(spec);
}

static char *link_place(const char *wanted, const char *base)
{
	size_t n = strlen(wanted);
	const char *last = n == 0 || wanted[n - 1] == '/' ? base : "";

	return xasprintf("%s%s%s", wanted[0] == '/' ? "" : "/root/", wanted, last);
}

/* elf_closure_read() treats an unreadable file as missing; the user gets the real error. */
static struct error *check_regular(const char *real, const char *name)
{
	struct stat st;

	if (stat(real, &st) < 0)
		return base_error(BASE_IO, errno, "%s", name);
	if (S_ISDIR(st.st_mode))
		return vm_guest_files_error(
			VM_GUEST_FILES_KIND, 0,
			"%s is a directory; --include takes files, send a directory through standard input: tar c DIR | ktstr shell --exec 'tar x; ...'",
			name);
	if (!S_ISREG(st.st_mode))
		return vm_guest_files_error(VM_GUEST_FILES_KIND, 0, "%s is not a regular file",
					    name);
	return access(real, R_OK) < 0 ? base_error(BASE_IO, errno, "%s", name) : NULL;
}

struct error *vm_guest_files_add_spec(struct vm_guest_files *g, const char *spec)
{
	size_t n = host_part(spec);
	_cleanup_free_ char *file = xstrndup(spec, n), *real = NULL, *place = NULL, *name = NULL;
	_cleanup_free_ char *real_name = NULL;
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	struct error *err;

	if (n == 0 || !*base || (spec[n] && !spec[n + 1]))
		return vm_guest_files_error(VM_GUEST_FILES_SPEC, 0, "'%s' is not FILE[:GUESTPATH]",
					    spec);
	real = realpath(file, NULL);
	if (!real)
		return base_error(BASE_IO, errno, "%s", file);
	err = check_regular(real, file);
	if (!err)
		err = vm_guest_files_add_program(g, real);
	if (err)
		return err;
	place = link_place(spec[n] ? spec + n + 1 : "", base);
	name = guest_name(place);
	real_name = guest_name(real);
	return strcmp(name, real_name) == 0 ? NULL : vm_guest_files_add_link(g, name, real);
}

static struct error *write_host(const struct vm_guest_files *g, const struct entry *e,
				struct wire_cpio_writer *w)
{
	_cleanup_close_ int fd = io_open_below(g->root, e->host);
	struct wire_cpio_entry header = { .name = e->name, .mode = e->mode };
	char chunk[65536];
	struct error *err;
	struct stat st;
	uint64_t left;

	if (fd < 0 || fstat(fd, &st) < 0)
		return base_error(BASE_IO, errno, "%s", e->host);
	if ((uint64_t)st.st_size > WIRE_LIMIT_CPIO_FILE_BYTES)
		return wire_cpio_error(WIRE_CPIO_LIMIT, 0, "%s: %lld bytes (at most %u)", e->host,
				       (long long)st.st_size, WIRE_LIMIT_CPIO_FILE_BYTES);
	left = (uint64_t)st.st_size;
	header.size = (uint32_t)left;
	err = wire_cpio_begin(w, &header);
	while (!err && left) {
		ssize_t n = read(fd, chunk, left < sizeof(chunk) ? (size_t)left : sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return base_error(BASE_IO, errno, "%s", e->host);
		if (n == 0)
			return vm_guest_files_error(VM_GUEST_FILES_CHANGED, 0,
						    "%s: %llu bytes less than it had", e->host,
						    (unsigned long long)left);
		err = wire_cpio_data(w, chunk, (size_t)n);
		left -= (uint64_t)n;
	}
	return err ? err : wire_cpio_end(w);
}

static struct error *write_entry(const struct vm_guest_files *g, const struct entry *e,
				 struct wire_cpio_writer *w)
{
	struct wire_cpio_entry header = {
		.name = e->name,
		.mode = e->mode,
		.device_major = e->major,
		.device_minor = e->minor,
	};

	if (e->host)
		return write_host(g, e, w);
	if (e->target)
		return wire_cpio_write_link(w, e->name, e->target);
	return wire_cpio_write(w, &header, e->bytes, e->n);
}

struct error *vm_guest_files_write(struct vm_guest_files *g, struct wire_cpio_writer *w)
{
	struct error *err = NULL;

	for (size_t i = 0; i < g->entries.n && !err; i++)
		err = write_entry(g, &g->entries.at[i], w);
	return err ? err : wire_cpio_write_trailer(w);
}

struct bounded {
	struct strbuf *into;
	uint64_t left_bytes;
};

static struct error *take_bytes(void *context, const void *bytes, size_t n)
{
	struct bounded *bounded = context;

	if (n > bounded->left_bytes)
		return base_error(BASE_LIMIT, 0,
				  "the files have more bytes than the guest can hold");
	bounded->left_bytes -= n;
	strbuf_append_bytes(bounded->into, bytes, n);
	return NULL;
}

struct error *vm_guest_files_pack(struct vm_guest_files *g, uint64_t limit_bytes,
				  struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct bounded bounded = { .into = &out, .left_bytes = limit_bytes };
	struct wire_cpio_writer w;
	struct error *err;

	wire_cpio_writer_init(&w, take_bytes, &bounded);
	err = vm_guest_files_write(g, &w);
	if (err)
		return err;
	strbuf_append_bytes(into, out.at, out.n);
	return NULL;
}
