/* build.c: see build.h. The one object that is compiled anew after each change of a source. */
#include "config.h"
#include "exec/build-id.h"
#include "exec/build.h"

const char *weft_build_name(void) { return PACKAGE_VERSION "+" WEFT_BUILD_ID; }
