/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine made of a few files, for checks to look at. */
#ifndef KTSTR_TESTS_DOCTOR_MACHINE_H
#define KTSTR_TESTS_DOCTOR_MACHINE_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"
#include "cli/doctor/doctor.h"
#include "unit.h"

struct machine {
	char root[40];
};

static inline int make_machine(void **state)
{
	struct machine *m = xnew(struct machine);

	strcpy(m->root, "/tmp/ktstr-doctor-XXXXXX");
	*state = m;
	return mkdtemp(m->root) ? 0 : -1;
}

static inline int remove_machine(void **state)
{
	struct machine *m = *state;

	error_free(paths_remove(m->root));
	free(m);
	return 0;
}

/* Directories are made as needed. */
static inline void put(const struct machine *m, const char *path, const char *text)
{
	_cleanup_free_ char *full = xasprintf("%s%s", m->root, path);
	_cleanup_free_ char *dir = xstrdup(full);

	*strrchr(dir, '/') = 0;
	assert_success(paths_make(dir, 0755));
	assert_success(io_replace_file(full, text, strlen(text)));
	assert_int_equal(chmod(full, 0755), 0);
}

typedef void (*check_fn)(const char *root, struct finding *finding);

/* Fails unless the check says this; `fix` NULL means none. */
static inline void expect(const struct machine *m, check_fn check, enum check_state state,
			  const char *words, const char *fix)
{
	_cleanup_finding_ struct finding finding = { 0 };

	check(m->root, &finding);
	if (finding.state != state)
		fail_msg("state %d: %s", (int)finding.state, strbuf_str(&finding.text));
	assert_contains(strbuf_str(&finding.text), words);
	if (fix)
		assert_contains(strbuf_str(&finding.fix), fix);
	else
		assert_string_equal(strbuf_str(&finding.fix), "");
}

#define IN_MACHINE(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

#endif
