// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/debug_file.h"

#include <string.h>

#include "elf/build_id.h"
#include "elf/debuglink.h"

void path_list_deinit(struct path_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i]);
	vec_deinit(list);
}

static void add_debuglink(const char *object_path, const char *name, const char *debug_dir,
			  struct path_list *into)
{
	const char *slash = strrchr(object_path, '/');
	int folder_n = slash ? (int)(slash - object_path) + 1 : 0;

	/* "/" itself has no folder, and neither has "". */
	if (!object_path[0] || strcmp(object_path, "/") == 0)
		return;
	vec_push(into, xasprintf("%.*s%s", folder_n, object_path, name));
	vec_push(into, xasprintf("%.*s.debug/%s", folder_n, object_path, name));
	/* Packages key their debug files by the absolute path; a relative one says nothing. */
	if (object_path[0] == '/')
		vec_push(into, xasprintf("%s%.*s%s", debug_dir, folder_n, object_path, name));
}

void debug_file_candidates(const char *object_path, const char *debuglink_name,
			   const char *build_id_hex, const char *debug_dir, struct path_list *into)
{
	if (!debug_dir)
		debug_dir = DEBUG_FILE_DEFAULT_DIR;
	if (build_id_hex && build_id_hex_is_safe(build_id_hex, strlen(build_id_hex)))
		vec_push(into, xasprintf("%s/.build-id/%.2s/%s.debug", debug_dir, build_id_hex,
					 build_id_hex + 2));
	if (debuglink_name && debuglink_name_is_safe(debuglink_name, strlen(debuglink_name)))
		add_debuglink(object_path, debuglink_name, debug_dir, into);
}

void debug_file_in_namespaces(const char *path, const char *ns_root, struct path_list *into)
{
	if (ns_root && path[0] == '/')
		vec_push(into, xasprintf("%s%s", ns_root, path));
	vec_push(into, xstrdup(path));
}
