/* cpu.h: the instruction sets of this process's processor, by LLVM's names of features.
 *
 * Machine code says what it needs of its processor (weft_image.needs), and the loader refuses code that would end the
 * process with SIGILL. So code generation uses only features that are known here: cpu.c has a table of those that LLVM
 * may use for code that does not ask for them. A list of features is "+avx,+avx2"; one with "-" is not wanted. */
#ifndef WEFT_EXEC_CPU_H
#define WEFT_EXEC_CPU_H

#include "base/str.h"

/* The features known of this machine's kind of processor, in an order; NULL past the end. */
const char *weft_cpu_feature(size_t i);
/* Whether this processor, and the system for its registers, has feature i. */
bool weft_cpu_has(size_t i);

/* Appends the processor's model, in numbers: "AuthenticAMD 19 97 2". */
void weft_cpu_print(weft_buf *out);
/* The same, and the features that it has: what code for this processor depends on. */
void weft_cpu_print_whole(weft_buf *out);

/* The first wanted feature of the list that this processor lacks or that is not known here; empty: it has all. */
weft_str weft_cpu_lacks(const char *features);

#endif
