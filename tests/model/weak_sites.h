/* weak_sites.h: included before each explored file (gcc -include): records the source place of each atomic access. The
 * access itself is unchanged. */
#ifndef WEFT_TESTS_MODEL_WEAK_SITES_H
#define WEFT_TESTS_MODEL_WEAK_SITES_H

#include <stdatomic.h>

void weak_at(const char *file, int line, const char *what);

#include <stdio.h>
#include <string.h>
void *weak_memcpy(void *to, const void *from, size_t n);
int weak_snprintf(char *to, size_t n, const char *format, ...);
/* The compiler cannot know what these read and write. */
#undef memcpy
#undef snprintf
#define memcpy weak_memcpy
#define snprintf weak_snprintf

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_thread_fence
#define atomic_load_explicit(p, order) (weak_at(__FILE__, __LINE__, #p), __atomic_load_n(p, order))
#define atomic_store_explicit(p, v, order) (weak_at(__FILE__, __LINE__, #p), __atomic_store_n(p, v, order))
#define atomic_fetch_add_explicit(p, v, order) (weak_at(__FILE__, __LINE__, #p), __atomic_fetch_add(p, v, order))
#define atomic_fetch_sub_explicit(p, v, order) (weak_at(__FILE__, __LINE__, #p), __atomic_fetch_sub(p, v, order))
#define atomic_compare_exchange_strong_explicit(p, e, v, good, bad) \
    (weak_at(__FILE__, __LINE__, #p), __atomic_compare_exchange_n(p, e, v, 0, good, bad))
#define atomic_thread_fence(order) (weak_at(__FILE__, __LINE__, "fence"), __atomic_thread_fence(order))

#endif
