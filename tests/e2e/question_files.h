// Jobs that ask by files in their directory. The agent `asker` runs its task there with a shell; exit code
// 100 says that it waits for an answer.
#pragma once

#include "tests/e2e/daemon_fixture.h"

namespace luzia {

constexpr auto kAwaitResponse = "while [ ! -f response.json ]; do sleep 0.05; done\n";
constexpr auto kAwaitDecision = "while [ ! -f approved.json ]; do sleep 0.05; done\n";
constexpr auto kQuestion = R"({"question":"Where to?","options":["production","staging"]})";
constexpr auto kExitCodes =
    "exit_codes = { 0 = \"completed\", 1 = \"failed\", 100 = \"needs_clarification\" }\n";

class AskingByFilesTest : public DaemonTest {
 protected:
  explicit AskingByFilesTest(const std::string& more_toml = {}) {
    configure(
        "[agents.asker]\ncommand = [\"/bin/sh\", \"-c\", \"cd $LUZIA_JOB_DIR; {task}\"]\nstdin = \"null\"\n" +
        (kExitCodes + more_toml));
  }

  /// A job that runs these commands in its own directory.
  std::string run(const std::string& commands, Words options = {}) const {
    options.insert(options.end(), {"--agent", "asker"});
    return dispatch(commands, options);
  }
  bool waits(const std::string& job) const { return becomes(job, "waiting"); }
  std::string file(const std::string& job, const std::string& name) const {
    return read_text(job_dir(job) + '/' + name);
  }
  Json json_file(const std::string& job, const std::string& name) const {
    return Json::parse(file(job, name), nullptr, false);
  }
  /// The command that writes the file.
  static std::string write(const std::string& json, const std::string& name = "clarification.json") {
    return "printf '%s' '" + json + "' > " + name + "\n";
  }
  /// The texts of the job's warnings.
  std::vector<std::string> warnings(const std::string& job) const {
    std::vector<std::string> texts;
    for (const Json& event : events_of(job, "WarningReported"))
      texts.push_back(event["data"].value("message", ""));
    return texts;
  }
};

}  // namespace luzia
