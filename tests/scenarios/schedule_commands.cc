#include "tests/scenarios/schedule_commands.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TimeUs moment_in(const Step& step, const std::string& key) {
  return static_cast<TimeUs>(step.duration_ms(key)) * kMillisecondUs;
}

Overlap overlap_in(const Step& step) {
  const std::string word = step.value("overlap", "skip");
  return word == "queue" ? Overlap::queue : word == "cancel" ? Overlap::cancel : Overlap::skip;
}

ToJob job_in(const Step& step) {
  QueueJob job = simple_job(step.value("job"));
  job.spec.project = "p";
  job.spec.schedule = step.word(3);
  job.prompt = Blob{0, std::string(16, 's'), "do it"};
  return {step.value("job"), std::move(job)};
}

SettleDue settle_in(const Step& step) {
  SettleDue settle;
  settle.due = moment_in(step, "due");
  settle.next = moment_in(step, "next");
  settle.missed = step.number("missed");
  settle.overlap = overlap_in(step);
  settle.too_late = step.values.contains("too_late");
  settle.job = step.value("job");
  settle.refused = step.value("why");
  return settle;
}

}  // namespace

std::optional<ToSchedule> schedule_command(const Step& step) {
  const std::string &verb = step.word(2), &name = step.word(3);
  if (verb == "set_schedule") {
    return ToSchedule{name, SetSchedule{step.value("project", "p"), step.value("rule", "@hourly"), "",
                                        moment_in(step, "next"), step.value("fault")}};
  }
  if (verb == "drop_schedule") return ToSchedule{name, DropSchedule{}};
  if (verb == "pause_schedule") return ToSchedule{name, PauseSchedule{step.value("note")}};
  if (verb == "resume_schedule") return ToSchedule{name, ResumeSchedule{"", moment_in(step, "next")}};
  if (verb == "settle") return ToSchedule{name, settle_in(step), job_in(step)};
  if (verb == "take_up") return ToSchedule{name, TakeUpDue{step.value("job"), ""}, job_in(step)};
  if (verb == "run_schedule")
    return ToSchedule{name, RunSchedule{overlap_in(step), step.value("job")}, job_in(step)};
  return std::nullopt;
}

void expect_schedule(const Step& step, World& world) {
  const auto& all = world.engine().schedules().all();
  const auto found = all.find(step.word(1));
  ASSERT_NE(found, all.end()) << step.word(1);
  const Schedule& schedule = found->second;
  const auto expect = [&step](const char* key, const std::string& value) {
    if (!step.values.contains(key)) return;
    EXPECT_EQ(value, step.value(key)) << key << " in line " << step.line;
  };
  if (step.values.contains("next")) {
    EXPECT_EQ(schedule.next_us, moment_in(step, "next")) << "line " << step.line;
  }
  expect("job", schedule.last_job);
  expect("runs", std::to_string(schedule.dispatched));
  expect("overlap", std::to_string(schedule.skipped_overlap));
  expect("missed", std::to_string(schedule.skipped_missed));
  expect("refused", std::to_string(schedule.refused));
  expect("waits", schedule.waiting_us != 0 ? "yes" : "no");
  expect("paused", schedule.paused_us != 0 ? schedule.paused_by : "no");
  expect("dropped", schedule.dropped_us != 0 ? "yes" : "no");
}

}  // namespace luzia
