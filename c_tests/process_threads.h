#ifndef PROCESS_THREADS_H
#define PROCESS_THREADS_H

/* Number of threads of this process, those of the library among them. */
int process_threads (void);

#endif
