// How many findings of one kind an attempt's output may put into the log. What a program prints without end
// is counted further, so that its numbers stay true, and not recorded one by one: the log is for ever, and
// output.log has every line. Pure, any thread.
//
// Rejected: a limit for all kinds together, which lets a flood of warnings hide the one error.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// Nobody reads the five hundred and first warning of one attempt.
constexpr std::uint32_t kMostFindings = 500;
/// Calls of tools and steps of a list are what an agent's statistics are made of: a day of work has some
/// thousands.
constexpr std::uint32_t kMostSteps = 5'000;

/// Kind of what was found in output: error, warning, notice, progress, todo, issue, tool call, ... Empty: of
/// a kind that is never limited, such as usage, sessions and outcomes.
std::string_view limited_kind(const RecordOutput::Finding& finding);
std::string_view limited_kind(const schema::Event& event);
std::uint32_t most_findings(std::string_view kind);
/// Whether the last one of the kind says how things stand: it is recorded in any case, at most one with each
/// stretch of output.
bool is_state(std::string_view kind);
/// How many occurrences the finding stands for.
std::uint64_t weight_of(const RecordOutput::Finding& finding);

using FindingCounts = std::vector<std::unique_ptr<schema::FindingCountT>>;
void count_omitted(FindingCounts& counts, std::string_view kind, std::uint64_t more);
/// Of a recorded stretch; 0: none of that kind.
std::uint64_t omitted_of(const schema::OutputAppended& fact, std::string_view kind);

/// Appends the findings of `command` that are recorded, and what says that a limit is reached; what is beyond
/// it is added to `omitted`.
void keep_findings(const JobState& state, const RecordOutput& command, FindingCounts& omitted,
                   std::vector<NewEvent>& events);
/// At the end of an attempt: how much was counted only.
void tell_omitted(const JobState& state, std::vector<NewEvent>& events);

/// Parts of evolve().
void evolve_findings(JobState& state, const schema::Event& event);

}  // namespace luzia
