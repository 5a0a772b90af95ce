// Attempts with real processes in a scratch folder. Also used by tests/tools/luzia_run.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "adapters/launcher/launcher.h"
#include "tests/matchers.h"
#include "tests/paths.h"
#include "tests/wait_until.h"

namespace luzia {

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);
bool exists(const std::string& path);
inline std::string runner_program() {
  return build_path("tools/luzia-run/luzia-run");
}

class AttemptTest : public testing::Test {
 protected:
  /// Ignores SIGCHLD as luziad does; makes run/ and work/.
  AttemptTest();
  /// Ends whatever a failed test left running, then removes the scratch folder.
  ~AttemptTest() override;

  std::string path(const std::string& name) const { return scratch_ + '/' + name; }
  std::string run_dir() const { return path("run"); }
  std::string job_dir() const { return path("jobs/j1"); }
  std::string work_dir() const { return path("work"); }
  std::string output() const { return read_text(job_dir() + "/output.log"); }

  /// A spec for attempt 1 of j1 in its prepared directory.
  LaunchSpec spec(std::vector<std::string> argv, const std::string& prompt = "the prompt\n");
  /// Runs a shell script as the agent; $S holds the path of the scratch folder.
  LaunchSpec shell(const std::string& script) { return spec({"/bin/sh", "-c", script}); }

  /// Launches the attempt; the test fails if that fails.
  Claim start(const LaunchSpec& spec);
  /// Waits for the exit record and for luzia-run to exit, because luzia-run writes its last file just before
  /// it exits.
  schema::AttemptEndedT end_of(const LaunchSpec& spec);
  schema::AttemptEndedT run(const LaunchSpec& spec);

  /// The attempt's claim as it is now, with the agent's process.
  Claim claim_of(const LaunchSpec& spec);
  /// Waits for a file that a script writes with `echo ... >$S/name.new; mv $S/name.new $S/name`.
  std::string wait_for_text(const std::string& name);
  /// The process whose pid a script wrote in that way.
  ProcessId wait_for_process(const std::string& name);

  Launcher launcher_{runner_program()};

 private:
  std::string scratch_;
  std::vector<Claim> started_;
};

/// Script text that writes `value` to $S/`name` atomically.
std::string publish(const std::string& name, const std::string& value);

}  // namespace luzia
