#include "tests/scenarios/limit_commands.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace luzia {
namespace {

schema::StopReason limit_reason(const std::string& word) {
  static const std::map<std::string, schema::StopReason> kReasons = {
      {"memory_limit", schema::StopReason::memory_limit},
      {"process_limit", schema::StopReason::process_limit},
      {"disk_limit", schema::StopReason::disk_limit},
      {"memory_pressure", schema::StopReason::memory_pressure}};
  return kReasons.at(word);
}

ReportHosts contacts_of(const Step& step, const JobState* job) {
  static const std::map<std::string, schema::HostVerdict> kVerdicts = {
      {"allowed", schema::HostVerdict::allowed},
      {"not_listed", schema::HostVerdict::not_listed},
      {"private_address", schema::HostVerdict::private_address}};
  ReportHosts report;
  report.attempt = static_cast<std::uint32_t>(step.number("attempt", job != nullptr ? job->attempt : 1));
  report.more = step.number("more");
  report.over = step.number("over") != 0;
  std::istringstream list(step.value("hosts"));
  for (std::string item; std::getline(list, item, ',');) {
    std::istringstream fields(item);
    schema::HostUseT& use = report.hosts.emplace_back();
    std::string verdict;
    char colon = 0;
    std::getline(fields, use.host, ':');
    fields >> use.port >> colon;
    std::getline(fields, verdict, ':');
    fields >> use.connections;
    EXPECT_TRUE(fields) << "line " << step.line << ": " << item << " is not HOST:PORT:VERDICT:CONNECTIONS";
    use.verdict = kVerdicts.at(verdict);
  }
  return report;
}

}  // namespace

std::optional<JobCommand> limit_command(const Step& step, const JobState* job) {
  if (step.word(2) == "contacts") return contacts_of(step, job);
  if (step.word(2) != "at_limit") return std::nullopt;
  StopAtLimit stop;
  stop.attempt = static_cast<std::uint32_t>(step.number("attempt", job != nullptr ? job->attempt : 1));
  stop.reason = limit_reason(step.value("reason", "memory_limit"));
  stop.used = step.number("used");
  stop.free_memory = step.number("free");
  std::istringstream list(step.value("largest"));
  for (std::string item; std::getline(list, item, ',');) {
    std::istringstream fields(item);
    schema::ProcessUseT& process = stop.largest.emplace_back();
    char colon = 0;
    std::getline(fields, process.name, ':');
    fields >> process.pid >> colon >> process.resident_bytes;
    EXPECT_TRUE(fields) << "line " << step.line << ": " << item << " is not NAME:PID:BYTES";
  }
  return stop;
}

std::unique_ptr<schema::AttemptLimitsT> limits_of(const Step& step) {
  auto limits = std::make_unique<schema::AttemptLimitsT>();
  limits->memory_bytes = step.number("memory");
  limits->cpu_percent = static_cast<std::uint32_t>(step.number("cpu"));
  limits->processes = static_cast<std::uint32_t>(step.number("processes"));
  limits->disk_bytes = step.number("disk");
  const bool any = limits->memory_bytes + limits->cpu_percent + limits->processes + limits->disk_bytes > 0;
  return any ? std::move(limits) : nullptr;
}

std::unique_ptr<schema::ReachedLimitT> reached_of(const Step& step) {
  if (!step.values.contains("reached")) return nullptr;
  auto reached = std::make_unique<schema::ReachedLimitT>();
  reached->reason = limit_reason(step.value("reached"));
  return reached;
}

}  // namespace luzia
