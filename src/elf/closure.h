/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program and every file the loader opens before its first instruction: the
 * interpreter, the libraries, the libraries' libraries. Searched as glibc's loader does, in the
 * order DT_RPATH (of an object without DT_RUNPATH and of those that loaded it), LD_LIBRARY_PATH,
 * DT_RUNPATH, /etc/ld.so.cache, default directories. What a program opens later by itself
 * (dlopen(), plugins, locale data) is not known to anybody beforehand and not here.
 */
#ifndef KTSTR_ELF_CLOSURE_H
#define KTSTR_ELF_CLOSURE_H

#include "base/error.h"
#include "base/strbuf.h"

#define ELF_CLOSURE_ERRORS(X)                                                                    \
	X(ELF_CLOSURE_MISSING, "library-missing", "a file that a program needs cannot be found") \
	X(ELF_CLOSURE_LIMIT, "closure-limit", "a program needs more files than is sensible")
DECLARE_ERROR_DOMAIN(elf_closure, ELF_CLOSURE, ELF_CLOSURE_ERRORS);

/* What led to a file. */
enum elf_closure_way {
	ELF_CLOSURE_PROGRAM, /* asked for by the caller */
	ELF_CLOSURE_SCRIPT,  /* behind the #! of a script */
	ELF_CLOSURE_INTERPRETER,
	ELF_CLOSURE_BY_PATH, /* DT_NEEDED with a slash */
	ELF_CLOSURE_RPATH,
	ELF_CLOSURE_ENVIRONMENT, /* LD_LIBRARY_PATH */
	ELF_CLOSURE_RUNPATH,
	ELF_CLOSURE_CACHE,
	ELF_CLOSURE_DEFAULT,
};

struct elf_closure_file {
	char *path;   /* absolute, inside the root, as the loader would open it: links unresolved */
	char *wanted; /* the name it was asked for by */
	enum elf_closure_way way;
	bool in_default_directory; /* found without cache, environment or DT_R*PATH as well */
};

struct elf_closure {
	struct elf_closure_file *files; /* [0] is the program */
	size_t n_files;
	uint16_t machine; /* EM_…; 0 when neither the program nor its interpreter is ELF */
};

struct elf_closure_options {
	const char *root;	  /* NULL: "/" */
	const char *library_path; /* as in LD_LIBRARY_PATH; NULL: none */
};

/*
 * program: absolute path inside the root. A file that is neither ELF nor script needs
 * nothing but itself. All that is missing is named in one ELF_CLOSURE_MISSING, each with who needs
 * it. The caller owns *ret.
 */
struct error *elf_closure_read(const struct elf_closure_options *options, const char *program,
			       struct elf_closure **ret) MUST_CHECK;
void elf_closure_free(struct elf_closure *c);
DEFINE_CLEANUP(elf_closure, struct elf_closure *, NULL, elf_closure_free);
#define _cleanup_elf_closure_ _cleanup_(cleanup_elf_closure)

/* The directories a loader of this machine searches without being told, in order; NULL at the end.
 */
const char *const *elf_closure_default_directories(uint16_t machine);

/*
 * A path walked link by link, as a process whose root directory is `root` would. Tells
 * each symbolic link on the way, so that a copy of the file elsewhere can be reached by the
 * same names.
 */

/*
 * path: absolute and without links in its directories; target: the text of the link, or NULL for
 * a directory that the path enters only to leave it by `..`. Lent.
 */
typedef void elf_closure_link_fn(void *context, const char *path, const char *target);

/*
 * Replaces *ret_real with the absolute path, inside root, of what stands at
 * `path` (absolute). Nothing there: BASE_IO with ENOENT. More than ELF_LIMIT_PATH_LINKS links:
 * BASE_IO with ELOOP. on_link may be NULL.
 */
struct error *elf_closure_path_walk(const char *root, const char *path,
				    elf_closure_link_fn *on_link, void *context,
				    struct strbuf *ret_real) MUST_CHECK;

#endif
