#pragma once

/* Number of threads of this process, including the library's. */
int process_threads (void);

/* The same once it is `expected`, or a second later: a thread that has been joined is listed a moment longer. */
int settled_threads (int expected);
