// An attempt runs once, no matter how often and from where it is launched.
#include <sys/file.h>
#include <unistd.h>

#include <thread>

#include "adapters/launcher/run_record.h"
#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

class Claims : public AttemptTest {
 protected:
  std::string error_of(const LaunchSpec& spec) {
    const auto claim = launcher_.launch(spec);
    return claim ? "" : claim.error().code;
  }
};

TEST_F(Claims, LaunchReturnsTheClaim) {
  const LaunchSpec spec = shell("while [ ! -e $S/go ]; do sleep 0.01; done");
  const Claim launched = start(spec);
  const Claim read = claim_of(spec);
  EXPECT_EQ(launched.boot_id, current_boot_id());
  EXPECT_EQ(read.boot_id, launched.boot_id);
  EXPECT_EQ(read.agent.pid, launched.agent.pid);
  EXPECT_EQ(read.agent.start, launched.agent.start);
  EXPECT_EQ(read.runner.pid, launched.runner.pid);
  EXPECT_EQ(read.runner.start, launched.runner.start);
  EXPECT_TRUE(is_alive(launched.agent));
  EXPECT_TRUE(is_alive(launched.runner));
  EXPECT_TRUE(is_claim_held(spec.run_dir, spec.job, spec.attempt));
  write_text(path("go"), "");
  end_of(spec);
  EXPECT_FALSE(is_alive(launched.agent));
}

TEST_F(Claims, SecondLaunchReturnsTheFirstClaim) {
  const LaunchSpec spec = shell("echo ran >>$S/runs; while [ ! -e $S/go ]; do sleep 0.01; done");
  const Claim first = start(spec);
  const Claim second = start(spec);
  EXPECT_EQ(second.agent.pid, first.agent.pid);
  EXPECT_EQ(second.agent.start, first.agent.start);
  write_text(path("go"), "");
  end_of(spec);
  EXPECT_EQ(start(spec).agent.pid, first.agent.pid) << "even after it has ended";
  EXPECT_EQ(read_text(path("runs")), "ran\n");
}

TEST_F(Claims, ClaimedAttemptIsFollowedByItsNameAlone) {
  const LaunchSpec spec = shell("exit 0");
  const Claim first = start(spec);
  LaunchSpec name_only;
  name_only.job = spec.job;
  name_only.attempt = spec.attempt;
  name_only.run_dir = spec.run_dir;
  EXPECT_EQ(start(name_only).agent.pid, first.agent.pid);
  name_only.attempt = 2;
  EXPECT_EQ(error_of(name_only), "launch_usage");
  end_of(spec);
}

TEST_F(Claims, LuziaRunStalledBeforeItsClaimStartsNothing) {
  write_text(path("stalls"),
             "#!/bin/sh\necho $$ >\"$0.pid\"\nwhile [ ! -e \"$0.go\" ]; do sleep 0.01; done\nexec " +
                 std::string(runner_program()) + " \"$@\"\n");
  std::filesystem::permissions(path("stalls"), std::filesystem::perms::owner_all);
  LaunchSpec spec = shell("echo ran >>$S/runs");
  const auto refused = Launcher(path("stalls"), std::chrono::seconds(5)).launch(spec);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "runner_died");
  const auto stalled = static_cast<std::uint32_t>(std::stoul(read_text(path("stalls.pid"))));
  EXPECT_TRUE(wait_until([&] { return !process_start_time(stalled); })) << "it could still start the agent";
  write_text(path("stalls.go"), "");
  end_of([&] {
    start(spec);
    return spec;
  }());
  EXPECT_EQ(read_text(path("runs")), "ran\n");
}

TEST_F(Claims, ConcurrentLaunchesRunOnce) {
  for (std::uint32_t attempt = 1; attempt <= 10; ++attempt) {
    LaunchSpec spec = shell("echo ran >>$S/runs$LUZIA_ATTEMPT");
    spec.attempt = attempt;
    spec.env.push_back("LUZIA_ATTEMPT=" + std::to_string(attempt));
    std::vector<Claim> claims(6);
    std::vector<std::thread> threads;
    for (Claim& claim : claims) {
      threads.emplace_back([&claim, &spec, this] {
        if (auto launched = launcher_.launch(spec)) claim = *launched;
      });
    }
    for (std::thread& thread : threads) thread.join();
    end_of(spec);
    EXPECT_EQ(read_text(path("runs" + std::to_string(attempt))), "ran\n");
    const Claim written = claim_of(spec);
    for (const Claim& claim : claims) {
      EXPECT_EQ(claim.runner.pid, written.runner.pid);
      EXPECT_THAT(claim.agent.pid, testing::AnyOf(written.agent.pid, 0u)) << "0: not started yet";
    }
  }
}

TEST_F(Claims, ClaimWithoutAStartedAgentIsAnError) {
  const LaunchSpec spec = shell("touch $S/ran");
  const std::string claim = claim_path(spec.run_dir, spec.job, spec.attempt);
  char whole[run_record::kClaimSize + 1];
  std::snprintf(whole, sizeof whole, run_record::kClaimFormat, spec.boot_id.c_str(), 4'000'000U, 1ULL, 0U,
                0ULL);
  for (const std::string& content : {std::string(), std::string("luzia-claim 1\nboot"), std::string(whole)}) {
    write_text(claim, content);
    EXPECT_EQ(error_of(spec), "runner_died") << content;
  }
  EXPECT_FALSE(exists(path("ran")));
}

TEST_F(Claims, LaunchWaitsForAnUnfinishedClaim) {
  const LaunchSpec spec = shell("true");
  const std::string claim = claim_path(spec.run_dir, spec.job, spec.attempt);
  std::FILE* file = std::fopen(claim.c_str(), "w");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(::flock(::fileno(file), LOCK_EX), 0);
  std::thread other([&] {
    std::fprintf(file, run_record::kClaimFormat, spec.boot_id.c_str(), 4'000'000U, 1ULL, 4'000'001U, 2ULL);
    std::fclose(file);
  });
  const auto followed = launcher_.launch(spec);
  other.join();
  ASSERT_TRUE(followed);
  EXPECT_EQ(followed->agent.pid, 4'000'001u);
  EXPECT_EQ(followed->agent.start, 2u);
}

TEST_F(Claims, WithoutSpaceForTheRecordNothingIsClaimed) {
  LaunchSpec spec = shell("true");
  std::filesystem::create_directories(exit_record_path(spec.run_dir, spec.job, spec.attempt) + ".tmp");
  EXPECT_EQ(error_of(spec), "launch_failed");
  EXPECT_FALSE(exists(claim_path(spec.run_dir, spec.job, spec.attempt)));
  std::filesystem::remove(exit_record_path(spec.run_dir, spec.job, spec.attempt) + ".tmp");
  EXPECT_EQ(run(spec).exit_code, 0);
}

TEST_F(Claims, MissingRunDirectoryIsAnErrorThatNamesIt) {
  LaunchSpec spec = shell("true");
  spec.run_dir = path("gone");
  const auto claim = launcher_.launch(spec);
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().code, "launch_failed");
  EXPECT_THAT(claim.error().message, HasSubstr(path("gone") + ": No such file or directory"));
}

TEST_F(Claims, BadSpecsAreRefusedBeforeAnythingHappens) {
  const std::vector<std::function<void(LaunchSpec&)>> spoils = {
      [](LaunchSpec& s) { s.job = ""; },
      [](LaunchSpec& s) { s.job = "../j1"; },
      [](LaunchSpec& s) { s.job = ".."; },
      [](LaunchSpec& s) { s.job = std::string(300, 'j'); },
      [](LaunchSpec& s) { s.attempt = 0; },
      [](LaunchSpec& s) { s.boot_id = "short"; },
      [](LaunchSpec& s) { s.working_dir = "relative"; },
      [](LaunchSpec& s) { s.job_dir = ""; },
      [](LaunchSpec& s) { s.argv.clear(); },
      [](LaunchSpec& s) { s.argv = {""}; },
      [](LaunchSpec& s) { s.argv.emplace_back("a\0b", 3); },
      [](LaunchSpec& s) { s.env.emplace_back("NOVALUE"); },
      [](LaunchSpec& s) { s.env.emplace_back("=x"); },
  };
  for (std::size_t i = 0; i < spoils.size(); ++i) {
    LaunchSpec spec = shell("true");
    spoils[i](spec);
    EXPECT_EQ(error_of(spec), "launch_usage") << i;
  }
  EXPECT_TRUE(std::filesystem::is_empty(run_dir()));
}

TEST_F(Claims, OverlongCommandIsRefusedWithAFix) {
  LaunchSpec spec = this->spec({"/bin/echo", std::string(200 * 1024, 'x')});
  const auto claim = launcher_.launch(spec);
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().code, "launch_refused");
  EXPECT_THAT(claim.error().hint, HasSubstr("{prompt_file}"));
}

TEST_F(Claims, MissingLuziaRunIsNamed) {
  const LaunchSpec spec = shell("true");
  const auto claim = Launcher(path("no-luzia-run")).launch(spec);
  ASSERT_FALSE(claim);
  EXPECT_EQ(claim.error().code, "runner_missing");
  EXPECT_THAT(claim.error().message, HasSubstr(path("no-luzia-run")));
}

TEST_F(Claims, OtherLuziaRunVersionNamesUnknownArguments) {
  LaunchSpec spec = shell("true");
  write_text(path("newer"), std::string("#!/bin/sh\nreport=$1\nshift\nexec ") + runner_program() +
                                " \"$report\" --from-the-future=1 \"$@\"\n");
  std::filesystem::permissions(path("newer"), std::filesystem::perms::owner_all);
  const auto claim = Launcher(path("newer")).launch(spec);
  ASSERT_FALSE(claim);
  EXPECT_THAT(claim.error().message, HasSubstr("cannot use '--from-the-future=1'"));
}

}  // namespace
}  // namespace luzia
