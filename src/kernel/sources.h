/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which archive the system's apt uses, and the private sources made of it: text in, text out.
 * No mirror is known here; the system's configuration names it.
 */
#ifndef KTSTR_KERNEL_SOURCES_H
#define KTSTR_KERNEL_SOURCES_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "kernel/error.h"

/* One suite of the archive. */
struct kernel_source {
	char *uri;
	char *suite;
	char *entry;	 /* "file:line" of the system's configuration; NULL for one of ours */
	char *signed_by; /* file of keys; NULL: the keys apt trusts anyway */
};

struct kernel_sources {
	struct kernel_source *at;
	size_t n;
	size_t capacity;
	char *uri;	 /* of the archive itself, not of its security part */
	char *signed_by; /* of that archive */
	char *next;	 /* the suite that is the release after the system's; NULL: none */
};

/* What apt-get indextargets is asked for; one line per list of packages. */
#define KERNEL_SOURCES_FORMAT "$(REPO_URI) $(CODENAME) $(SUITE) $(SOURCESENTRY) $(ORIGIN)"

void kernel_sources_deinit(struct kernel_sources *sources);
#define _cleanup_kernel_sources_ __attribute__((cleanup(kernel_sources_deinit)))

/*
 * The Debian suites of the system, whose codename is `codename`. Lines of other origins, and
 * those apt has not read yet, are passed over. None left: BASE_ABSENT.
 */
struct error *kernel_sources_parse(const char *text, size_t n, const char *codename,
				   struct kernel_sources *ret) MUST_CHECK;
/* The Signed-By of the entry at `line` of a .list or .sources text; NULL when it has none. */
char *kernel_signed_by(const char *text, size_t n, bool deb822, unsigned long line) MUST_CHECK;
/* Fills in signed_by from the files that the entries name, else with Debian's own keys. */
void kernel_sources_read_keys(struct kernel_sources *sources);
/* The codename in the text of a release file; NULL when it has none that could be a suite. */
char *kernel_sources_codename(const char *text, size_t n) MUST_CHECK;
/* A suite of the archive, unless it is there already. */
void kernel_sources_add(struct kernel_sources *sources, const char *suite);
/* In apt's deb822 style. */
void kernel_sources_format(const struct kernel_sources *sources, struct strbuf *into);

#endif
