// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/maps.h"

#include <string.h>

#include "base/io.h"

struct line {
	char *at;
	char *end; /* at its NUL */
};

static bool take_hex(struct line *line, char terminator, uint64_t *ret)
{
	uint64_t value = 0;
	char *start = line->at;

	for (; line->at < line->end; line->at++) {
		char c = *line->at;
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a') + 10;
		else
			break;
		if (value >> 60)
			return false;
		value = value << 4 | digit;
	}
	if (line->at == start || line->at >= line->end || *line->at != terminator)
		return false;
	line->at++;
	*ret = value;
	return true;
}

/* The inode is decimal and may end the line. */
static bool take_inode(struct line *line, uint64_t *ret)
{
	uint64_t value = 0;
	char *start = line->at;

	for (; line->at < line->end && *line->at >= '0' && *line->at <= '9'; line->at++) {
		if (!mul_fits_u64(value, 10, &value) ||
		    !add_fits_u64(value, (uint64_t)(*line->at - '0'), &value))
			return false;
	}
	if (line->at == start || (line->at < line->end && *line->at != ' '))
		return false;
	*ret = value;
	return true;
}

static bool take_permissions(struct line *line, struct procfs_map *map)
{
	const char *p = line->at;

	if (line->end - p < 5 || p[4] != ' ')
		return false;
	if ((p[0] != 'r' && p[0] != '-') || (p[1] != 'w' && p[1] != '-') ||
	    (p[2] != 'x' && p[2] != '-') || (p[3] != 'p' && p[3] != 's'))
		return false;
	map->readable = p[0] == 'r';
	map->writable = p[1] == 'w';
	map->executable = p[2] == 'x';
	map->shared = p[3] == 's';
	line->at += 5;
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

static void take_path(struct line *line, struct procfs_map *map)
{
	static const char deleted[] = " (deleted)";
	size_t n;

	while (line->at < line->end && *line->at == ' ')
		line->at++;
	n = (size_t)(line->end - line->at);
	if (n > sizeof(deleted) - 1 && line->at[0] == '/' &&
	    strcmp(line->end - (sizeof(deleted) - 1), deleted) == 0) {
		map->deleted = true;
		line->end[-(ssize_t)(sizeof(deleted) - 1)] = '\0';
	}
	unescape_newlines(line->at);
	map->path = line->at;
}

static bool parse_line(struct line line, struct procfs_map *map)
{
	uint64_t major, minor;

	if (!take_hex(&line, '-', &map->start) || !take_hex(&line, ' ', &map->end) ||
	    !take_permissions(&line, map) || !take_hex(&line, ' ', &map->file_offset) ||
	    !take_hex(&line, ':', &major) || !take_hex(&line, ' ', &minor) ||
	    !take_inode(&line, &map->inode))
		return false;
	if (map->end < map->start || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	map->dev_major = (unsigned int)major;
	map->dev_minor = (unsigned int)minor;
	take_path(&line, map);
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
		struct line line = { at, newline ? newline : end };
		struct procfs_map map = { 0 };

		*line.end = '\0';
		if (memchr(at, 0, (size_t)(line.end - at)) || !parse_line(line, &map)) {
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
