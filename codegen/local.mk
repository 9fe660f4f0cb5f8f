# codegen/: sources and tests of this room
