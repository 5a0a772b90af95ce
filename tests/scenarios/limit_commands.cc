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

}  // namespace

std::optional<JobCommand> limit_command(const Step& step, const JobState* job) {
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
