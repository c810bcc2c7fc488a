// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/run/run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"

const char *vm_run_state_name(enum vm_run_state state)
{
	static const char *const words[] = {
#define RUN_STATE_WORD_(id, word, meaning) [id] = word,
		VM_RUN_STATES(RUN_STATE_WORD_)
	};

	return words[state];
}

void vm_run_list_deinit(struct vm_run_list *list)
{
	for (size_t i = 0; i < list->entries.n; i++) {
		free(list->entries.at[i].id);
		free(list->entries.at[i].problem);
		vm_run_info_free(list->entries.at[i].info);
	}
	vec_deinit(&list->entries);
}

/* *ret stays NULL when there is no description yet. */
static struct error *read_info(int top_fd, const char *id, struct vm_run_info **ret)
{
	_cleanup_free_ char *name = xasprintf("%s/" VM_RUN_DIR_INFO, id);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	/* A pipe or device of that name must not block. */
	_cleanup_close_ int fd = openat(top_fd, name,
					O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_cleanup_vm_run_info_ struct vm_run_info *info = NULL;
	struct error *err;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? NULL : base_error(BASE_IO, errno, "cannot open %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return base_error(BASE_PARSE, 0, "%s is not a file", name);
	err = io_read_fd(fd, name, VM_LIMIT_RUN_INFO_BYTES, &text);
	if (!err)
		err = vm_run_info_parse(strbuf_str(&text), text.n, name, &info);
	if (!err && strcmp(info->id, id) != 0)
		err = base_error(BASE_PARSE, 0, "%s says that it is %s", name, info->id);
	if (!err)
		*ret = take_ptr(info);
	return err;
}

static enum vm_run_state state_of(const struct vm_run_info *info)
{
	if (!info || info->qemu.pid <= 0)
		return VM_RUN_STARTING;
	return vm_run_process_lives(&info->qemu) ? VM_RUN_RUNNING : VM_RUN_ENDED;
}

static void add_entry(struct vm_run_list *list, int top_fd, const char *id)
{
	struct vm_run_entry entry = { 0 };
	struct error *err;

	if (vm_run_dir_owner(top_fd, id) != VM_RUN_DIR_OWNER_LIVES)
		return;
	err = read_info(top_fd, id, &entry.info);
	/* It may have ended between the two looks. */
	if (!entry.info && vm_run_dir_owner(top_fd, id) != VM_RUN_DIR_OWNER_LIVES) {
		error_free(err);
		return;
	}
	entry.id = xstrdup(id);
	entry.state = err ? VM_RUN_UNREADABLE : state_of(entry.info);
	entry.problem = err ? xstrdup(error_message(err)) : NULL;
	error_free(err);
	vec_push(&list->entries, entry);
}

static int by_start(const void *a_, const void *b_)
{
	const struct vm_run_entry *a = a_, *b = b_;
	uint64_t a_at = a->info ? a->info->started_at_sec : UINT64_MAX;
	uint64_t b_at = b->info ? b->info->started_at_sec : UINT64_MAX;

	if (a_at != b_at)
		return a_at < b_at ? -1 : 1;
	return strcmp(a->id, b->id);
}

struct error *vm_run_list_read(struct vm_run_list *ret)
{
	struct vm_run_list list = { .entries = VEC_INIT };
	_cleanup_free_ char *top = vm_run_dir_top();
	_cleanup_dir_ DIR *dir = NULL;
	struct dirent *entry;
	int left = VM_LIMIT_RUN_DIR_ENTRIES;

	vm_run_dir_sweep();
	dir = opendir(top);
	if (!dir && errno != ENOENT)
		return base_error(BASE_IO, errno, "cannot list %s", top);
	while (dir && left-- > 0 && (entry = readdir(dir))) {
		if (vm_run_dir_is_id(entry->d_name))
			add_entry(&list, dirfd(dir), entry->d_name);
	}
	if (list.entries.n)
		qsort(list.entries.at, list.entries.n, sizeof(list.entries.at[0]), by_start);
	*ret = list;
	return NULL;
}

static size_t count_prefix(const struct vm_run_list *list, const char *id,
			   const struct vm_run_entry **ret_first)
{
	size_t n = strlen(id), found = 0;

	for (size_t i = 0; n && i < list->entries.n; i++) {
		if (strncmp(list->entries.at[i].id, id, n) != 0)
			continue;
		if (!found++)
			*ret_first = &list->entries.at[i];
	}
	return found;
}

const struct vm_run_entry *vm_run_list_find(const struct vm_run_list *list, const char *id)
{
	const struct vm_run_entry *first;

	return count_prefix(list, id, &first) == 1 ? first : NULL;
}

struct error *vm_run_list_get(const struct vm_run_list *list, const char *id,
			      const struct vm_run_entry **ret)
{
	const struct vm_run_entry *first = NULL;
	size_t n;

	if (strncmp(id, "vm:", 3) == 0)
		id += 3;
	n = count_prefix(list, id, &first);
	if (n == 0)
		return base_error(BASE_ABSENT, 0,
				  "no VM has an id that begins with \"%s\": see `ktstr vm list`",
				  id);
	if (n > 1)
		return base_error(
			BASE_ABSENT, 0,
			"%zu VMs have an id that begins with \"%s\": give more of it, see `ktstr vm list`",
			n, id);
	*ret = first;
	return NULL;
}
