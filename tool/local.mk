# tool/: sources and tests of this room
