// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/task.h"

#include <string.h>

#include "base/io.h"
#include "base/slice.h"

static bool take_hex(struct slice *rest, char mark, uint64_t *ret)
{
	const char *end = rest->at + rest->n;
	uint64_t value = 0;
	struct slice word;

	if (!slice_take_until(rest, mark, &word) || word.n == 0 || word.at + word.n == end)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = strchr(digits, word.at[i]);

		if (!digit || value >> 60)
			return false;
		value = value << 4 | (uint64_t)(digit - digits);
	}
	*ret = value;
	return true;
}

static bool take_permissions(struct slice *rest, struct procfs_map *map)
{
	static const char letters[] = "rwxs", none[] = "---p";
	bool *const flags[] = { &map->readable, &map->writable, &map->executable, &map->shared };
	struct slice word;

	if (!slice_take_until(rest, ' ', &word) || word.n != ARRAY_SIZE(flags) || !rest->n)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		*flags[i] = word.at[i] == letters[i];
		if (!*flags[i] && word.at[i] != none[i])
			return false;
	}
	return true;
}

/* The kernel writes a newline in a path as \012 and nothing else escaped. */
static void unescape_newlines(char *path)
{
	char *to = path;

	for (char *from = path; *from; to++) {
		if (strncmp(from, "\\012", 4) == 0) {
			*to = '\n';
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* The rest of a line that ends with NUL, without the blanks in front of it. */
static void take_path(char *path, struct procfs_map *map)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path), mark = sizeof(deleted) - 1;

	if (n > mark && path[0] == '/' && strcmp(path + n - mark, deleted) == 0) {
		map->deleted = true;
		path[n - mark] = '\0';
	}
	unescape_newlines(path);
	map->path = path;
}

/* The inode may end the line. */
static bool parse_line(char *line, struct procfs_map *map)
{
	struct slice rest = slice_of(line);
	uint64_t major, minor;

	if (!take_hex(&rest, '-', &map->start) || !take_hex(&rest, ' ', &map->end) ||
	    !take_permissions(&rest, map) || !take_hex(&rest, ' ', &map->file_offset) ||
	    !take_hex(&rest, ':', &major) || !take_hex(&rest, ' ', &minor) ||
	    !slice_take_u64(&rest, &map->inode) || (rest.n && *rest.at != ' '))
		return false;
	if (map->end < map->start || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	map->dev_major = (unsigned int)major;
	map->dev_minor = (unsigned int)minor;
	while (slice_take_char(&rest, ' '))
		;
	take_path(line + (rest.at - line), map);
	return true;
}

/* Takes the text over. */
static struct error *parse_owned(char *text, size_t n, struct procfs_maps *ret)
{
	struct procfs_maps maps = { .text = text };
	char *at = text, *end = text + n;
	unsigned int number = 1;

	for (; at < end; number++) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		char *line_end = newline ? newline : end;
		struct procfs_map map = { 0 };

		*line_end = '\0';
		if (memchr(at, 0, (size_t)(line_end - at)) || !parse_line(at, &map)) {
			procfs_maps_deinit(&maps);
			return base_error(BASE_PARSE, 0, "line %u is not a mapping", number);
		}
		if (maps.rows.n == PROCFS_MAPS_MAX_ROWS) {
			procfs_maps_deinit(&maps);
			return base_error(BASE_LIMIT, 0, "more than %d mappings",
					  PROCFS_MAPS_MAX_ROWS);
		}
		vec_push(&maps.rows, map);
		at = newline ? newline + 1 : end;
	}
	*ret = maps;
	return NULL;
}

struct error *procfs_maps_parse(const char *text, size_t n, struct procfs_maps *ret)
{
	void *copy;
	struct error *err;

	err = alloc_checked(n + 1, 1, PROCFS_MAPS_MAX_BYTES, "memory map", &copy);
	if (err)
		return err;
	if (n)
		memcpy(copy, text, n);
	return parse_owned(copy, n, ret);
}

struct error *procfs_maps_read(const char *proc_root, pid_t pid, struct procfs_maps *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%d/maps", proc_root, (int)pid);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err;
	size_t n;

	err = io_read_file(path, PROCFS_MAPS_MAX_BYTES, &text);
	if (err)
		return err;
	n = text.n;
	return error_wrap(parse_owned(strbuf_take(&text), n, ret), "%s", path);
}

void procfs_maps_deinit(struct procfs_maps *maps)
{
	vec_deinit(&maps->rows);
	free(maps->text);
	maps->text = NULL;
}
