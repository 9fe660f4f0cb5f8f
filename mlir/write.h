/* write.h: a module to MLIR bytecode, which weft_read_text and MLIR read (docs/bytecode.md). */
#ifndef WEFT_MLIR_WRITE_H
#define WEFT_MLIR_WRITE_H

#include "ir/module.h"

/* The versions of StableHLO that Weft reads and writes portable artifacts of; each newer one adds lines to vhlo.def. */
#define WEFT_VHLO_OLDEST "0.9.0"
#define WEFT_VHLO_NEWEST_MAJOR 1
#define WEFT_VHLO_NEWEST_MINOR 20
#define WEFT_VHLO_NEWEST WEFT_VHLO_TEXT(WEFT_VHLO_NEWEST_MAJOR, WEFT_VHLO_NEWEST_MINOR)
#define WEFT_VHLO_TEXT(major, minor) WEFT_VHLO_TEXT_OF(major, minor) /* of their values */
#define WEFT_VHLO_TEXT_OF(major, minor) #major "." #minor ".0"

/* A version of StableHLO, and so of its versioned dialect VHLO. */
typedef struct weft_vhlo_version { uint32_t major, minor, patch; } weft_vhlo_version;
extern const weft_vhlo_version weft_vhlo_newest;

/* "1.13.0", or "1.13", of a version that Weft writes; else reports. */
weft_status weft_vhlo_version_read(weft_context *cx, weft_str text, weft_vhlo_version *out);

/* Appends the module in the dialects that it is in, with all locations. Bytecode of StableHLO's own dialect is for
 * readers of the same version of StableHLO: use it between tools of one release. */
weft_status weft_write_bytecode(const weft_module *m, weft_buf *out);

/* Appends the module as a portable artifact: StableHLO's ops in VHLO of that version, which later versions of
 * StableHLO read. Ops of other dialects stay as they are, with casts between. Reports an op, an attribute or a type
 * that the version does not have, at the op's location; out is then unchanged. */
weft_status weft_write_portable(const weft_module *m, const weft_vhlo_version *version, weft_buf *out);

#endif
