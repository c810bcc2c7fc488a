// SPDX-License-Identifier: LGPL-2.1-or-later
#include "procfs/cgroup.h"

#include <limits.h>
#include <string.h>

#include "base/io.h"
#include "base/vec.h"
#include "base/slice.h"

/* How far up the tree of mounts is looked for one that lies on top. */
enum { MOUNT_DEPTH = 256 };
/* PROC_CGROUP_INIT_INO: the inode of the first cgroup namespace in every kernel. */
#define FIRST_NAMESPACE "cgroup:[4026531835]"

const char *procfs_cgroup_mount_state_name(enum procfs_cgroup_mount_state state)
{
#define WORD(id, word, what) [PROCFS_CGROUP_MOUNT_##id] = word,
	static const char *const words[] = { PROCFS_CGROUP_MOUNT_STATES(WORD) };
#undef WORD

	return words[state];
}

enum mount_kind { MOUNT_OTHER, MOUNT_CGROUP, MOUNT_CGROUP2 };

/* One line; texts are as they stand there, with blanks as \040. */
struct mount {
	uint64_t id, parent;
	struct slice root, point;
	enum mount_kind kind;
};

struct mounts {
	VEC(struct mount) rows;
};

/* id parent major:minor root point options optional… - type source options */
static bool parse_line(struct slice line, struct mount *ret)
{
	struct slice id, parent, device, word;
	struct mount mount = { 0 };

	if (!slice_take_word(&line, &id) || !slice_take_word(&line, &parent) ||
	    !slice_take_word(&line, &device) || !slice_take_word(&line, &mount.root) ||
	    !slice_take_word(&line, &mount.point) || !slice_u64(id, &mount.id) ||
	    !slice_u64(parent, &mount.parent) || *mount.point.at != '/')
		return false;
	do {
		if (!slice_take_word(&line, &word))
			return false;
	} while (!slice_equal(word, "-"));
	if (!slice_take_word(&line, &word))
		return false;
	mount.kind = slice_equal(word, "cgroup2")  ? MOUNT_CGROUP2
		     : slice_equal(word, "cgroup") ? MOUNT_CGROUP
						   : MOUNT_OTHER;
	*ret = mount;
	return true;
}

/* Whether the path `inner` leads through `outer`. */
static bool leads_through(struct slice outer, struct slice inner)
{
	if (outer.n == 1)
		return inner.n > 1;
	return inner.n > outer.n && memcmp(inner.at, outer.at, outer.n) == 0 &&
	       inner.at[outer.n] == '/';
}

/* Something was mounted on it, or over a directory above it. */
static bool is_hidden(const struct mounts *mounts, const struct mount *mount)
{
	for (int depth = 0; depth < MOUNT_DEPTH; depth++) {
		const struct mount *parent = NULL;

		for (size_t i = 0; i < mounts->rows.n; i++) {
			const struct mount *other = &mounts->rows.at[i];

			if (other->id == mount->id)
				continue;
			if (depth == 0 && other->parent == mount->id &&
			    other->point.n == mount->point.n &&
			    memcmp(other->point.at, mount->point.at, other->point.n) == 0)
				return true;
			/* A first root file system is mounted on itself. */
			if (other->parent == mount->parent && other->id != other->parent &&
			    leads_through(other->point, mount->point))
				return true;
			if (other->id == mount->parent)
				parent = other;
		}
		if (!parent)
			return false;
		mount = parent;
	}
	return false;
}

static char *unescape(struct slice word)
{
	char *text = xstrndup(word.at, word.n), *to = text;

	for (const char *from = text; *from; to++) {
		bool octal = from[0] == '\\';

		for (int i = 1; octal && i <= 3; i++)
			octal = from[i] >= '0' && from[i] <= '7';
		if (octal)
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
		else
			*to = *from;
		from += octal ? 4 : 1;
	}
	*to = '\0';
	return text;
}

static bool is_outside(struct slice root)
{
	return root.n >= 3 && memcmp(root.at, "/..", 3) == 0 && (root.n == 3 || root.at[3] == '/');
}

/* How much of our tree it shows. */
static int worth(const struct mount *mount)
{
	if (is_outside(mount->root))
		return 1;
	if (!slice_equal(mount->root, "/"))
		return 2;
	return slice_equal(mount->point, "/sys/fs/cgroup") ? 4 : 3;
}

static void parse_lines(const char *text, size_t n, struct mounts *mounts)
{
	struct slice rest = { text, n }, line;

	while (mounts->rows.n < PROCFS_CGROUP_MOUNTS && slice_take_line(&rest, &line)) {
		struct mount mount;

		if (parse_line(line, &mount))
			vec_push(&mounts->rows, mount);
	}
}

void procfs_cgroup_mount_parse(const char *text, size_t n, bool own_namespace,
			       struct procfs_cgroup_mount *ret)
{
	struct procfs_cgroup_mount found = { .state = PROCFS_CGROUP_MOUNT_NONE };
	struct mounts mounts = { VEC_INIT };
	const struct mount *best = NULL;
	size_t n_found = 0, n_v1 = 0;

	parse_lines(text, n, &mounts);
	for (size_t i = 0; i < mounts.rows.n; i++) {
		const struct mount *mount = &mounts.rows.at[i];

		n_v1 += mount->kind == MOUNT_CGROUP;
		if (mount->kind != MOUNT_CGROUP2 || is_hidden(&mounts, mount))
			continue;
		n_found++;
		if (!best || worth(mount) > worth(best))
			best = mount;
	}
	if (!best)
		found.state = n_v1 ? PROCFS_CGROUP_MOUNT_V1_ONLY : PROCFS_CGROUP_MOUNT_NONE;
	else if (is_outside(best->root))
		found.state = PROCFS_CGROUP_MOUNT_OUTSIDE;
	else if (!slice_equal(best->root, "/"))
		found.state = PROCFS_CGROUP_MOUNT_SUBTREE;
	else if (own_namespace)
		found.state = PROCFS_CGROUP_MOUNT_NAMESPACE;
	else if (n_found > 1)
		found.state = PROCFS_CGROUP_MOUNT_SEVERAL;
	else
		found.state = n_v1 ? PROCFS_CGROUP_MOUNT_HYBRID : PROCFS_CGROUP_MOUNT_FOUND;
	if (best && !is_outside(best->root)) {
		found.path = unescape(best->point);
		found.root = unescape(best->root);
	}
	vec_deinit(&mounts.rows);
	*ret = found;
}

/* False as well when it is unknown. */
static bool is_own_namespace(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self/ns/cgroup", root);
	char target[NAME_MAX + 1];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	return strcmp(target, FIRST_NAMESPACE) != 0;
}

void procfs_cgroup_mount_find(const char *root, struct procfs_cgroup_mount *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/self/mountinfo", root);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file(path, PROCFS_CGROUP_MOUNTINFO_BYTES,
							 &text);
	struct procfs_cgroup_mount found = { .state = PROCFS_CGROUP_MOUNT_UNREADABLE };

	if (!err)
		procfs_cgroup_mount_parse(strbuf_str(&text), text.n, is_own_namespace(root),
					  &found);
	if (found.path) {
		_cleanup_free_ char *seen = found.path;

		found.path = xasprintf("%s%s", root, seen);
	}
	*ret = found;
}

void procfs_cgroup_mount_deinit(struct procfs_cgroup_mount *mount)
{
	free(mount->path);
	free(mount->root);
	mount->path = mount->root = NULL;
}

static bool leads_upwards(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/..")); at += 3)
		if (at[3] == '\0' || at[3] == '/')
			return true;
	return false;
}

char *procfs_cgroup_mount_dir(const struct procfs_cgroup_mount *mount, const char *cgroup)
{
	size_t n;

	/* A thread of another namespace is seen as /../…; that place is in no mount of ours. */
	if (!mount->path || *cgroup != '/' || leads_upwards(cgroup))
		return NULL;
	n = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
	if (strncmp(cgroup, mount->root, n) != 0 || (n && cgroup[n] && cgroup[n] != '/'))
		return NULL;
	return xasprintf("%s%s", mount->path, cgroup + n);
}
