/* image.c: machine code into memory. Pages are writable first, executable after, never both. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "exec/cpu.h"
#include "exec/image.h"

const char *weft_image_machine(void) {
#if defined __x86_64__
    return "x86_64";
#elif defined __aarch64__
    return "aarch64";
#else
    return "another";
#endif
}

/* Asked from here, RTLD_DEFAULT has what this library needs too, libm among it, also in a process that has loaded it
 * for itself alone (RTLD_LOCAL): glibc goes by the caller's scope. tests/capi/unload.c is such a process. */
static weft_status fill_slots(weft_context *cx, const weft_image *image, uint8_t *block) {
    for (uint32_t i = 0; i < image->import_count; i++) {
        const weft_image_import *m = &image->imports[i];
        void *address = dlsym(RTLD_DEFAULT, m->name);
        if (!address)
            return weft_report(cx, WEFT_D_system, NULL,
                               "the program's code calls '%s', which no library of this process has", m->name);
        memcpy(block + m->slot, &address, sizeof address);
    }
    return WEFT_OK;
}

weft_status weft_image_check(weft_context *cx, const weft_image *image) {
    if (!image->machine) return weft_report(cx, WEFT_D_internal, NULL, "the program was planned only: it has no code");
    if (strcmp(image->machine, weft_image_machine()))
        return weft_report(cx, WEFT_D_unsupported, NULL, "the program's code is for %s, and this machine is %s",
                           image->machine, weft_image_machine());
    const weft_str lacks = weft_cpu_lacks(image->needs ? image->needs : "");
    if (lacks.n)
        return weft_report(cx, WEFT_D_unsupported, NULL,
                           "the program was compiled for a processor with %.*s, which this one lacks",
                           WEFT_STR_ARG(lacks));
    return WEFT_OK;
}

weft_status weft_image_map(weft_context *cx, const weft_image *image, weft_mapping *out) {
    *out = (weft_mapping){ 0 };
    weft_status st = weft_image_check(cx, image);
    if (st != WEFT_OK) return st;
    if (!image->bytes) return WEFT_OK;
    void *p = mmap(NULL, image->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return weft_oom();
    *out = (weft_mapping){ p, image->bytes };
    memcpy(p, image->block, image->bytes);
    st = fill_slots(cx, image, p);
    if (st == WEFT_OK && mprotect(p, image->bytes, PROT_READ | PROT_EXEC))
        st = weft_report(cx, WEFT_D_system, NULL, "this system lets no process run code that it has made: mprotect: %s",
                         strerror(errno));
    if (st != WEFT_OK) weft_image_unmap(out);
    else __builtin___clear_cache((char *)p, (char *)p + image->bytes);
    return st;
}

void weft_image_unmap(weft_mapping *m) {
    if (m->at) munmap(m->at, m->bytes);
    *m = (weft_mapping){ 0 };
}
