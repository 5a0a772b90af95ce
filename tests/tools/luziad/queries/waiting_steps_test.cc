// Steps that wait because of a temporary failure are retried, once for each time that they were added.
#include "tools/luziad/queries/waiting_steps.h"

#include <vector>

#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(WaitingSteps, StepIsRetriedUntilDispatched) {
  uv_loop_t loop;
  ASSERT_EQ(uv_loop_init(&loop), 0);
  std::vector<std::string> taken_up;
  const Error trouble{ErrorKind::trouble, "log_unreadable", "cannot read a text", ""};
  {
    WaitingSteps* steps = nullptr;
    WaitingSteps waiting(&loop, 1, [&](const std::string& flow, const std::string& step) {
      taken_up.push_back(flow + "/" + step);
      if (step != "a" || taken_up.size() > 3) return steps->forget(flow, step);
      steps->add(flow, step, trouble);
    });
    steps = &waiting;
    waiting.add("f", "a", trouble);
    waiting.add("f", "a", trouble);
    waiting.add("f", "b", trouble);
    uv_run(&loop, UV_RUN_DEFAULT);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_THAT(taken_up, ElementsAre("f/a", "f/b", "f/a", "f/a"));
  EXPECT_EQ(uv_loop_close(&loop), 0);
}

}  // namespace
}  // namespace luzia
