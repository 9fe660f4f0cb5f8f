# propagate/: sources and tests of this room
