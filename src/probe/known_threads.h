/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of the last snapshot, so that the next one need not find them again. */
#ifndef KTSTR_PROBE_KNOWN_THREADS_H
#define KTSTR_PROBE_KNOWN_THREADS_H

#include "probe/state.h"

/*
 * In a container threads have numbers of their own, and those are what glibc
 * knows them by. Looks once whether the process is in one.
 */
void known_threads_init(struct known_threads *known, const struct task_dir *tasks, pid_t pid);
/* Keeps what is still listed, forgets what is not, adds what is new. */
void known_threads_update(struct known_threads *known, const struct task_dir *tasks,
			  const struct tid_list *listed);
void known_threads_deinit(struct known_threads *known);

/*
 * Reads the thread's name or start time again. NULL: the thread has not gone
 * and is the same as before; of one that glibc listed, pthread.tid says whether it still
 * runs. ESRCH: it went, or its number belongs to another one now.
 */
struct error *known_thread_confirm(struct known_thread *thread,
				   const struct task_dir *tasks) MUST_CHECK;

/* Fills missing thread pointers from glibc's lists. True when none is missing any more. */
bool known_threads_take_pointers(struct known_threads *known, const struct thread_list *list);

#endif
