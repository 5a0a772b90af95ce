// How people answered questions and approvals: how many, and how often in the time in which they meant to.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/input_rows.h"

namespace luzia {

enum class AnswersBy : std::uint8_t { person, project };

struct AnswerStatistic {
  std::string key;                     // a person, "(nobody)" or a project
  std::uint64_t answered = 0;          // by people
  std::uint64_t kept = 0, missed = 0;  // of those with such a time; open ones count as missed once it is over
  TimeUs waited_us = 0;                // of all that were answered, together
};

/// Most answers first. Requests that were withdrawn count nowhere, and answers by policies only where they
/// came too late.
std::vector<AnswerStatistic> answer_statistics(const ShownQuestions& questions,
                                               const ShownApprovals& approvals, AnswersBy by, TimeUs now);
/// Fields: key answered kept missed mean_seconds.
std::string answer_statistic_json(const AnswerStatistic& statistic);
Table answer_statistics_table(const std::vector<AnswerStatistic>& statistics, AnswersBy by,
                              Form form = Form::people);

}  // namespace luzia
