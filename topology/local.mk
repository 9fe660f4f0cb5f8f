# topology/: sources and tests of this room
