// The library as others get it: installed, found by CMake, linked into a program that runs as a job; and with
// a real daemon that is killed.
#include "tests/e2e/daemon_fixture.h"
#include "tests/paths.h"
#include "tools/publisher/publisher.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
namespace say = publication;

constexpr milliseconds kGenerous{60'000};

class PublisherPackage : public DaemonTest {
 protected:
  PublisherOptions about(const std::string& job) const {
    PublisherOptions options;
    options.job = job;
    options.store = store();
    options.patience = options.flush_at_end = kGenerous;
    return options;
  }
};

TEST_F(PublisherPackage, InstalledLibraryPublishesAsAJob) {
  const Words tools = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home()};
  const auto run = [&](const Words& words) {
    const Finished finished = run_to_end(words, tools);
    EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
  };
  const std::string installed = path("installed"), built = path("built");
  run({LUZIA_CMAKE, "--install", build_path(""), "--component", "publisher", "--prefix", installed});
  const std::string compiler = "-DCMAKE_CXX_COMPILER=" LUZIA_CXX_COMPILER;
  const std::string flags = "-DCMAKE_CXX_FLAGS=" LUZIA_CXX_FLAGS;
  run({LUZIA_CMAKE, "-S", installed + "/share/doc/luzia/examples/publisher", "-B", built,
       "-DCMAKE_BUILD_TYPE=Release", compiler, flags, "-DCMAKE_PREFIX_PATH=" + installed});
  run({LUZIA_CMAKE, "--build", built});
  if (HasFailure()) return;

  const std::string id = dispatch(built + "/publisher_example");
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "completed") << luzia({"logs", id}).out;
  EXPECT_EQ(row["verdict"]["status"], "APPROVED");
  EXPECT_THAT(luzia({"logs", id}).out, HasSubstr("22 recorded, 0 failed"));
  std::vector<int> steps;
  for (const Json& event : events_of(id, "ProgressReported")) steps.push_back(event["data"]["current_step"]);
  std::vector<int> in_order;
  for (int step = 1; step <= 20; ++step) in_order.push_back(step);
  EXPECT_EQ(steps, in_order);
  EXPECT_EQ(events_of(id, "TaskStarted").size(), 1u);
}

TEST_F(PublisherPackage, ReportsDuringKillsAreRecordedOnce) {
  const std::string id = dispatch("sleep 600");
  constexpr int kEach = 300, kRounds = 3;
  int said = 0;
  {
    Publisher publisher(about(id));
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kEach; ++i) {
        ASSERT_TRUE(
            publisher.publish_later(say::Progress{.current_step = static_cast<std::uint32_t>(++said)}));
      }
      if (round == 1) {
        EXPECT_TRUE(publisher.publish(say::Progress{.current_step = static_cast<std::uint32_t>(++said)}));
      }
      kill_daemon();
      start_daemon();
    }
    EXPECT_TRUE(publisher.flush(kGenerous));
    EXPECT_EQ(publisher.counts().recorded, static_cast<std::uint64_t>(said));
  }
  std::vector<int> steps, in_order;
  for (const Json& event : events_of(id, "ProgressReported")) steps.push_back(event["data"]["current_step"]);
  for (int step = 1; step <= said; ++step) in_order.push_back(step);
  EXPECT_EQ(steps, in_order);
  luzia({"cancel", id, "--grace", "0s"});
  expect_verified();
}

TEST_F(PublisherPackage, ReportAboutAnEndedJobIsRefused) {
  const std::string id = dispatch("true");
  ended(id);
  Publisher publisher(about(id));
  const PublishResult result = publisher.publish(say::TaskCompleted{});
  EXPECT_FALSE(result);
  EXPECT_EQ(result.code, "already_ended") << result.message;
}

}  // namespace
}  // namespace luzia
