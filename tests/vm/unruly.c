// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guest's process that does what it should not, for tests/vm/test_virtual_*.py:
 *
 *	unruly spin		for ever, in blocks of instructions that QEMU executes quickly
 *	unruly starve		no CPU executes anything but spinners of the highest priority
 *	unruly wait N		executes N times the agent's instruction to wait for the host
 *	unruly tell N		the same with the instruction that says there is output
 *	unruly lie ASKS [OUT_N]	waits like the agent, for ASKS and with so many bytes of output
 *	unruly naps N		three processes sleep N times each, for different whiles
 *	unruly crowd N		writes words that look random into the agent's mailbox, N times
 */
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/mailbox.h"

#define MARK(which) __asm__ volatile(".byte 0x0f, 0x1f, 0x80\n.long %c0" : : "i"(which) : "memory")

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void spin(void)
{
	for (;;)
		__asm__ volatile(".rept 480\nnop\n.endr");
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(path);
	close(fd);
}

/* Since 6.12 the kernel keeps a share for ordinary tasks even beside those of real time. */
static void stop_fair_server(void)
{
	glob_t found;

	if (glob("/sys/kernel/debug/sched/fair_server/cpu*/runtime", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		write_file(found.gl_pathv[i], "0");
}

static void starve(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	write_file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	stop_fair_server();
	for (long i = 0; i < cpus; i++) {
		struct sched_param highest = { .sched_priority = 99 };
		cpu_set_t one;

		if (i < cpus - 1 && fork() != 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET((int)i, &one);
		if (sched_setaffinity(0, sizeof(one), &one) < 0 ||
		    sched_setscheduler(0, SCHED_FIFO, &highest) < 0)
			fail("priority");
		spin();
	}
}

static void nap(unsigned long n)
{
	long share = 1;

	while (share < 3 && fork() == 0)
		share++;
	for (unsigned long i = 0; i < n; i++)
		usleep((useconds_t)((long)(i % 997) * share));
	while (wait(NULL) > 0)
		;
	if (share > 1)
		_exit(0);
}

/* The last device that has a second window of the right size is the mailbox. */
static volatile uint32_t *map_mailbox(void)
{
	glob_t found;
	void *at = MAP_FAILED;
	int fd;

	if (glob("/sys/bus/pci/devices/*/resource2", 0, NULL, &found))
		fail("resource2");
	fd = open(found.gl_pathv[found.gl_pathc - 1], O_RDWR);
	if (fd >= 0)
		at = mmap(NULL, WIRE_MAILBOX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		fail(found.gl_pathv[found.gl_pathc - 1]);
	return at;
}

static void crowd(unsigned long n)
{
	volatile uint32_t *words = map_mailbox();
	uint64_t x = 1;

	for (unsigned long i = 0; i < n; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		words[(x >> 33) % (WIRE_MAILBOX_BYTES / 4)] = (uint32_t)(x >> 20);
		words[(x >> 33) % 4] = (uint32_t)(x >> 20);
	}
}

static void lie(uint32_t asks, const char *out_n)
{
	volatile struct wire_mailbox *head = (volatile void *)map_mailbox();

	head->asks = asks;
	if (out_n)
		head->out_n = (uint32_t)strtoul(out_n, NULL, 0);
	MARK(WIRE_MARK_WAIT);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	if (strcmp(what, "spin") == 0)
		spin();
	if (strcmp(what, "starve") == 0)
		starve();
	if (strcmp(what, "wait") == 0)
		for (unsigned long i = 0; i < n; i++)
			MARK(WIRE_MARK_WAIT);
	if (strcmp(what, "tell") == 0)
		for (unsigned long i = 0; i < n; i++)
			MARK(WIRE_MARK_TELL);
	if (strcmp(what, "lie") == 0)
		lie((uint32_t)n, argc > 3 ? argv[3] : NULL);
	if (strcmp(what, "naps") == 0)
		nap(n);
	if (strcmp(what, "crowd") == 0)
		crowd(n);
	puts("done");
	return 0;
}
