/* Parts of the kernel that no guest has a use for. */
#include <unistd.h>

#include "../unit/runner.h"
#include "escape.h"
static const escape_row probe[]={
#include "/tmp/jail/probe.inc"
};
START_TEST(p){ ESCAPE_CHECK(probe, getpid()); }
END_TEST
TEST_MAIN("escape/kernel", p)
