#include "tests/adapters/launcher/attempt_fixture.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/text_files.h"

namespace luzia {
namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  return whole_text(path);
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

bool exists(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0;
}

AttemptTest::AttemptTest() {
  ::signal(SIGCHLD, SIG_IGN);
  std::string pattern = fs::temp_directory_path().string() + "/luzia-attempt-XXXXXX";
  scratch_ = ::mkdtemp(pattern.data());
  fs::create_directories(run_dir());
  fs::create_directories(work_dir());
  fs::create_directories(path("jobs"));
  ::chmod(scratch_.c_str(), 0755);
}

AttemptTest::~AttemptTest() {
  for (const Claim& claim : started_) {
    if (auto stopped = stop_attempt(claim, StopForce::forced); !stopped)
      ADD_FAILURE() << stopped.error().message;
    wait_until([&] { return !is_alive(claim.runner); });
  }
  fs::remove_all(scratch_);
}

LaunchSpec AttemptTest::spec(std::vector<std::string> argv, const std::string& prompt) {
  ::mkdir(job_dir().c_str(), 0700);
  write_text(job_dir() + "/prompt.txt", prompt);
  LaunchSpec spec;
  spec.job = "j1";
  spec.run_dir = run_dir();
  spec.job_dir = job_dir();
  spec.working_dir = work_dir();
  spec.argv = std::move(argv);
  spec.env = {"PATH=/usr/local/bin:/usr/bin:/bin", "S=" + scratch_};
  spec.uid = ::geteuid();
  spec.gid = ::getegid();
  spec.boot_id = current_boot_id();
  return spec;
}

Claim AttemptTest::start(const LaunchSpec& spec) {
  auto claim = launcher_.launch(spec);
  if (!claim) {
    ADD_FAILURE() << claim.error().code << ": " << claim.error().message;
    return {};
  }
  started_.push_back(*claim);
  return *claim;
}

schema::AttemptEndedT AttemptTest::end_of(const LaunchSpec& spec) {
  schema::AttemptEndedT end;
  const bool ended = wait_until([&] {
    const auto record = read_exit_record(spec.run_dir, spec.job, spec.attempt);
    if (!record) ADD_FAILURE() << record.error().message;
    if (record && record->has_value()) end = **record;
    return !record || record->has_value();
  });
  EXPECT_TRUE(ended) << "no exit record";
  EXPECT_TRUE(wait_until([&] { return !is_claim_held(spec.run_dir, spec.job, spec.attempt); }));
  return end;
}

schema::AttemptEndedT AttemptTest::run(const LaunchSpec& spec) {
  start(spec);
  return end_of(spec);
}

Claim AttemptTest::claim_of(const LaunchSpec& spec) {
  const auto claim = read_claim(spec.run_dir, spec.job, spec.attempt);
  if (!claim || !*claim) {
    ADD_FAILURE() << "no claim of " << spec.job;
    return {};
  }
  return **claim;
}

std::string AttemptTest::wait_for_text(const std::string& name) {
  EXPECT_TRUE(wait_until([&] { return exists(path(name)); })) << name;
  return read_text(path(name));
}

ProcessId AttemptTest::wait_for_process(const std::string& name) {
  const auto pid = static_cast<std::uint32_t>(std::stoul(wait_for_text(name)));
  return {pid, process_start_time(pid).value_or(0)};
}

std::string publish(const std::string& name, const std::string& value) {
  return "echo \"" + value + "\" >$S/" + name + ".new; mv $S/" + name + ".new $S/" + name + "; ";
}

}  // namespace luzia
