/* types.c: what MPI's datatypes and operations are to Weft. */
#include "collectives/mpi/tap.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum nature { SIGNED, UNSIGNED, FLOAT, COMPLEX, BYTE, MOVED } nature;

typedef struct known {
    MPI_Datatype t;
    nature is;
    tap_shape shape;
    weft_coll_dtype dtype;   /* 0: not for reductions */
} known;

static known types[] = {
#define TYPE(handle, nature) { .t = handle, .is = nature },
#include "collectives/mpi/types.def"
};
#define TYPES (sizeof types / sizeof *types)
#define PLACES 256 /* a power of two, more than twice as many as types */
static unsigned char place_of[PLACES]; /* number in types + 1; 0: empty */
weft_coll_dtype tap_bytes;

static unsigned hash_of(MPI_Datatype t) { return (unsigned)((uint64_t)(uintptr_t)t * 0x9e3779b97f4a7c15u >> 56); }

static const known *known_of(MPI_Datatype t) {
    for (unsigned i = hash_of(t); place_of[i]; i = (i + 1) % PLACES)
        if (types[place_of[i] - 1].t == t) return &types[place_of[i] - 1];
    return NULL;
}

static weft_coll_dtype dtype_of(nature is, int bytes) {
    char name[32];
    const int single = is == FLOAT ? 4 : 8;
    bool is_rounded = is == FLOAT || is == COMPLEX;
    if (is == MOVED || (is_rounded && bytes != single && bytes != 2 * single)) return 0;
    if (is == COMPLEX) snprintf(name, sizeof name, "complex<f%d>", bytes * 4);
    else snprintf(name, sizeof name, "%s%d", is == FLOAT ? "f" : is == SIGNED ? "i" : "ui", bytes * 8);
    return weft_coll_type(name);
}

static int free_shape(MPI_Datatype t, int keyval, void *value, void *state) {
    (void)t, (void)keyval, (void)state;
    free(value);
    return MPI_SUCCESS;
}

int tap_types_init(void) {
    tap_bytes = weft_coll_type("ui8");
    for (size_t i = 0; i < TYPES; i++) {
        int bytes;
        MPI_Aint lb, extent;
        if (types[i].t == MPI_DATATYPE_NULL || known_of(types[i].t)) continue;
        if (PMPI_Type_size(types[i].t, &bytes) != MPI_SUCCESS || bytes < 1 ||
            PMPI_Type_get_extent(types[i].t, &lb, &extent) != MPI_SUCCESS || lb != 0 || extent != bytes)
            continue;
        types[i].shape = (tap_shape){ bytes, true, bytes };
        types[i].dtype = dtype_of(types[i].is, bytes);
        unsigned at = hash_of(types[i].t);
        while (place_of[at]) at = (at + 1) % PLACES;
        place_of[at] = (unsigned char)(i + 1);
    }
    return PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, free_shape, &tap.type_keyval, NULL);
}

/* --- derived types ------------------------------------------------------------------------------------------------ */

#if MPI_VERSION >= 4
typedef MPI_Count number;
static int envelope(MPI_Datatype t, number *ints, number *addresses, number *counts, number *inner, int *made) {
    return PMPI_Type_get_envelope_c(t, ints, addresses, counts, inner, made);
}
static int contents(MPI_Datatype t, number ints, number counts, int *i, number *c, MPI_Datatype *inner) {
    MPI_Aint none[1];
    return PMPI_Type_get_contents_c(t, ints, 0, counts, 1, i, none, c, inner);
}
#else
typedef int number;
static int envelope(MPI_Datatype t, number *ints, number *addresses, number *counts, number *inner, int *made) {
    *counts = 0;
    return PMPI_Type_get_envelope(t, ints, addresses, inner, made);
}
static int contents(MPI_Datatype t, number ints, number counts, int *i, number *c, MPI_Datatype *inner) {
    MPI_Aint none[1];
    (void)counts, (void)c;
    return PMPI_Type_get_contents(t, ints, 0, 1, i, none, inner);
}
#endif

static bool is_named(MPI_Datatype t) {
    number ints, addresses, counts, inner;
    int made;
    return envelope(t, &ints, &addresses, &counts, &inner, &made) == MPI_SUCCESS && made == MPI_COMBINER_NAMED;
}

/* A type's size and extent alone do not tell: its elements may lie in another order than they are sent in. So only rows
 * of rows of a predefined type count. */
static bool is_row(MPI_Datatype t) {
    number ints, addresses, counts, inner, count[2];
    int made, i[2];
    MPI_Datatype of;
    MPI_Aint lb, extent;
    int bytes;
    if (envelope(t, &ints, &addresses, &counts, &inner, &made) != MPI_SUCCESS) return false;
    if (made == MPI_COMBINER_NAMED)
        return PMPI_Type_size(t, &bytes) == MPI_SUCCESS && PMPI_Type_get_extent(t, &lb, &extent) == MPI_SUCCESS &&
               lb == 0 && extent == bytes;
    if ((made != MPI_COMBINER_DUP && made != MPI_COMBINER_CONTIGUOUS) || inner != 1 || ints > 2 || counts > 2 ||
        addresses > 0 || contents(t, ints, counts, i, count, &of) != MPI_SUCCESS)
        return false;
    bool yes = is_row(of);
    if (!is_named(of)) PMPI_Type_free(&of);
    return yes;
}

/* Two threads may see a type for the first time at once: the shape that is there stays, for the other may read it. */
static void keep_shape(MPI_Datatype t, const tap_shape *shape) {
    tap_shape *kept = malloc(sizeof *kept), *other;
    int there = 0;
    if (!kept) return;
    *kept = *shape;
    pthread_mutex_lock(&tap.lock);
    if (PMPI_Type_get_attr(t, tap.type_keyval, &other, &there) != MPI_SUCCESS || there ||
        PMPI_Type_set_attr(t, tap.type_keyval, kept) != MPI_SUCCESS)
        free(kept);
    pthread_mutex_unlock(&tap.lock);
}

bool tap_shape_of(MPI_Datatype t, tap_shape *out) {
    const known *k = known_of(t);
    tap_shape *kept;
    int there = 0;
    if (k) {
        *out = k->shape;
        return true;
    }
    if (t == MPI_DATATYPE_NULL) return false;
    if (PMPI_Type_get_attr(t, tap.type_keyval, &kept, &there) == MPI_SUCCESS && there) {
        *out = *kept;
        return true;
    }
    MPI_Count bytes;
    MPI_Aint lb, extent;
    if (PMPI_Type_size_x(t, &bytes) != MPI_SUCCESS || bytes == MPI_UNDEFINED ||
        PMPI_Type_get_extent(t, &lb, &extent) != MPI_SUCCESS)
        return false;
    *out = (tap_shape){ bytes, is_row(t), extent };
    keep_shape(t, out);
    return true;
}

/* --- reductions --------------------------------------------------------------------------------------------------- */

bool tap_reduction(MPI_Datatype t, MPI_Op op, weft_coll_dtype *dtype, int64_t *bytes, weft_op_reduce *reduce) {
    const known *k = known_of(t);
    if (!k || !k->dtype) return false;
    bool adds = k->is != BYTE, orders = adds && k->is != COMPLEX, has_bits = k->is != FLOAT && k->is != COMPLEX;
    *dtype = k->dtype;
    *bytes = k->shape.bytes;
    if (op == MPI_SUM) return *reduce = WEFT_SUM, adds;
    if (op == MPI_MAX) return *reduce = WEFT_MAX, orders;
    if (op == MPI_MIN) return *reduce = WEFT_MIN, orders;
    if (op == MPI_PROD) return *reduce = WEFT_PRODUCT, adds;
    if (op == MPI_BAND) return *reduce = WEFT_AND, has_bits;
    if (op == MPI_BOR) return *reduce = WEFT_OR, has_bits;
    if (op == MPI_BXOR) return *reduce = WEFT_XOR, has_bits;
    return false;
}

/* --- bytes in a row ----------------------------------------------------------------------------------------------- */

#define PIECE_BYTES (1 << 30) /* MPI_Pack counts with int */

/* Elements of one piece; 0: there is none so short. */
static int64_t piece_of(int64_t n, int64_t bytes) {
    int64_t most = bytes ? PIECE_BYTES / bytes : n;
    most = most < 1 && bytes <= INT_MAX ? 1 : most;
    most = most > INT_MAX ? INT_MAX : most;
    return n < most ? n : most;
}

/* What MPI_Pack is given. MPICH refuses MPI_BOTTOM there, so elements at address 0 become one at another address, whose
 * type goes back by as much. */
typedef struct piece {
    void *first;
    int n;
    MPI_Datatype t, shifted;
} piece;

static int make_piece(piece *p, const void *base, int64_t offset, int64_t n, MPI_Datatype t) {
    static char anchor;
    *p = (piece){ (void *)((uintptr_t)base + (uintptr_t)offset), (int)n, t, MPI_DATATYPE_NULL };
    if (p->first) return MPI_SUCCESS;
    MPI_Aint back = (MPI_Aint)(0 - (uintptr_t)&anchor);
    int rc = PMPI_Type_create_hindexed(1, &p->n, &back, t, &p->shifted);
    if (rc == MPI_SUCCESS) rc = PMPI_Type_commit(&p->shifted);
    p->first = &anchor, p->n = 1, p->t = p->shifted;
    return rc;
}

static void drop_piece(piece *p) {
    if (p->shifted != MPI_DATATYPE_NULL) PMPI_Type_free(&p->shifted);
}

int tap_pack(const void *from, int64_t n, MPI_Datatype t, int64_t bytes, int64_t extent, char *to) {
    int rc = MPI_SUCCESS;
    for (int64_t i = 0, m; i < n && rc == MPI_SUCCESS; i += m) {
        int at = 0;
        piece p;
        m = piece_of(n - i, bytes);
        if (m < 1) return MPI_ERR_COUNT;
        rc = make_piece(&p, from, i * extent, m, t);
        if (rc == MPI_SUCCESS)
            rc = PMPI_Pack(p.first, p.n, p.t, to + i * bytes, (int)(m * bytes), &at, tap.self);
        if (rc == MPI_SUCCESS && at != m * bytes) rc = MPI_ERR_INTERN;
        drop_piece(&p);
    }
    return rc;
}

int tap_unpack(const char *from, int64_t n, MPI_Datatype t, int64_t bytes, int64_t extent, void *to) {
    int rc = MPI_SUCCESS;
    for (int64_t i = 0, m; i < n && rc == MPI_SUCCESS; i += m) {
        int at = 0;
        piece p;
        m = piece_of(n - i, bytes);
        if (m < 1) return MPI_ERR_COUNT;
        rc = make_piece(&p, to, i * extent, m, t);
        if (rc == MPI_SUCCESS)
            rc = PMPI_Unpack(from + i * bytes, (int)(m * bytes), &at, p.first, p.n, p.t, tap.self);
        drop_piece(&p);
    }
    return rc;
}
