/* ffi.h: the host's side of XLA's foreign function interface (ffi_api.h). Private to pjrt/.
 *
 *   the registry     targets and types of the process, by name (ffi_registry.c)
 *   sites            what an executable calls: each call's target, attributes and instance (ffi_site.c)
 *   pjrt_ffi_program the sites of a loaded program, with what its devices keep for each
 *   pools            threads of a device for the tasks of handlers (ffi_pool.c)
 *
 * Handlers, and the deleters of their states, are called under no lock of pjrt/.
 */
#ifndef WEFT_PJRT_FFI_H
#define WEFT_PJRT_FFI_H

#include "pjrt/ffi_api.h"
#include "pjrt/impl.h"

/* --- the table: ffi_table.c --- */

extern const ffi_api pjrt_ffi_api;
ffi_error *pjrt_ffi_future_wait(ffi_future *f); /* and frees it */

/* --- the registry --- */

/* The target's handlers, and the oldest version 0.minor that one of them is of; else why there are none is appended to
 * `why`. */
bool pjrt_ffi_find(weft_str target, ffi_bundle *out, int *minor, weft_buf *why);
bool pjrt_ffi_has(void *user, weft_str target, weft_buf *why); /* weft_foreign.has */
/* The function that ends objects of a type, which may be NULL. false: no such type is registered. */
bool pjrt_ffi_type_end(int64_t id, void (**end)(void *object));
ffi_error *pjrt_ffi_register(const ffi_Handler_Register_args *a);
ffi_error *pjrt_ffi_register_type(const ffi_Type_Register_args *a);

/* --- sites --- */

/* An object that a handler leaves for later ones. */
typedef struct pjrt_ffi_state { int64_t type; void *object; void (*end)(void *object); } pjrt_ffi_state;

typedef struct pjrt_ffi_site {
    const void *state;               /* of the kernel "ffi" (exec/kernels/ffi.h), which is its name at a call */
    ffi_bundle handlers;
    int minor;                       /* of the handlers' version */
    uint32_t operands, results;
    ffi_buffer *buffers;             /* of operands, then results, but for the data */
    int64_t *bytes;                  /* likewise, as Weft has them */
    uint8_t *bits;                   /* likewise, of an element that is less than a byte; else 0 */
    bool *is_signed;                 /* likewise */
    int64_t *alias;                  /* of a result: the operand whose memory it has, or -1 */
    ffi_attrs attributes;
    pjrt_ffi_state instance;
} pjrt_ffi_site;

struct pjrt_ffi_sites {
    weft_arena arena;
    uint32_t count;
    pjrt_ffi_site *v;                /* in the order of their addresses */
};

/* What one device keeps for a site between its calls: the states of the last execution's stages. */
typedef struct pjrt_ffi_turn {
    uint64_t execution;              /* 0: none yet */
    pjrt_ffi_state prepared, initialized;
} pjrt_ffi_turn;

struct pjrt_ffi_program {
    pjrt_ffi_sites *sites;           /* the executable's */
    pjrt_crew *crew;
    int threads;                     /* of a device */
    int local;                       /* the crew's devices of this process */
    pjrt_ffi_turn turns[];           /* [site][device of this process] */
};

/* What a handler's table knows of the call that it is in. */
struct ffi_context {
    pjrt_ffi_site *site;
    ffi_stage stage;
    pjrt_ffi_program *program;       /* this, and what follows: NULL while a site is instantiated */
    pjrt_ffi_turn *turn;
    const weft_run_env *env;
    int device;                      /* of this process, by the crew's order */
};

/* Finds and instantiates what x calls; x->foreign stays NULL where that is nothing. */
pjrt_error *pjrt_ffi_open(pjrt_executable *x);
void pjrt_ffi_close(pjrt_ffi_sites *s);      /* NULL is fine */
pjrt_ffi_program *pjrt_ffi_program_new(pjrt_ffi_sites *sites, pjrt_crew *crew); /* NULL: memory is out */
void pjrt_ffi_program_free(pjrt_ffi_program *p); /* NULL is fine */
weft_status pjrt_ffi_call(const void *state, void *const *buffers, const weft_run_env *env); /* weft_host.foreign */

/* Bytes of buffer i as a handler has it, without gaps. */
size_t pjrt_ffi_bytes(const pjrt_ffi_site *s, uint32_t i);
/* Of a call: packed[i] is buffers[i], but for elements of less than a byte memory in *block, which is the caller's to
 * free; false: memory is out. Afterwards results of such elements go back into buffers. ffi_pack.c */
bool pjrt_ffi_pack(const pjrt_ffi_site *s, void *const *buffers, void **packed, void **block);
void pjrt_ffi_unpack(const pjrt_ffi_site *s, void *const *packed, void *const *buffers);

/* --- threads --- */

pjrt_ffi_pool *pjrt_ffi_pools_new(int devices);           /* one each; NULL: memory is out */
void pjrt_ffi_pools_free(pjrt_ffi_pool *pools, int devices); /* does what was scheduled, first; NULL is fine */
/* Soon, by one of `threads` threads of device i's pool, or now by this one. */
void pjrt_ffi_schedule(pjrt_ffi_pool *pools, int i, int threads, ffi_task *task, void *data);
/* Does what is scheduled and not begun, on this thread. */
void pjrt_ffi_help(pjrt_ffi_pool *pools, int i);

#endif
