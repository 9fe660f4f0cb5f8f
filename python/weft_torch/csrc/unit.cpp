// unit.cpp: everything as one unit: torch's headers alone take 10 s to compile.
#include "backend.cpp"
#include "call.cpp"
#include "launch.cpp"
#include "mail.cpp"
#include "meeting.cpp"
#include "module.cpp"
#include "operands.cpp"
#include "world.cpp"
