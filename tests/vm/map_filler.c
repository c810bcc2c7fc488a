// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs in the guest: makes a BPF map of each kind that can be looked into, fills it with numbers
 * that whoever looks can work out, prints "filled" and keeps them until it is killed. Without
 * libbpf, so that what is read back was written by nobody but the kernel.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	ARRAY_ENTRIES = 100,
	HASH_ENTRIES = 500,
	PERCPU_ENTRIES = 20,
	MOST_CPUS = 64,
	KEY_BYTES = 12,
	U64_TYPE = 1,
	U32_TYPE = 2,
	VALUE_TYPE = 3,
};

struct value {
	uint64_t number;
	uint32_t square;
	uint32_t always; /* 77 */
};

struct key {
	uint32_t word[3];
};
_Static_assert(sizeof(struct key) == KEY_BYTES, "a key that is no multiple of eight bytes");

#define STRINGS "\0u64\0u32\0kt_value\0number\0square\0always"
enum { AT_U64 = 1, AT_U32 = 5, AT_VALUE = 9, AT_NUMBER = 18, AT_SQUARE = 25, AT_ALWAYS = 32 };

static const struct {
	struct btf_header header;
	uint32_t types[4 + 4 + 3 + 9];
	char strings[sizeof(STRINGS)];
} types = {
	{ .magic = BTF_MAGIC,
	  .version = BTF_VERSION,
	  .hdr_len = sizeof(struct btf_header),
	  .type_len = 20 * 4,
	  .str_off = 20 * 4,
	  .str_len = sizeof(STRINGS) },
	{ AT_U64,
	  BTF_KIND_INT << 24,
	  8,
	  64,
	  AT_U32,
	  BTF_KIND_INT << 24,
	  4,
	  32,
	  AT_VALUE,
	  BTF_KIND_STRUCT << 24 | 3,
	  sizeof(struct value),
	  AT_NUMBER,
	  U64_TYPE,
	  0,
	  AT_SQUARE,
	  U32_TYPE,
	  64,
	  AT_ALWAYS,
	  U32_TYPE,
	  96 },
	STRINGS,
};

static int bpf(int command, union bpf_attr *attr)
{
	long got = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (got < 0) {
		/* Whoever waits for a word gets one. */
		printf("failed: command %d, map %s: %s\n", command,
		       command == BPF_MAP_CREATE ? attr->map_name : "-", strerror(errno));
		exit(1);
	}
	return (int)got;
}

static int new_map(const char *name, uint32_t type, uint32_t key_bytes, uint32_t value_bytes,
		   uint32_t entries, uint32_t flags, int btf)
{
	union bpf_attr attr = { .map_type = type,
				.key_size = key_bytes,
				.value_size = value_bytes,
				.max_entries = entries,
				.map_flags = flags };

	strcpy(attr.map_name, name);
	if (btf >= 0) {
		attr.btf_fd = (uint32_t)btf;
		attr.btf_key_type_id = U32_TYPE;
		attr.btf_value_type_id = VALUE_TYPE;
	}
	return bpf(BPF_MAP_CREATE, &attr);
}

static void put(int map, const void *key, const void *value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)map,
				.key = (uintptr_t)key,
				.value = (uintptr_t)value };

	bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static struct value value_of(uint32_t i)
{
	return (struct value){ 1000000007ull * i, i * i, 77 };
}

static void fill(int map, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct value value = value_of(i);

		put(map, &i, &value);
	}
}

static void fill_bytes(int map, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct key key = { { i, i + 1, 0xabcd } };
		uint64_t value = 3 * i + 1;

		put(map, &key, &value);
	}
}

/* CPU number c of entry i holds 1000 * i + c. */
static void fill_percpu(int map, uint32_t n, int wide_key)
{
	for (uint32_t i = 0; i < n; i++) {
		struct key key = { { i, i + 1, 0xabcd } };
		uint64_t values[MOST_CPUS];

		for (uint32_t cpu = 0; cpu < MOST_CPUS; cpu++)
			values[cpu] = 1000 * i + cpu;
		put(map, wide_key ? (void *)&key : (void *)&i, values);
	}
}

static int load_types(void)
{
	/* The kernel wants nothing behind the strings. */
	union bpf_attr attr = { .btf = (uintptr_t)&types,
				.btf_size = offsetof(typeof(types), strings) + sizeof(STRINGS) };

	return bpf(BPF_BTF_LOAD, &attr);
}

int main(void)
{
	int btf = load_types(), map;
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct value mine = value_of(42);

	fill(new_map("kt_array", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct value), ARRAY_ENTRIES, 0,
		     btf),
	     ARRAY_ENTRIES);
	fill(new_map("kt_hash", BPF_MAP_TYPE_HASH, 4, sizeof(struct value), HASH_ENTRIES, 0, btf),
	     HASH_ENTRIES);
	fill_bytes(new_map("kt_lazy", BPF_MAP_TYPE_HASH, KEY_BYTES, 8, HASH_ENTRIES,
			   BPF_F_NO_PREALLOC, -1),
		   HASH_ENTRIES);
	fill(new_map("kt_lru", BPF_MAP_TYPE_LRU_HASH, 4, sizeof(struct value), HASH_ENTRIES, 0,
		     btf),
	     PERCPU_ENTRIES);
	fill_percpu(new_map("kt_cpu_array", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, PERCPU_ENTRIES, 0, -1),
		    PERCPU_ENTRIES, 0);
	fill_percpu(new_map("kt_cpu_hash", BPF_MAP_TYPE_PERCPU_HASH, KEY_BYTES, 8, PERCPU_ENTRIES,
			    0, -1),
		    PERCPU_ENTRIES, 1);
	fill_percpu(new_map("kt_cpu_lru", BPF_MAP_TYPE_LRU_PERCPU_HASH, KEY_BYTES, 8, 1000, 0, -1),
		    PERCPU_ENTRIES, 1);
	map = new_map("kt_task", BPF_MAP_TYPE_TASK_STORAGE, 4, sizeof(struct value), 0,
		      BPF_F_NO_PREALLOC, btf);
	put(map, &self, &mine);
	(void)new_map("kt_queue", BPF_MAP_TYPE_QUEUE, 0, 8, 4, 0, -1);
	printf("filled %d\n", getpid());
	fflush(stdout);
	for (;;)
		pause();
}
