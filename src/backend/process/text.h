/* text.h - the program's code and constants in memory that children share without faults
 *
 * Pages of a file are not copied by clone(2): each child faults in again what it touches, a few dozen times. Moved into
 * anonymous memory, and where they fill it into a huge page, they are there in every child from its start.
 *
 * A matter of speed alone: where the system refuses, everything stays as it is. Within a huge page constants become
 * executable together with the code they share it with; nothing becomes writable.
 *
 * Threads  the only one, before children are made
 * Source   mremap(2), madvise(2), elf(5)
 */
#ifndef CL_PROCESS_TEXT_H
#define CL_PROCESS_TEXT_H

void zygote_text_to_memory(void);

#endif
