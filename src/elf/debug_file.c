// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elf/debug_file.h"

#include <string.h>

#include "base/io.h"
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

struct error *debug_file_no_candidate(const char *object_path, const char *debuglink_name,
				      const char *build_id_hex)
{
	if (debuglink_name && !debuglink_name_is_safe(debuglink_name, strlen(debuglink_name)))
		return elf_error(ELF_UNSAFE_DEBUGLINK, 0,
				 "%s has no debug information, and \"%s\" in its .gnu_debuglink is "
				 "no bare file name; the file is damaged or was tampered with",
				 object_path, debuglink_name);
	if (build_id_hex && strlen(build_id_hex) >= 2 &&
	    !build_id_hex_is_safe(build_id_hex, strlen(build_id_hex)))
		return elf_error(ELF_UNSAFE_BUILD_ID, 0,
				 "%s has no debug information, and its build-id \"%s\" is not "
				 "lower-case hexadecimal; the file is damaged or was tampered with",
				 object_path, build_id_hex);
	return elf_error(ELF_NO_DEBUG_INFO, 0,
			 "%s has no debug information and neither .gnu_debuglink nor a build-id "
			 "says where it could be; build it with -g or install its debug package",
			 object_path);
}

struct error *debug_file_open(const char *ns_root, const char *path, struct elf_image **ret)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *label = NULL;

	if (!ns_root)
		return elf_image_open(path, ret);
	label = xasprintf("%s%s", ns_root, path);
	fd = io_open_below(ns_root, path);
	if (fd < 0)
		return base_error(BASE_IO, errno, "open %s", label);
	return elf_image_open_fd(fd, label, ret);
}
