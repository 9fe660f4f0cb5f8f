/* piece_writer.h: writes parts of one array to their places in a file.
 *
 * The parts' runs are taken in the order of the file, so that those of neighbours, as of an array that is split by
 * columns, become one write: run by run a disk of 743 MB/s got 191 (docs/benchmarks.md, bench/checkpoint). What has
 * been written is on its way to the disk while the next bytes are hashed.
 */
#ifndef WEFT_RUNTIME_PIECE_WRITER_H
#define WEFT_RUNTIME_PIECE_WRITER_H

#include "runtime/box.h"
#include "runtime/digest.h"

typedef struct weft_piece {
    weft_box box;                         /* of the array */
    const void *data;
    char sha256[WEFT_DIGEST_TEXT];        /* out: of the piece in row-major order; "" where there is no libcrypto */
} weft_piece;

/* All of an array that begins at byte `at` of the file. The pieces do not overlap. May be called by any thread. False:
 * errno says why. */
bool weft_pieces_write(int fd, int64_t at, weft_piece *pieces, size_t n);
/* n bytes at byte `at`. False: errno says why. */
bool weft_write_at(int fd, const void *p, size_t n, int64_t at);

#endif
