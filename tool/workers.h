/* workers.h: work on many points by as many processes as there are cores. */
#ifndef WEFT_TOOL_WORKERS_H
#define WEFT_TOOL_WORKERS_H

#include "tool/tool.h"

typedef struct tool_work {
    size_t n;
    void *user;
    void (*one)(void *user, size_t i);   /* writes what it finds to memory that all share; its messages are kept */
    bool (*done)(void *user, size_t i);  /* whether point i is done, as that memory says */
    const char *what;                    /* "meshes", for a line on a terminal after a second */
} tool_work;

/* Memory that all processes share, zeros; NULL: there is none. */
void *tool_shared_memory(size_t bytes);
void tool_shared_free(void *p, size_t bytes);

/* Each process takes the next point that none has taken. Reports a process that a signal has ended, with its point not
 * done. */
weft_status tool_work_run(tool *t, const tool_work *w);

#endif
