// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include <fcntl.h>
#include <linux/random.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <time.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/slice.h"

enum { ENTROPY_BYTES_MAX = 256, MEMINFO_BYTES_MAX = 64 * 1024, CPUS_MAX = 8192 };

struct error *agent_machine_set_clock(uint64_t realtime_ns)
{
	struct timespec now = {
		.tv_sec = (time_t)(realtime_ns / NS_PER_SEC),
		.tv_nsec = (long)(realtime_ns % NS_PER_SEC),
	};

	if (clock_settime(CLOCK_REALTIME, &now) < 0)
		return agent_error(AGENT_SYSTEM, errno, "setting the clock");
	return NULL;
}

struct error *agent_machine_add_entropy(const uint8_t *bytes, size_t n)
{
	_cleanup_close_ int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);
	union {
		struct rand_pool_info info;
		uint8_t room[sizeof(struct rand_pool_info) + ENTROPY_BYTES_MAX];
	} pool = { 0 };

	if (n > ENTROPY_BYTES_MAX)
		n = ENTROPY_BYTES_MAX;
	pool.info.entropy_count = (int)n * 8;
	pool.info.buf_size = (int)n;
	memcpy(pool.room + offsetof(struct rand_pool_info, buf), bytes, n);
	/* Without the second call a clone would draw its template's numbers for a while. */
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool) < 0 || ioctl(fd, RNDRESEEDCRNG) < 0)
		return agent_error(AGENT_SYSTEM, errno, "adding randomness");
	return NULL;
}

uint32_t agent_machine_online_cpus(void)
{
	static uint64_t set[CPUS_MAX / 64];
	uint32_t n = 0;

	/* The system call counts active CPUs; the C library would read files of /sys. */
	if (syscall(SYS_sched_getaffinity, 0, sizeof(set), set) < 0)
		return 0;
	for (size_t i = 0; i < CPUS_MAX / 64; i++)
		n += (uint32_t)__builtin_popcountll(set[i]);
	return n;
}

uint64_t agent_machine_uptime_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

uint64_t agent_machine_parse_available_kb(const char *meminfo)
{
	struct slice rest = slice_of(meminfo), line, key, value;
	uint64_t kb = 0;

	while (slice_take_line(&rest, &line))
		if (slice_split_pair(line, &key, &value) && slice_equal(key, "MemAvailable"))
			return slice_take_u64(&value, &kb) ? kb : 0;
	return 0;
}

uint64_t agent_machine_available_kb(void)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	error_free(io_read_file("/proc/meminfo", MEMINFO_BYTES_MAX, &text));
	return agent_machine_parse_available_kb(strbuf_str(&text));
}

int agent_machine_write(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;
}

void agent_machine_reboot(void)
{
	sync();
	reboot(RB_AUTOBOOT);
}

void agent_machine_power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	/* No ACPI: -no-reboot makes an end of it all the same. */
	reboot(RB_AUTOBOOT);
}
