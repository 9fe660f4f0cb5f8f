# bench/: sources and tests of this room
