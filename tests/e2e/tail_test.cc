// Follows a job's output whose file starts over: log rotation in an agent, `> output.log`.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

constexpr const char* kNote = "output.log has started over: it was cut off or replaced\n";

class TailTest : public DaemonTest {
 protected:
  /// An agent that takes its next step whenever the test says so.
  std::string agent() const {
    script("agent", R"(wait_for() { while [ ! -e "$1" ]; do sleep 0.05; done; }
echo 'a long first line'
wait_for cut
: > "$LUZIA_JOB_DIR/output.log"
echo two
wait_for replaced
echo new > "$LUZIA_JOB_DIR/other"
mv "$LUZIA_JOB_DIR/other" "$LUZIA_JOB_DIR/output.log"
wait_for over
)");
    return "./agent";
  }

  /// Triggers each step once the output of the previous one is shown.
  void expect_shown_through(BesideProgram& follower) const {
    const auto shows = [&](const std::string& line) {
      return wait_until([&] { return follower.output().find(line) != std::string::npos; });
    };
    ASSERT_TRUE(shows("a long first line\n")) << follower.output();
    write_text(project() + "/cut", "");
    ASSERT_TRUE(shows("two\n")) << follower.output();
    write_text(project() + "/replaced", "");
    ASSERT_TRUE(shows("new\n")) << follower.output();
    write_text(project() + "/over", "");
    EXPECT_EQ(follower.end(), 0) << follower.output();
    const std::string shown = std::string("a long first line\n") + kNote + "two\n" + kNote + "new\n";
    EXPECT_THAT(follower.output(), testing::HasSubstr(shown));
  }
};

TEST_F(TailTest, FollowContinuesWithARestartedFile) {
  const std::string id = dispatch(agent());
  BesideProgram follower({kLuzia, "logs", "-f", id}, environment(), path("followed"));
  expect_shown_through(follower);
}

TEST_F(TailTest, ForegroundContinuesWithARestartedFile) {
  start_daemon();
  BesideProgram follower({kLuzia, "dispatch", "demo", agent(), "--fg"}, environment(), path("followed"));
  expect_shown_through(follower);
}

TEST_F(TailTest, JobShowsTheLastTenLines) {
  const std::string id = dispatch("seq 1 25; printf 'half\\rwhole\\033[31m\\n'");
  ended(id);
  const std::string end = "):\n  17\n  18\n  19\n  20\n  21\n  22\n  23\n  24\n  25\n  whole\n";
  EXPECT_THAT(luzia({"jobs", id}).out, testing::HasSubstr(end));
  EXPECT_THAT(luzia({"job", id}).out, testing::HasSubstr(end));
  const std::string quiet = dispatch("true");
  ended(quiet);
  EXPECT_THAT(luzia({"jobs", quiet}).out, testing::Not(testing::HasSubstr("the last lines")));
}

}  // namespace
}  // namespace luzia
