/* example.h: what the examples share: arguments, messages, and how many devices a mesh has. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

/* A weft_diag_handler: "gpt.c:41: error: the mesh has no axis 'model'". */
static inline void example_print(void *user, const weft_diag *d) {
    (void)user;
    const char *severity = weft_severity_name(d->severity);
    if (!d->file) fprintf(stderr, "%s: %s\n", severity, d->message);
    else fprintf(stderr, "%s:%lld: %s: %s\n", d->file, (long long)d->line, severity, d->message); /* in one write */
}

/* Before a program of at most `most` arguments, none of which is a flag: --help prints what follows the program's name,
 * and a wrong argument is one line. The exit status with which the program ends, or -1: it goes on. */
static inline int example_ends(int argc, char **argv, int most, const char *help) {
    const char *name = strrchr(argv[0], '/');
    name = name ? name + 1 : argv[0];
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            printf("usage: %s %s", name, help);
            return EXIT_SUCCESS;
        }
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-' || i > most) {
            fprintf(stderr, "%s: '%s' is not %s; %s --help has an example\n", name, argv[i],
                    i > most ? "an argument of it" : "a flag of it", name);
            return 2;
        }
    return -1;
}

/* 4 for "data=2, model=2". */
static inline int64_t example_devices(const char *mesh) {
    int64_t n = 1;
    for (const char *p = strchr(mesh, '='); p; p = strchr(p + 1, '=')) n *= strtoll(p + 1, NULL, 10);
    return n;
}

#endif
