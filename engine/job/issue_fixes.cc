#include "engine/job/issue_fixes.h"

#include <algorithm>

#include "engine/event/take_fact.h"

namespace luzia {
namespace {

constexpr std::size_t kMostFixables = 8;

void note_issue(JobState& state, const schema::IssueDetected& fact) {
  const std::string_view fingerprint = text(fact.fingerprint());
  for (const auto& fix : state.fixes) {
    if (fix->fingerprint == fingerprint) fix->seen = true;
  }
  const bool may_fix = state.spec && state.spec->auto_fix && fact.auto_fixable() && fact.fix_command() &&
                       fact.fix_command()->size() > 0;
  if (!may_fix || state.fixables.size() >= kMostFixables) return;
  if (std::ranges::any_of(state.fixables,
                          [&](const auto& known) { return known->fingerprint == fingerprint; })) {
    return;
  }
  auto& fixable = *state.fixables.emplace_back(std::make_unique<view::FixableT>());
  fixable.fingerprint = fingerprint;
  fixable.pattern = text(fact.pattern());
  fixable.fix_command = text(fact.fix_command());
}

}  // namespace

void evolve_issue(JobState& state, const schema::IssueEvent& issue) {
  take_fact(
      issue, [&](const schema::IssueRepeated&) {},
      [&](const schema::IssueDetected& fact) { note_issue(state, fact); },
      [&](const schema::FixStarted& fact) {
        auto& fix = *state.fixes.emplace_back(std::make_unique<view::FixingT>());
        fix.fingerprint = text(fact.fingerprint());
        fix.pattern = text(fact.pattern());
        fix.job = text(fact.job());
      },
      [&](const schema::FixEnded& fact) {
        const std::string_view fingerprint = text(fact.fingerprint());
        // Later attempts need not wait for the job of a fix that has ended.
        std::erase(state.after, text(fact.job()));
        std::erase_if(state.fixes, [&](const auto& fix) { return fix->fingerprint == fingerprint; });
      });
}

NewEvent fix_started(const JobState& state, const RetryJob::Fix& fix) {
  schema::FixStartedT fact;
  fact.fingerprint = fix.fingerprint;
  fact.pattern = fix.pattern;
  fact.job = fix.job;
  fact.attempt = state.attempt;
  return job_event(state.job, std::move(fact));
}

void end_fixes(const JobState& state, bool failed, Events& events) {
  for (const auto& fix : state.fixes) {
    schema::FixEndedT fact;
    fact.fingerprint = fix->fingerprint;
    fact.pattern = fix->pattern;
    fact.job = fix->job;
    fact.fixed = !failed && !fix->seen;
    events.push_back(job_event(state.job, std::move(fact)));
  }
}

}  // namespace luzia
