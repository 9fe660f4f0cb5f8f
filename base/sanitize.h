/* sanitize.h: what the address sanitizer and its search for leaks are told; nothing in builds without them. */
#ifndef WEFT_BASE_SANITIZE_H
#define WEFT_BASE_SANITIZE_H

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ASAN 1
#endif
#endif

#ifdef WEFT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#define WEFT_POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define WEFT_UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
/* `p`, the start of a block or NULL, is never freed, and rightly. */
#define WEFT_STAYS(p) __lsan_ignore_object(p)
#else
#define WEFT_POISON(p, n) ((void)(p), (void)(n))
#define WEFT_UNPOISON(p, n) ((void)(p), (void)(n))
#define WEFT_STAYS(p) ((void)(p))
#endif

#endif
