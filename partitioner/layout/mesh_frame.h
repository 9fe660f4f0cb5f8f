/* mesh_frame.h: the axes of one mesh as axes of another over the same devices.
 *
 * The partitioner plans over one mesh, whose axes are split into pieces such that each piece is a whole number of
 * devices. A sharding may be over another mesh, or split an axis after 3 of 6 where others split it after 2. It is the
 * same sharding over pieces of the first mesh, whose devices then stand in another order: 2 x 3 pieces of "x"=6 are as
 * many devices as 3 x 2 of them, and the piece of 3 that comes first there is the one that comes last here. A frame
 * says which piece is which; both meshes are split into pieces of prime size for that, so that pieces fit wherever the
 * meshes have equally many devices. Where the cuts agree, every piece is itself.
 */
#ifndef WEFT_PARTITIONER_MESH_FRAME_H
#define WEFT_PARTITIONER_MESH_FRAME_H

#include "sharding/sharding.h"

/* The pieces of a mesh, in its order: at first its axes. */
void weft_mesh_pieces(const weft_mesh *m, weft_axis_list *out);
/* Cuts them where the axes begin and end. False, and unchanged, where an older cut neither divides a new one nor is
 * divided by it. */
bool weft_mesh_pieces_cut(weft_axis_list *pieces, weft_axes by);
/* The same by all that s has. */
bool weft_mesh_pieces_cut_by(weft_axis_list *pieces, const weft_sharding *s);

typedef struct weft_frame {
    const weft_mesh *mesh, *main;
    uint32_t n;
    weft_axis here[WEFT_AXIS_LIST_MAX];  /* pieces of mesh, in its order */
    weft_axis there[WEFT_AXIS_LIST_MAX]; /* the same of main */
} weft_frame;

/* mesh, split into pieces, over main, split into main_pieces. Axes go to axes of their name and size, then of their
 * size. False where the meshes have not equally many devices. */
bool weft_frame_open(weft_frame *f, const weft_mesh *main, const weft_axis_list *main_pieces, const weft_mesh *mesh,
                     const weft_axis_list *pieces);
bool weft_frame_equal(const weft_frame *a, const weft_frame *b);
/* Whether every one of these axes of f's mesh is some of its pieces. */
bool weft_frame_has(const weft_frame *f, weft_axes axes);
bool weft_frame_has_all(const weft_frame *f, const weft_sharding *s);
/* These axes, over main. */
void weft_frame_axes(const weft_frame *f, weft_axes axes, weft_axis_list *out);
/* s over main's axes and the devices of `order`, which is main or one of its axes; NULL only when memory is out. */
const weft_sharding *weft_frame_sharding(const weft_frame *f, weft_shardings *t, const weft_sharding *s,
                                         const weft_mesh *order);

/* The device that f's mesh has where main has its device at this place. */
int64_t weft_frame_device(const weft_frame *f, int64_t place);

#endif
