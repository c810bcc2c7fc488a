// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests that take their guest with them, or try to. tests/self says what each must be called. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktstr/short.h>

static void put(struct ktstr_ctx *ctx, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	REQUIRE(ctx, fd >= 0, "%s cannot be opened", path);
	REQUIRE(ctx, write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s refuses %s", path,
		text);
	close(fd);
}

static void eat_memory(void)
{
	for (;;) {
		size_t n = 4 << 20;
		char *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);

		if (at != MAP_FAILED)
			memset(at, 1, n);
	}
}

static void crash_the_kernel(struct ktstr_ctx *ctx)
{
	put(ctx, "/proc/sysrq-trigger", "c");
	pause();
}
KTSTR_TEST(panics) = { .run = crash_the_kernel };

static void exhaust_the_machine(struct ktstr_ctx *ctx)
{
	put(ctx, "/proc/sys/vm/panic_on_oom", "2");
	eat_memory();
}
KTSTR_TEST(out_of_memory) = { .run = exhaust_the_machine };

static void be_eaten(struct ktstr_ctx *ctx)
{
	put(ctx, "/proc/self/oom_score_adj", "1000");
	eat_memory();
}
KTSTR_TEST(function_eaten) = { .run = be_eaten };

static void feed_a_payload(struct ktstr_ctx *ctx)
{
	ktstr_run(ctx, "self_payload", "eat");
}
KTSTR_TEST(payload_eaten) = { .files = { "self_payload" }, .run = feed_a_payload };

/* The agent is put to sleep for good: the guest idles and nobody answers. */
static void freeze_the_agent(struct ktstr_ctx *ctx)
{
	REQUIRE(ctx, mkdir("/sys/fs/cgroup/ice", 0755) == 0, "no cgroup can be made");
	put(ctx, "/sys/fs/cgroup/ice/cgroup.procs", "1");
	put(ctx, "/sys/fs/cgroup/ice/cgroup.freeze", "1");
	pause();
}
KTSTR_TEST(agent_frozen) = { .timeout_s = 60, .run = freeze_the_agent };

static void switch_off(struct ktstr_ctx *ctx)
{
	(void)ctx;
	reboot(RB_POWER_OFF);
	pause();
}
KTSTR_TEST(powers_off) = { .run = switch_off };

static void restart(struct ktstr_ctx *ctx)
{
	(void)ctx;
	reboot(RB_AUTOBOOT);
	pause();
}
KTSTR_TEST(reboots) = { .run = restart };

/* At once, without the words of reboot(2). */
static void reset(struct ktstr_ctx *ctx)
{
	put(ctx, "/proc/sysrq-trigger", "b");
	pause();
}
KTSTR_TEST(resets) = { .run = reset };
