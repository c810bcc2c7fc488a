/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Booted guests on disk, one directory each below $cache/templates:
 *
 *	<name>/ram.0 …	guest RAM, one sparse file per node, never written again
 *	<name>/state	device state
 *	<name>/template.json	what it is, and what a clone must be able to say
 *	<name>.lock	shared by those who start clones, exclusive for those who make or remove it
 *
 * The name is a hash of the key; the key itself is in the JSON and compared. A directory
 * is filled under another name and renamed: what has the right name is whole.
 */
#ifndef KTSTR_VM_TEMPLATE_TEMPLATE_H
#define KTSTR_VM_TEMPLATE_TEMPLATE_H

#include "base/cancel.h"
#include "base/strbuf.h"
#include "topo/error.h"
#include "topo/topology.h"
#include "vm/error.h"
#include "vm/model.h"
#include "wire/frame.h"

/* What the agent of a saved guest said, which its clones must be able to repeat. */
struct vm_template_proof {
	uint8_t nonce[WIRE_NONCE_BYTES];
	uint64_t nonce_phys; /* where the nonce lies in guest RAM */
	uint32_t generation;
	uint64_t monotonic_ns;	     /* when the agent answered */
	uint64_t monotonic_limit_ns; /* not later than this when it was stopped */
};

struct vm_template {
	char *dir;
	char *state_path;
	char *ram_paths[TOPO_LIMIT_ASKED_NODES];
	unsigned int n_ram;
	struct vm_template_proof proof;
	struct vm_model model; /* of a virtual clock; ->cpus is 0: not measured */
	uint64_t bytes;	       /* on disk */
	int lock_fd;	       /* shared: nobody removes it while this is held */
};

/* Of files that are there, without a lock. */
struct vm_template *vm_template_new(const char *dir, const struct vm_template_proof *proof,
				    unsigned int n_ram) MUST_CHECK;
void vm_template_free(struct vm_template *template);
DEFINE_CLEANUP(vm_template, struct vm_template *, NULL, vm_template_free);
#define _cleanup_vm_template_ _cleanup_(cleanup_vm_template)

/* 16 hexadecimal digits. */
char *vm_template_name(const char *key) MUST_CHECK;
/*
 * The template of this key, held against removal. None: *ret is NULL. One that is damaged
 * counts as none: whoever makes it anew replaces it. Marks it as used now.
 */
struct error *vm_template_open(const char *key, struct vm_template **ret) MUST_CHECK;

/*
 * It turned out not to be what it says: removes it, unless others are starting from it. True
 * when it is gone.
 */
bool vm_template_discard(struct vm_template *template);

/* A template in the making. */
struct vm_template_draft {
	char *key, *name, *dir;
	int lock_fd;
	bool exclusive;		   /* the directory of drafts is ours alone */
	struct vm_template *found; /* another was faster */
	const struct cancel *cancel;
};
/*
 * Waits until nobody else makes the same one; removes what a dead maker left. Ask
 * vm_template_draft_existing() after this: another may have made it. `cancel` is kept.
 */
struct error *vm_template_draft_begin(const char *key, const struct cancel *cancel,
				      struct vm_template_draft *ret) MUST_CHECK;
/* Who makes or removes this one now; 0: nobody, or it cannot be told. */
pid_t vm_template_maker(const char *key);
/* The template, if there is one: then the draft is done with. */
struct error *vm_template_draft_existing(struct vm_template_draft *draft,
					 struct vm_template **ret) MUST_CHECK;
struct error *vm_template_draft_make_dir(struct vm_template_draft *draft) MUST_CHECK;
/*
 * Files synced, description written, directory renamed; then old templates make room. The model is
 * NULL where nothing was measured.
 */
struct error *vm_template_draft_finish(struct vm_template_draft *draft,
				       const struct vm_template_proof *proof,
				       const struct vm_model *model, unsigned int n_ram,
				       struct vm_template **ret) MUST_CHECK;
/* An error that comes from a full disk becomes VM_CACHE_FULL with numbers; NULL stays NULL. */
struct error *vm_template_draft_explain(const struct vm_template_draft *draft,
					struct error *err) MUST_CHECK;
/* Removes what was not finished, lets go of the lock. */
void vm_template_draft_deinit(struct vm_template_draft *draft);
#define _cleanup_vm_template_draft_ __attribute__((cleanup(vm_template_draft_deinit)))

/*
 * Removes what dead makers left, then the longest unused ones until the rest fits; `keep` names
 * one to spare or is NULL.
 */
struct error *vm_template_evict(uint64_t limit_bytes, const char *keep) MUST_CHECK;
/* $KTSTR_TEMPLATE_LIMIT_MB, else 8 GiB. */
uint64_t vm_template_limit_bytes(void);

/* What the files about templates share. */

#define VM_TEMPLATE_DRAFT_SUFFIX ".new"
#define VM_TEMPLATE_LOCK_SUFFIX	 ".lock"
#define VM_TEMPLATE_JSON	 "/template.json"

/* Its directory ("") or what stands beside it; the caller owns the string. */
char *vm_template_path(const char *name, const char *suffix) MUST_CHECK;
/* The caller holds the lock. NULL without one, or with a damaged one. */
struct vm_template *vm_template_load(const char *name, const char *key) MUST_CHECK;

/* template.json: what a template is, and what a clone must be able to say. */

struct vm_template_description {
	char *key;
	struct vm_template_proof proof;
	bool has_model; /* with a virtual clock, unless the guest could not be measured */
	struct vm_model model;
	uint64_t state_bytes;
	struct template_ram {
		uint64_t *at;
		size_t n;
	} ram_bytes; /* of each node */
};

void vm_template_description_format(const struct vm_template_description *d, struct strbuf *into);
/* Every member must be there and make sense: VM_TEMPLATE names the first that does not. */
struct error *vm_template_description_parse(const char *text, size_t n,
					    struct vm_template_description *ret) MUST_CHECK;
struct error *vm_template_description_write(const struct vm_template_description *d,
					    const char *path) MUST_CHECK;
struct error *vm_template_description_read(const char *path,
					   struct vm_template_description *ret) MUST_CHECK;
void vm_template_description_deinit(struct vm_template_description *d);
#define _cleanup_vm_template_description_ __attribute__((cleanup(vm_template_description_deinit)))

/*
 * Guest RAM as files, one per node. A machine that boots has it on memfds: nothing
 * depends on the size of /dev/shm and nothing is written to disk while it boots.
 */

/* Enough for the kernel, the agent and the per-CPU areas, unless the topology says. */
uint64_t vm_ram_default_bytes(const struct topo *topology);

struct error *vm_ram_make_memfd(unsigned int node, uint64_t bytes, int *ret_fd) MUST_CHECK;
/*
 * Copies what is not zero; *ret_bytes is what the copy occupies. A full disk is VM_CACHE_FULL
 * with the numbers.
 */
struct error *vm_ram_copy_sparse(int from, int to, const char *to_label,
				 uint64_t *ret_bytes) MUST_CHECK;

#endif
