// SPDX-License-Identifier: GPL-2.0-or-later
/* What a test finds when its scheduler counts as attached. Run a thousand times by tests/soak. */
#include <ktstr/short.h>

#include <stdio.h>
#include <string.h>

static void read_line(const char *name, char *text, size_t size)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/sched_ext/%s", name);
	file = fopen(path, "r");
	if (!file || !fgets(text, (int)size, file))
		snprintf(text, size, "(%s cannot be read)", path);
	text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void expect_enabled(struct ktstr_ctx *ctx, const char *name)
{
	char text[200];

	read_line("state", text, sizeof(text));
	EXPECT(ctx, strcmp(text, "enabled") == 0, "%s", text);
	read_line("root/ops", text, sizeof(text));
	EXPECT(ctx, strcmp(text, name) == 0, "%s", text);
}

static void fifo_is_enabled(struct ktstr_ctx *ctx)
{
	expect_enabled(ctx, "ktfifo");
}
KTSTR_TEST(fifo) = {
	.scheduler = { .argv = { "scx_ktfifo" } },
	.run = fifo_is_enabled,
};

static void arena_is_enabled(struct ktstr_ctx *ctx)
{
	expect_enabled(ctx, "ktsdt");
}
KTSTR_TEST(arena) = {
	.scheduler = { .argv = { "scx_ktsdt" } },
	.run = arena_is_enabled,
};
