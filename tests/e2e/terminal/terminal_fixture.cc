#include "tests/e2e/terminal/terminal_fixture.h"

#include <filesystem>

namespace luzia {

Words TerminalTest::command(const Words& words) const {
  Words all = {kLuzia};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Words TerminalTest::terminal_environment() const {
  return environment({"TERM=xterm-256color"});
}

std::string TerminalTest::running_job() const {
  std::string id;
  EXPECT_TRUE(wait_until([&] {
    const Json jobs = Json::parse(luzia({"jobs", "--all", "--json"}).out, nullptr, false);
    if (jobs.is_discarded() || jobs["jobs"].empty()) return false;
    id = jobs["jobs"][0]["id"];
    return jobs["jobs"][0]["state"] == "running";
  }));
  return id;
}

std::string TerminalTest::running_or_ended_job() const {
  const Json jobs = luzia_json({"jobs", "--all"});
  EXPECT_EQ(jobs["jobs"].size(), 1u);
  return jobs["jobs"].empty() ? std::string() : jobs["jobs"][0]["id"].get<std::string>();
}

std::string TerminalTest::recorded(const std::string& job) const {
  const std::string text = read_text(job_dir(job) + "/output.log");
  return text.substr(0, text.rfind("\nexit:"));
}

void TerminalTest::expect_nothing_left(const std::string& job) const {
  EXPECT_TRUE(wait_until([&] { return processes_of(job).empty(); }));
  EXPECT_FALSE(std::filesystem::exists(job_dir(job) + "/terminal.sock"));
  EXPECT_FALSE(std::filesystem::exists(job_dir(job) + "/tmux.sock"));
}

}  // namespace luzia
