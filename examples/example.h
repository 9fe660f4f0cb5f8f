/* example.h: what conv.c, gpt.c and moe.c share: messages, and how many devices a mesh has. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

/* A weft_diag_handler: "gpt.c:41: error: the mesh has no axis 'model'". */
static inline void example_print(void *user, const weft_diag *d) {
    (void)user;
    if (d->file) fprintf(stderr, "%s:%lld: ", d->file, (long long)d->line);
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

/* 4 for "data=2, model=2". */
static inline int64_t example_devices(const char *mesh) {
    int64_t n = 1;
    for (const char *p = strchr(mesh, '='); p; p = strchr(p + 1, '=')) n *= strtoll(p + 1, NULL, 10);
    return n;
}

#endif
