// Taking turns on the worker threads.
#include "tools/luziad/queries/turns.h"

#include <string>
#include <vector>

#include "tests/matchers.h"

namespace luzia {
namespace {

class TurnsTest : public testing::Test {
 protected:
  void take(const std::string& name, bool wanted = true) {
    turns_.take([wanted] { return wanted; }, [this, name] { begun_.push_back(name); });
  }

  Turns turns_{2};
  std::vector<std::string> begun_;
};

TEST_F(TurnsTest, ConcurrencyIsLimitedAndOrderKept) {
  for (const char* name : {"a", "b", "c", "d"}) take(name);
  EXPECT_THAT(begun_, ElementsAre("a", "b"));
  turns_.over();
  EXPECT_THAT(begun_, ElementsAre("a", "b", "c"));
  turns_.over();
  turns_.over();
  turns_.over();
  take("e");
  EXPECT_THAT(begun_, ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(TurnsTest, AbandonedTasksAreDropped) {
  take("a");
  take("b");
  take("gone", false);
  take("c");
  turns_.over();
  EXPECT_THAT(begun_, ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace luzia
