/* machine_option.h: the option `machine=` of passes that go by what a machine's collectives take. */
#ifndef WEFT_PARTITIONER_MACHINE_OPTION_H
#define WEFT_PARTITIONER_MACHINE_OPTION_H

#include "cost/machine.h"
#include "ir/pass.h"

/* A name, a file or a description, as weft_machine_open takes them; without the option the default machine. Errors are
 * reported. */
weft_status weft_pass_machine(const weft_pass *p, weft_machine *out);

#endif
