// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/bpf/sample.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"

enum {
	/* A handle that is a kernfs node's number (5.5); linux/exportfs.h has the word since 6.14.
	 */
	HANDLE_KERNFS = 0xfe,
};

void ctprof_bpf_cgroups_init(struct ctprof_bpf_cgroups *cgroups)
{
	*cgroups = (struct ctprof_bpf_cgroups){ .mount_fd = -1 };
	procfs_cgroup_mount_find("", &cgroups->mount);
	if (cgroups->mount.path)
		cgroups->mount_fd = open(cgroups->mount.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void ctprof_bpf_cgroups_deinit(struct ctprof_bpf_cgroups *cgroups)
{
	cleanup_fd(&cgroups->mount_fd);
	procfs_cgroup_mount_deinit(&cgroups->mount);
	vec_deinit(&cgroups->rows);
	hash_index_deinit(&cgroups->index);
	*cgroups = (struct ctprof_bpf_cgroups){ .mount_fd = -1 };
}

/* Where its directory is now, by asking the file system for the node: no walk, no race with a move.
 */
static bool find_dir(const struct ctprof_bpf_cgroups *cgroups, uint64_t id, char dir[PATH_MAX])
{
	struct {
		struct file_handle head;
		uint64_t id;
	} handle = {
		.head = { .handle_bytes = sizeof(id), .handle_type = HANDLE_KERNFS },
		.id = id,
	};
	_cleanup_close_ int fd = -1;
	char link[64];
	ssize_t n;

	_Static_assert(offsetof(typeof(handle), id) == sizeof(struct file_handle), "no gap");
	if (cgroups->mount_fd < 0)
		return false;
	fd = open_by_handle_at(cgroups->mount_fd, &handle.head, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, dir, PATH_MAX);
	if (n <= 0 || n == PATH_MAX)
		return false;
	dir[n] = '\0';
	return true;
}

/* The mount point's path is in front of the directory; what the mount shows of the tree belongs
 * there.
 */
static bool name_of(const struct ctprof_bpf_cgroups *cgroups, uint64_t id, struct intern *strings,
		    uint32_t *ret_path)
{
	static const char deleted[] = " (deleted)";
	const char *top = cgroups->mount.path, *root = cgroups->mount.root;
	_cleanup_free_ char *path = NULL;
	char dir[PATH_MAX];
	size_t n;

	if (!find_dir(cgroups, id, dir))
		return false;
	n = strlen(dir);
	if (n >= strlen(deleted) && strcmp(dir + n - strlen(deleted), deleted) == 0)
		return false;
	n = strlen(top);
	if (strncmp(dir, top, n) != 0 || (dir[n] != '\0' && dir[n] != '/'))
		return false;
	if (!root || strcmp(root, "/") == 0)
		root = "";
	path = xasprintf("%s%s", root, dir + n);
	*ret_path = intern_add(strings, *path ? path : "/");
	return true;
}

static const struct ctprof_bpf_cgroup *row_of(struct ctprof_bpf_cgroups *cgroups, uint64_t id,
					      struct intern *strings)
{
	uint64_t hash = hash_bytes(HASH_INIT, &id, sizeof(id));
	struct ctprof_bpf_cgroup row = { .id = id };
	size_t at = 0;
	uint32_t i;

	while (hash_index_next(&cgroups->index, hash, &at, &i))
		if (cgroups->rows.at[i].id == id)
			return &cgroups->rows.at[i];
	row.known = name_of(cgroups, id, strings, &row.path);
	hash_index_add(&cgroups->index, hash, (uint32_t)cgroups->rows.n);
	vec_push(&cgroups->rows, row);
	return &cgroups->rows.at[cgroups->rows.n - 1];
}

bool ctprof_bpf_cgroups_find(struct ctprof_bpf_cgroups *cgroups, uint64_t id,
			     struct intern *strings, uint32_t *ret_path)
{
	const struct ctprof_bpf_cgroup *row;

	if (id == 0)
		return false;
	row = row_of(cgroups, id, strings);
	if (row->known)
		*ret_path = row->path;
	return row->known;
}
