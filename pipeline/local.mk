# pipeline/: sources and tests of this room
