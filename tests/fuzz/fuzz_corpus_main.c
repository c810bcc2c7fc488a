// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a fuzzer's corpus as an ordinary test: each file as it is, and a bounded
 * number of damaged copies, the same ones in every run.
 *
 *	corpus-NAME CORPUS_DIR                  the test
 *	corpus-NAME CORPUS_DIR FILE VARIANT     one input again, as a crash names it
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_deep.h"

enum {
	FILE_MAX_BYTES = 1 << 20,
	/* Spread over all files of a corpus, so that a large one stays quick. */
	VARIANTS_TOTAL = 4096,
	VARIANTS_PER_FILE = 64,
	FLIPS_MAX = 8,
};

static char running[512];

/* Weak: only sanitizer builds have it. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void say_what_was_running(void)
{
	ssize_t ignored = write(STDERR_FILENO, running, strlen(running));

	(void)ignored;
}

static void on_abort(int sig)
{
	say_what_was_running();
	signal(sig, SIG_DFL);
	raise(sig);
}

static uint64_t next_random(uint64_t *state)
{
	/* splitmix64: small, and the same everywhere. */
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Odd variants lose their end, even ones get bits flipped; variant 0 is the file. */
static size_t damage(uint8_t *bytes, size_t n, unsigned int variant)
{
	uint64_t state = (uint64_t)variant << 32 | (uint32_t)n;

	if (variant == 0 || n == 0)
		return n;
	if (variant % 2)
		return next_random(&state) % n;
	for (uint64_t flips = 1 + next_random(&state) % FLIPS_MAX; flips; flips--)
		bytes[next_random(&state) % n] ^= (uint8_t)(1u << next_random(&state) % 8);
	return n;
}

static void run_one(const char *name, const uint8_t *bytes, size_t n, unsigned int variant)
{
	uint8_t *copy = malloc(n ? n : 1);
	uint8_t *exact;
	size_t left;

	if (!copy)
		abort();
	if (n)
		memcpy(copy, bytes, n);
	left = damage(copy, n, variant);
	/* Of exactly this size, so that the sanitizer sees one byte too far. */
	exact = malloc(left ? left : 1);
	if (!exact)
		abort();
	memcpy(exact, copy, left);
	free(copy);
	snprintf(running, sizeof(running), "input: %s, variant %u (%zu bytes)\n", name, variant,
		 left);
	LLVMFuzzerTestOneInput(exact, left);
	free(exact);
}

static uint8_t *read_file(const char *dir, const char *name, size_t *ret_n)
{
	uint8_t *bytes = malloc(FILE_MAX_BYTES + 1);
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = bytes ? fopen(path, "rb") : NULL;
	if (!f) {
		free(bytes);
		return NULL;
	}
	*ret_n = fread(bytes, 1, FILE_MAX_BYTES + 1, f);
	fclose(f);
	return bytes;
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && entry->d_type != DT_DIR;
}

static bool run_file(const char *dir, const char *name, unsigned int variants)
{
	size_t n = 0;
	uint8_t *bytes = read_file(dir, name, &n);

	if (!bytes) {
		printf("# %s/%s: %s\n", dir, name, strerror(errno));
		return false;
	}
	if (n > FILE_MAX_BYTES) {
		printf("# %s/%s is larger than %d bytes\n", dir, name, FILE_MAX_BYTES);
		free(bytes);
		return false;
	}
	for (unsigned int variant = 0; variant <= variants; variant++)
		run_one(name, bytes, n, variant);
	free(bytes);
	return true;
}

static bool report(int number, bool passed, const char *name)
{
	printf("%s %d - %s\n", passed ? "ok" : "not ok", number, name);
	fflush(stdout);
	return passed;
}

static int run_corpus(const char *dir, struct dirent **files, int n_files)
{
	unsigned int variants = VARIANTS_TOTAL / (n_files > 0 ? (unsigned int)n_files : 1);
	int number = 0, failed = 0;

	printf("1..%d\n", (n_files > 0 ? n_files : 0) + 3);
	failed += !report(++number, n_files > 0, "corpus_has_files");
	run_one("(nothing)", NULL, 0, 0);
	failed += !report(++number, true, "empty_input");
	for (int i = 0; i < n_files; i++) {
		const char *name = files[i]->d_name;
		bool passed = run_file(dir, name,
				       variants < VARIANTS_PER_FILE ? variants : VARIANTS_PER_FILE);

		failed += !report(++number, passed, name);
	}
	failed += !report(++number, fuzz_deep_count() > 0, "corpus_gets_past_the_first_validation");
	return failed;
}

static int run_again(const char *dir, const char *name, const char *variant)
{
	size_t n = 0;
	uint8_t *bytes = read_file(dir, name, &n);

	if (!bytes) {
		fprintf(stderr, "%s/%s: %s\n", dir, name, strerror(errno));
		return 2;
	}
	run_one(name, bytes, n, (unsigned int)strtoul(variant, NULL, 10));
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **files = NULL;
	int n_files, failed;

	if (argc != 2 && argc != 4) {
		fprintf(stderr, "usage: %s CORPUS_DIR [FILE VARIANT]\n", argv[0]);
		return 2;
	}
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(say_what_was_running);
	else
		signal(SIGSEGV, on_abort);
	signal(SIGABRT, on_abort);
	if (argc == 4)
		return run_again(argv[1], argv[2], argv[3]);
	n_files = scandir(argv[1], &files, is_file, alphasort);
	failed = run_corpus(argv[1], files, n_files);
	for (int i = 0; i < n_files; i++)
		free(files[i]);
	free(files);
	return failed ? 1 : 0;
}
