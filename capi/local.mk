# capi/: sources and tests of this room
