#include "tests/e2e/fleet/fleet_machine.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/paths.h"

namespace luzia {

std::string fleet_program_path() {
  return build_path("tools/luzia-fleet/luzia-fleet");
}

FleetMachine::FleetMachine(const std::string& site, const std::string& url, const std::string& toml)
    : toml_(toml) {
  belong(site, url);
  constexpr uid_t kNobody = 65534;
  if (toml.find("user = \"nobody\"") != std::string::npos) ::chown(project().c_str(), kNobody, kNobody);
}

void FleetMachine::belong(const std::string& site, const std::string& url) {
  site_ = site;
  configure("[fleet]\nurl = \"" + url + "\"\nsite = \"" + site + "\"\n" + toml_);
}

Finished FleetMachine::fleet(const Words& words) const {
  Words all = {fleet_program_path()};
  all.insert(all.end(), words.begin(), words.end());
  return run_to_end(all, environment());
}

Json FleetMachine::report() const {
  const Json report = Json::parse(read_text(store() + "/fleet.status"), nullptr, false);
  return report.is_object() ? report : Json();
}

std::string FleetMachine::reported_error() const {
  const Json said = report();
  if (!said.is_object() || !said.contains("error") || !said["error"].is_object()) return {};
  return said["error"].value("code", "");
}

pid_t FleetMachine::fleet_pid() const {
  for (const pid_t pid : own_processes()) {
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", ignored);
    if (program.filename() == "luzia-fleet") return pid;
  }
  return 0;
}

void FleetMachine::kill_fleet() const {
  pid_t pid = 0;
  ASSERT_TRUE(wait_until([&] { return (pid = fleet_pid()) != 0; }))
      << "the daemon keeps no luzia-fleet running";
  ::kill(pid, SIGKILL);
  EXPECT_TRUE(wait_until([pid] { return !is_running(pid); }));
}

void FleetMachine::begin_jobs(int count, const std::string& seconds) {
  for (int i = 0; i < count; ++i) {
    jobs_.push_back(dispatch("echo $LUZIA_JOB_ID >> runs; echo '=a, \"line\"'; sleep " + seconds));
  }
}

std::string FleetMachine::broken_job() const {
  for (const std::string& id : jobs_) {
    const Json row = ended(id);
    if (row.value("state", "") != "completed") return site_ + ": " + row.dump();
  }
  Words runs = lines_of(read_text(project() + "/runs")), wanted = jobs_;
  std::ranges::sort(runs);
  std::ranges::sort(wanted);
  if (runs == wanted) return {};
  return site_ + ": " + std::to_string(wanted.size()) + " jobs ran " + std::to_string(runs.size()) + " times";
}

void FleetMachine::forget_jobs() {
  jobs_.clear();
  std::filesystem::remove(project() + "/runs");
}

}  // namespace luzia
