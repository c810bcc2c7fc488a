// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Usage: vm_runner TOPOLOGY MEMORY_MIB
 *
 * A process that keeps guests, as a test runner does. Each line on stdin is answered by one
 * line of JSON: how many nanoseconds each part took.
 *
 *	prepare    a spare guest: proved, has run one command, stands still
 *	request    the spare is let run, executes its first command; and CPU time of both
 *	end        the guest of the last request ends
 *	exec N     N commands one after the other in that guest
 *	put N      a file of N bytes into it
 *	cat N      N bytes through the stdin and stdout of its cat
 *	memory N   N more guests that have executed a command: KiB of each QEMU
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/link/exec.h"
#include "wire/cpio.h"

enum { CLONES_LIMIT = 16, BYTES_LIMIT = 256 << 20 };

struct runner {
	struct vm_spec spec;
	struct vm *spare, *current;
};

static struct error *run(struct vm *vm, struct vm_command *command)
{
	struct vm_end end;
	struct error *err = vm_exec(vm, command, NULL, &end);

	if (!err && (end.how != WIRE_END_EXITED || end.value != 0))
		err = vm_error(VM_AGENT, 0, "the command failed");
	return err;
}

static struct error *first_command(struct vm *vm)
{
	static const char *const argv[] = { "sh", "-c", "true", NULL };

	return run(vm, &(struct vm_command){ .argv = argv, .stdin_fd = -1 });
}

static struct error *prepare(struct runner *r, uint64_t n UNUSED)
{
	uint64_t began_ns = clock_monotonic_ns();
	struct error *err;

	vm_free(take_ptr(r->spare));
	err = vm_prepare(&r->spec, NULL, &r->spare);
	if (!err)
		printf("[%" PRIu64 "]\n", clock_monotonic_ns() - began_ns);
	return err;
}

/* Of this process and of QEMU. */
static uint64_t cpu_ns(const struct vm *vm)
{
	struct timespec ours = { 0 }, theirs = { 0 };
	clockid_t clock;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ours);
	if (clock_getcpuclockid(vm_facts(vm).qemu_pid, &clock) == 0)
		clock_gettime(clock, &theirs);
	return (uint64_t)(ours.tv_sec + theirs.tv_sec) * NS_PER_SEC +
	       (uint64_t)(ours.tv_nsec + theirs.tv_nsec);
}

static struct error *request(struct runner *r, uint64_t n UNUSED)
{
	uint64_t began_ns, released_ns, began_cpu_ns;
	struct error *err;

	vm_free(take_ptr(r->current));
	if (!r->spare)
		return vm_error(VM_AGENT, 0, "nothing is prepared");
	r->current = take_ptr(r->spare);
	began_cpu_ns = cpu_ns(r->current);
	began_ns = clock_monotonic_ns();
	err = vm_release(r->current, NULL);
	released_ns = clock_monotonic_ns();
	if (!err)
		err = first_command(r->current);
	if (!err)
		printf("[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]\n", released_ns - began_ns,
		       clock_monotonic_ns() - released_ns, cpu_ns(r->current) - began_cpu_ns);
	return err;
}

static struct error *end(struct runner *r, uint64_t n UNUSED)
{
	uint64_t began_ns = clock_monotonic_ns();

	vm_free(take_ptr(r->current));
	printf("[%" PRIu64 "]\n", clock_monotonic_ns() - began_ns);
	return NULL;
}

static struct error *exec_many(struct runner *r, uint64_t n)
{
	static const char *const argv[] = { "true", NULL };
	struct vm_command command = { .argv = argv, .stdin_fd = -1 };
	struct error *err = NULL;

	putchar('[');
	for (uint64_t i = 0; !err && i < n; i++) {
		uint64_t began_ns = clock_monotonic_ns();

		err = run(r->current, &command);
		printf("%s%" PRIu64, i ? ", " : "", clock_monotonic_ns() - began_ns);
	}
	puts("]");
	return err;
}

/* Bytes no compressor and no lost block gets past. */
static uint8_t *pattern(uint64_t n)
{
	uint64_t state = UINT64_C(88172645463325252),
		 *words = xcalloc(n / sizeof(uint64_t) + 1, sizeof(uint64_t));

	for (uint64_t i = 0; i < n / sizeof(*words) + 1; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		words[i] = state;
	}
	return (uint8_t *)words;
}

static struct error *put(struct runner *r, uint64_t n)
{
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	_cleanup_free_ uint8_t *bytes = pattern(n);
	struct wire_cpio_entry entry = { .name = "bench", .mode = S_IFREG | 0644 };
	struct wire_cpio_writer w;
	struct error *err;
	uint64_t began_ns;

	wire_cpio_writer_init(&w, wire_cpio_strbuf_sink, &archive);
	err = wire_cpio_write(&w, &entry, bytes, n);
	if (!err)
		err = wire_cpio_write_trailer(&w);
	if (err)
		return err;
	began_ns = clock_monotonic_ns();
	err = vm_put_bytes(r->current, "/tmp", archive.at, archive.n, NULL, NULL);
	if (!err)
		printf("[%" PRIu64 "]\n", clock_monotonic_ns() - began_ns);
	return err;
}

struct echo {
	const uint8_t *expected;
	uint64_t n, done;
};

static struct error *compare(void *context, enum vm_stream stream UNUSED, const void *bytes,
			     size_t n)
{
	struct echo *echo = context;

	if (n > echo->n - echo->done || memcmp(echo->expected + echo->done, bytes, n) != 0)
		return vm_error(VM_AGENT, 0, "cat gave back something else");
	echo->done += n;
	return NULL;
}

static struct error *cat(struct runner *r, uint64_t n)
{
	static const char *const argv[] = { "cat", NULL };
	_cleanup_free_ uint8_t *bytes = pattern(n);
	_cleanup_close_ int fd = memfd_create("bench", MFD_CLOEXEC);
	struct echo echo = { .expected = bytes, .n = n };
	uint64_t began_ns;
	struct error *err;

	if (fd < 0 || pwrite(fd, bytes, n, 0) != (ssize_t)n)
		return vm_error(VM_AGENT, errno, "no file to send");
	began_ns = clock_monotonic_ns();
	err = run(r->current,
		  &(struct vm_command){
			  .argv = argv, .stdin_fd = fd, .on_output = compare, .context = &echo });
	if (!err && echo.done != n)
		err = vm_error(VM_AGENT, 0, "cat gave back too little");
	if (!err)
		printf("[%" PRIu64 "]\n", clock_monotonic_ns() - began_ns);
	return err;
}

static uint64_t rollup_kb(pid_t pid, const char *name)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/smaps_rollup", pid);
	_cleanup_(cleanup_file) FILE *f = fopen(path, "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
			return strtoull(line + strlen(name) + 1, NULL, 10);
	return 0;
}

static struct error *memory(struct runner *r, uint64_t n)
{
	struct vm *clones[CLONES_LIMIT] = { NULL };
	struct error *err = NULL;

	for (uint64_t i = 0; !err && i < n && i < CLONES_LIMIT; i++) {
		err = vm_start(&r->spec, NULL, &clones[i]);
		if (!err)
			err = first_command(clones[i]);
	}
	putchar('[');
	for (uint64_t i = 0; !err && i < n; i++) {
		pid_t pid = vm_facts(clones[i]).qemu_pid;

		printf("%s{\"rss\": %" PRIu64 ", \"pss\": %" PRIu64 ", \"private_dirty\": %" PRIu64
		       "}",
		       i ? ", " : "", rollup_kb(pid, "Rss"), rollup_kb(pid, "Pss"),
		       rollup_kb(pid, "Private_Dirty"));
	}
	puts("]");
	for (uint64_t i = 0; i < n; i++)
		vm_free(clones[i]);
	return err;
}

static const struct {
	const char *word;
	struct error *(*run)(struct runner *r, uint64_t n);
	bool needs_guest;
	uint64_t limit;
} commands[] = {
	{ "prepare", prepare, false, 0 },
	{ "request", request, false, 0 },
	{ "end", end, false, 0 },
	{ "exec", exec_many, true, 1000000 },
	{ "put", put, true, BYTES_LIMIT },
	{ "cat", cat, true, BYTES_LIMIT },
	{ "memory", memory, false, CLONES_LIMIT },
};

static struct error *obey(struct runner *r, const char *line)
{
	char word[16] = "";
	uint64_t n = 0;

	sscanf(line, "%15s %" SCNu64, word, &n);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].word, word) != 0)
			continue;
		if (n > commands[i].limit || (commands[i].needs_guest && !r->current))
			break;
		return commands[i].run(r, n);
	}
	return vm_error(VM_AGENT, 0, "cannot do now: %s", line);
}

int main(int argc, char **argv)
{
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_error_ struct error *err = NULL;
	struct runner r = { 0 };
	char line[64];

	if (argc != 3) {
		fputs("usage: vm_runner TOPOLOGY MEMORY_MIB\n", stderr);
		return 2;
	}
	r.spec.memory_bytes = strtoull(argv[2], NULL, 10) << 20;
	err = topo_parse(argv[1], &r.spec.topology);
	if (!err)
		err = kernel_resolve(NULL, &kernel);
	r.spec.kernel = kernel;
	while (!err && fgets(line, sizeof(line), stdin)) {
		err = obey(&r, line);
		fflush(stdout);
	}
	vm_free(r.spare);
	vm_free(r.current);
	if (err)
		fprintf(stderr, "vm_runner: %s\n", error_message(err));
	return err ? 1 : 0;
}
