# examples/: sources and tests of this room
