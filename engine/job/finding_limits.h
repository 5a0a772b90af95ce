// Limits how many findings of one kind an attempt's output may put into the log. Beyond the limit, findings
// are only counted, so that totals stay true: the log is kept for ever, and output.log has every line. Pure,
// any thread.
//
// Rejected: one limit for all kinds together, because a flood of warnings would hide the one error.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// Nobody reads the five hundred and first warning of an attempt.
constexpr std::uint32_t kMostFindings = 500;
/// Higher for tool calls and todo items, which an agent's statistics need: a day of work has some thousands.
constexpr std::uint32_t kMostSteps = 5'000;

/// Kind of a finding: error, warning, notice, progress, todo, issue, tool call, ... Empty: a kind without a
/// limit, such as usage, sessions and outcomes.
std::string_view limited_kind(const RecordOutput::Finding& finding);
std::string_view limited_kind(const schema::Event& event);
std::uint32_t most_findings(std::string_view kind);
/// Whether the last finding of the kind describes the present state. It is then recorded beyond the limit
/// too, at most once in each stretch of output.
bool is_state(std::string_view kind);
/// How many occurrences the finding stands for.
std::uint64_t weight_of(const RecordOutput::Finding& finding);

using FindingCounts = std::vector<std::unique_ptr<schema::FindingCountT>>;
void count_omitted(FindingCounts& counts, std::string_view kind, std::uint64_t more);
/// Findings of that kind that the recorded stretch counted only; 0: none.
std::uint64_t omitted_of(const schema::OutputAppended& fact, std::string_view kind);

/// Appends the findings of `command` that are recorded, and a notice when a limit is reached. Adds those
/// beyond the limit to `omitted`.
void keep_findings(const JobState& state, const RecordOutput& command, FindingCounts& omitted,
                   std::vector<NewEvent>& events);
/// At the end of an attempt: reports how many findings were only counted.
void report_omitted(const JobState& state, std::vector<NewEvent>& events);

/// Parts of evolve().
void evolve_findings(JobState& state, const schema::Event& event);

}  // namespace luzia
