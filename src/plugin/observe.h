/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes down what happens at chosen instructions of the guest: wire/observe.h. */
#ifndef KTSTR_PLUGIN_OBSERVE_H
#define KTSTR_PLUGIN_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/qemu.h"

/* `fd` is the shared memory, `shift` as for -icount. False: it cannot be mapped. */
bool plugin_observe_open(int fd, unsigned int shift);
/* The machine was held. True: there are other hooks than before, and no block may stay as it is. */
bool plugin_observe_refresh(void);
bool plugin_observe_is_on(void);
/* Instruction `i` of a block of `n`, which is being translated. */
void plugin_observe_translate(struct qemu_plugin_insn *insn, size_t i, size_t n);

/* For the time of events. A block of `n` instructions begins. */
void plugin_observe_block(int64_t n);
/* All instructions before the next block were counted, or the clock was moved. */
void plugin_observe_sync(void);

/* The ring has no room. Called again and again until it has; false: give up, and drop events. */
bool plugin_wait_for_room(void);

#endif
