// Tasks of one job run in order; jobs do not wait for each other.
#include "tools/luziad/attempts/job_tasks.h"

#include <atomic>
#include <future>
#include <mutex>
#include <vector>

#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(JobTasks, TasksOfOneJobKeepTheirOrder) {
  uv_loop_t loop;
  ASSERT_EQ(uv_loop_init(&loop), 0);
  Workers workers(&loop);
  JobTasks tasks(workers);
  std::mutex mutex;
  std::vector<std::string> done;
  const auto note = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    done.push_back(what);
  };
  // The first task of job a ends only after job b's task, which is added last.
  std::promise<void> b_done;
  tasks.run("a", [&, ready = b_done.get_future().share()] {
    ready.wait();
    note("a pause");
  });
  tasks.run("a", [&] { note("a resume"); });
  tasks.run("b", [&] {
    note("b");
    b_done.set_value();
  });
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_THAT(done, ElementsAre("b", "a pause", "a resume"));
  EXPECT_EQ(uv_loop_close(&loop), 0);
}

TEST(JobTasks, WaitingTasksAreDroppedWithTheirOwner) {
  uv_loop_t loop;
  ASSERT_EQ(uv_loop_init(&loop), 0);
  Workers workers(&loop);
  std::atomic<int> ran = 0;
  {
    JobTasks tasks(workers);
    tasks.run("a", [&] { ++ran; });
    tasks.run("a", [&] { ++ran; });
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(uv_loop_close(&loop), 0);
}

}  // namespace
}  // namespace luzia
