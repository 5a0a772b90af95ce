// Sandboxes that are for jobs without a person only.
#include "tests/e2e/terminal/terminal_fixture.h"

namespace luzia {
namespace {

class AttendedJob : public TerminalTest {};

TEST_F(AttendedJob, PersonAtATerminalNeedsNoUnattendedSandbox) {
  configure("[agents.shell]\nsandbox = \"project\"\nsandbox_when = \"unattended\"\n");
  start_daemon();
  EXPECT_THAT(luzia({"demo", "true", "--dry-run"}).out, HasSubstr("sandbox     project")) << "a script";
  TerminalProgram person(command({"demo", "true", "--dry-run"}), terminal_environment());
  EXPECT_EQ(person.end(), 0);
  EXPECT_THAT(person.output(), testing::ContainsRegex("sandbox[^\n]*off"));
}

}  // namespace
}  // namespace luzia
