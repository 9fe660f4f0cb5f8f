# partitioner/: sources and tests of this room
