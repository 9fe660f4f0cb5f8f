# cost/: sources and tests of this room
