/* environment: what programs are compiled by beside themselves and a framework's options: this build of Weft, the
 * processor, and variables of the environment.
 *
 * A framework that keeps compiled programs asks the platform for its version and takes it into the keys, as JAX does.
 * So the version has a hash of all of these.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/quantity.h"
#include "base/table.h"
#include "exec/build.h"
#include "exec/cpu.h"
#include "pjrt/impl.h"

weft_status pjrt_memory_asked(weft_context *cx, int64_t *bytes) {
    const char *text = getenv("WEFT_MEMORY");
    weft_str rest = weft_str_from(text ? text : "");
    *bytes = 0;
    if (!rest.n || (weft_size_take(&rest, bytes) && !rest.n && *bytes > 0)) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, NULL, "WEFT_MEMORY is a size, as 8GiB, not '%s'", text);
}

/* A variable that cannot be read is an error of the first program that is compiled, and of no key. */
pjrt_error *pjrt_version_write(char *out, size_t room) {
    weft_context *cx = weft_context_new(NULL);
    weft_machine *machine = malloc(sizeof *machine);
    int64_t memory_bytes = 0;
    weft_buf key;
    weft_buf_init(&key, &pjrt_heap);
    weft_buf_printf(&key, "%s ", weft_build_name());
    weft_cpu_print_whole(&key);
    if (cx && machine && weft_kept_machine(cx, NULL, machine) == WEFT_OK)
        weft_buf_put(&key, (const char *)&machine->costs, sizeof machine->costs);
    if (cx && pjrt_memory_asked(cx, &memory_bytes) == WEFT_OK)
        weft_buf_printf(&key, " %lld", (long long)memory_bytes);
    const bool is_whole = cx && machine && !key.failed;
    if (is_whole)
        snprintf(out, room, "%s %016llx", weft_version(),
                 (unsigned long long)weft_hash_end(weft_hash_bytes(0, key.p, key.n)));
    weft_buf_free(&key);
    free(machine);
    weft_context_free(cx);
    return is_whole ? NULL : pjrt_no_memory();
}
