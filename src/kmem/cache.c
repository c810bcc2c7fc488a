// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/paths.h"

/*
 * Little-endian: magic, checksum of the rest, the table of fields, build-id, mode, two prints, n
 * symbols {number, name}, fields {known, type, offset, size, bit_offset, bits | reason}; texts
 * have their length in two bytes in front. Another form gets another magic.
 */
#define MAGIC UINT64_C(0x3130434d454d544b) /* "KTMEMC01" */

enum { SUMMED_FROM = 16, MOST_REASON = 1024, MOST_OFFSET = INT32_MAX };

void kmem_cached_deinit(struct kmem_cached *cached)
{
	for (size_t i = 0; i < cached->known.n; i++)
		free(cached->known.at[i].name);
	vec_deinit(&cached->known);
	kmem_fields_deinit(&cached->fields);
}

static bool is_build_id(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return n >= 8 && n <= KMEM_LIMIT_BUILD_ID && !text[n];
}

static void put(struct strbuf *into, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		strbuf_append_char(into, (char)(value >> 8 * i));
}

static void put_text(struct strbuf *into, const char *text, size_t limit)
{
	size_t n = strnlen(text, limit);

	put(into, n, 2);
	strbuf_append_bytes(into, text, n);
}

static void put_field(struct strbuf *into, const struct kmem_field *field)
{
	put(into, field->known, 1);
	if (!field->known) {
		put_text(into, field->missing, MOST_REASON);
		return;
	}
	put(into, field->place.type, 4);
	put(into, field->place.offset, 8);
	put(into, field->place.size, 8);
	put(into, field->place.bit_offset, 1);
	put(into, field->place.bits, 1);
}

void kmem_cached_format(const struct kmem_cached *cached, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;

	put(&body, kmem_fields_version(), 8);
	put_text(&body, cached->build_id, KMEM_LIMIT_BUILD_ID);
	put(&body, cached->mode, 1);
	put(&body, cached->names_fingerprint, 8);
	put(&body, cached->types_fingerprint, 8);
	put(&body, cached->known.n, 2);
	for (size_t i = 0; i < cached->known.n; i++) {
		put(&body, cached->known.at[i].number, 4);
		put_text(&body, cached->known.at[i].name, KMEM_LIMIT_SYMBOL_CHARS);
	}
	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++)
		put_field(&body, &cached->fields.at[id]);
	put(into, MAGIC, 8);
	put(into, hash_bytes(HASH_INIT, strbuf_str(&body), body.n), 8);
	strbuf_append_bytes(into, strbuf_str(&body), body.n);
}

static struct error *bad(const char *what)
{
	return kmem_error(KMEM_BAD_CACHE, 0, "%s", what);
}

/* NULL: too long, or with a NUL inside. */
static char *take_text(struct cursor *c, size_t limit)
{
	uint16_t n = cursor_u16(c);
	const uint8_t *at = cursor_take(c, n);

	if (!at || n > limit || memchr(at, 0, n))
		return NULL;
	return xstrndup((const char *)at, n);
}

/* Values that no BTF path can have are refused here: they are not checked again later. */
static bool take_field(struct cursor *c, struct kmem_field *field)
{
	uint8_t known = cursor_u8(c);

	if (known > 1)
		return false;
	if (!known) {
		field->missing = take_text(c, MOST_REASON);
		return field->missing;
	}
	field->place.type = cursor_u32(c);
	field->place.offset = cursor_u64(c);
	field->place.size = cursor_u64(c);
	field->place.bit_offset = cursor_u8(c);
	field->place.bits = cursor_u8(c);
	field->known = true;
	return !c->failed && field->place.offset <= MOST_OFFSET &&
	       field->place.size <= MOST_OFFSET && field->place.bit_offset < 8 &&
	       (!field->place.bits ||
		field->place.bit_offset + field->place.bits <= 8 * field->place.size);
}

static struct error *take_symbols(struct cursor *c, struct kmem_cached *ret)
{
	uint16_t n = cursor_u16(c);

	if (n > KMEM_LIMIT_KNOWN)
		return bad("too many symbols");
	for (uint16_t i = 0; i < n; i++) {
		uint32_t number = cursor_u32(c);
		char *name = take_text(c, KMEM_LIMIT_SYMBOL_CHARS - 1);

		if (!name)
			return bad("a symbol's name");
		vec_push(&ret->known, ((struct kmem_known){ .name = name, .number = number }));
		if (number >= KMEM_LIMIT_SYMBOLS)
			return bad("a symbol's number");
	}
	return NULL;
}

static struct error *parse(struct bytes bytes, const char *build_id, struct kmem_cached *ret)
{
	struct cursor c = cursor_over(bytes);
	_cleanup_free_ char *own = NULL;
	struct error *err;

	if (cursor_u64(&c) != MAGIC)
		return bad("another form");
	if (cursor_u64(&c) != hash_bytes(HASH_INIT, bytes.at + SUMMED_FROM, bytes.n - SUMMED_FROM))
		return bad("the sum");
	if (cursor_u64(&c) != kmem_fields_version())
		return bad("another table of fields");
	own = take_text(&c, KMEM_LIMIT_BUILD_ID);
	if (!own || strcmp(own, build_id) != 0)
		return bad("another build-id");
	memcpy(ret->build_id, own, strlen(own) + 1);
	ret->mode = cursor_u8(&c);
	if (ret->mode >= KMEM_KALLSYMS_N_MODES)
		return bad("the way of writing addresses");
	ret->names_fingerprint = cursor_u64(&c);
	ret->types_fingerprint = cursor_u64(&c);
	err = take_symbols(&c, ret);
	if (err)
		return err;
	for (enum kmem_field_id id = 0; id < KMEM_N_FIELDS; id++) {
		if (!take_field(&c, &ret->fields.at[id]))
			return bad("a member");
	}
	return c.failed || cursor_left(&c) ? bad("its length") : NULL;
}

struct error *kmem_cached_parse(struct bytes bytes, const char *build_id, struct kmem_cached *ret)
{
	struct kmem_cached cached = { 0 };
	struct error *err;

	if (bytes.n < SUMMED_FROM || bytes.n > KMEM_LIMIT_CACHE_BYTES)
		return bad("its length");
	err = parse(bytes, build_id, &cached);
	if (err) {
		kmem_cached_deinit(&cached);
		return err;
	}
	*ret = cached;
	return NULL;
}

struct error *kmem_cached_read(const char *dir, const char *build_id, struct kmem_cached *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, build_id);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err;

	/* It becomes part of a path. */
	if (!is_build_id(build_id))
		return bad("the build-id is not valid");
	err = io_read_regular(path, O_NOFOLLOW, KMEM_LIMIT_CACHE_BYTES, &text);
	if (err)
		return err;
	return kmem_cached_parse((struct bytes){ (const uint8_t *)strbuf_str(&text), text.n },
				 build_id, ret);
}

/* Those that are not ours to count are left alone. */
static int is_entry(const struct dirent *entry)
{
	return is_build_id(entry->d_name);
}

static void remove_oldest(const char *dir)
{
	struct dirent **entries = NULL;
	int n = scandir(dir, &entries, is_entry, NULL);
	_cleanup_free_ char *oldest = NULL;
	struct timespec when = { 0 };

	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, entries[i]->d_name);
		struct stat st;

		if (n > KMEM_LIMIT_CACHE_FILES && lstat(path, &st) == 0 &&
		    (!oldest || st.st_mtim.tv_sec < when.tv_sec)) {
			free(oldest);
			oldest = take_ptr(path);
			when = st.st_mtim;
		}
		free(entries[i]);
	}
	free(entries);
	if (oldest)
		unlink(oldest);
}

struct error *kmem_cached_write(const char *dir, const struct kmem_cached *cached)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, cached->build_id);
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct error *err;

	if (!is_build_id(cached->build_id))
		return bad("the build-id is not valid");
	kmem_cached_format(cached, &bytes);
	if (bytes.n > KMEM_LIMIT_CACHE_BYTES)
		return base_error(BASE_LIMIT, 0, "%zu bytes are too much for %s", bytes.n, path);
	err = paths_make(dir, 0755);
	if (!err)
		err = io_replace_file(path, strbuf_str(&bytes), bytes.n);
	if (!err)
		remove_oldest(dir);
	return err;
}
