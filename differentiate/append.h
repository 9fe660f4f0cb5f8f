/* append.h: what the passes that append derivatives to @main's results share: their options, and the longer return. */
#ifndef WEFT_DIFFERENTIATE_APPEND_H
#define WEFT_DIFFERENTIATE_APPEND_H

#include "differentiate/differentiate.h"

typedef struct ap_request {
    weft_module *m;
    weft_op *main;
    weft_block *body;
    weft_value **of, **wrt, **out;    /* out: what is appended, with room for all results and arguments */
    uint32_t *of_index;               /* which results `of` are */
    weft_gradients what;              /* of and wrt are those above */
} ap_request;

/* Reads options wrt, keep, bound and rules, and finds @main. */
weft_status ap_read_options(ap_request *r, const weft_pass *p);
/* Result i of @main, which has to be a tensor of floats or complex numbers, into `of`. */
weft_status ap_add_of(ap_request *r, int64_t i);
/* The list "1,2" of option `name`, to `add`. */
weft_status ap_read_list(ap_request *r, const char *name, weft_str text, weft_status (*add)(ap_request *, int64_t));
/* @main returns out[0..n), too; shardings[i], or NULL, is the sharding of out[i]. */
weft_status ap_return(ap_request *r, weft_builder *b, const weft_attr *const *shardings, uint32_t n);
/* Runs `append` on the pass's module, or a copy. */
weft_status ap_run(weft_pass *p, const weft_module *in, weft_status (*append)(ap_request *, const weft_pass *),
                   weft_module **out);

#endif
