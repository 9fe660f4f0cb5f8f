/* progress.h: a line on a terminal that says what a command is at when it takes longer than a second. */
#ifndef WEFT_TOOL_PROGRESS_H
#define WEFT_TOOL_PROGRESS_H

typedef struct tool_progress tool_progress;

/* what: kept by the caller, until the end. NULL if standard error is no terminal, or there is nothing to show it with;
 * the end takes that too. */
tool_progress *tool_progress_begin(const char *what);
void tool_progress_end(tool_progress *p);

#endif
