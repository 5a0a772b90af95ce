#include "projections/rows/answer_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "projections/rows/json_object.h"

namespace luzia {
namespace {

constexpr const char* kNobody = "(nobody)";

/// One request, whatever its kind.
struct Course {
  std::string project, person;  // empty person: nobody answered, or a policy did
  TimeUs asked = 0, answer_by = 0, answered = 0;
};

using Sums = std::map<std::string, AnswerStatistic>;

void add(Sums& sums, const Course& course, AnswersBy by, TimeUs now) {
  const bool by_person = !course.person.empty();
  const bool missed = course.answer_by != 0 && (by_person ? course.answered : now) > course.answer_by;
  const bool kept = by_person && course.answer_by != 0 && !missed;
  if (!by_person && !missed) return;
  const std::string key = by == AnswersBy::project ? course.project : by_person ? course.person : kNobody;
  AnswerStatistic& sum = sums[key];
  sum.key = key;
  if (by_person) {
    ++sum.answered;
    sum.waited_us += std::max<TimeUs>(0, course.answered - course.asked);
  }
  if (kept) ++sum.kept;
  if (missed) ++sum.missed;
}

double mean_seconds(const AnswerStatistic& row) {
  return row.answered == 0 ? 0
                           : static_cast<double>(row.waited_us) / static_cast<double>(row.answered) /
                                 static_cast<double>(kSecondUs);
}

}  // namespace

std::vector<AnswerStatistic> answer_statistics(const ShownQuestions& questions,
                                               const ShownApprovals& approvals, AnswersBy by, TimeUs now) {
  Sums sums;
  for (const view::Question* row : questions) {
    if (row->state() == view::QuestionState::cancelled) continue;
    const bool by_person = row->state() == view::QuestionState::answered && !row->by_default();
    const TimeUs end = row->answered_us() != 0 ? row->answered_us() : now;
    add(sums,
        {std::string(text(row->project())), by_person ? std::string(text(row->answered_by())) : std::string(),
         row->asked_us(), row->answer_by_us(), end},
        by, end);
  }
  for (const view::Approval* row : approvals) {
    if (row->state() == view::QuestionState::cancelled) continue;
    const TimeUs end = row->decided_us() != 0 ? row->decided_us() : now;
    add(sums,
        {std::string(text(row->project())), std::string(text(row->decided_by())), row->asked_us(),
         row->answer_by_us(), end},
        by, end);
  }
  std::vector<AnswerStatistic> all;
  for (auto& [key, sum] : sums) all.push_back(std::move(sum));
  std::ranges::stable_sort(all, std::greater<>(), &AnswerStatistic::answered);
  return all;
}

std::string answer_statistic_json(const AnswerStatistic& row) {
  JsonObject object;
  object.text("key", std::string_view(row.key));
  object.number("answered", row.answered);
  object.number("kept", row.kept);
  object.number("missed", row.missed);
  object.number("mean_seconds", mean_seconds(row));
  return object.take();
}

Table answer_statistics_table(const std::vector<AnswerStatistic>& rows, AnswersBy by, Form form) {
  const bool data = form == Form::data;
  const char* const key = by == AnswersBy::person ? "PERSON" : "PROJECT";
  std::vector<Column> columns = {{.title = key, .min_width = 7, .shrinks = true},
                                 {"ANSWERED", Align::right},
                                 {"KEPT", Align::right},
                                 {"MISSED", Align::right},
                                 {"MEAN WAIT", Align::right}};
  if (data) {
    columns = {{.title = "key", .heading = key},
               {.title = "answered", .align = Align::right, .heading = "ANSWERED"},
               {.title = "kept", .align = Align::right, .heading = "KEPT"},
               {.title = "missed", .align = Align::right, .heading = "MISSED"},
               {.title = "mean_seconds", .align = Align::right, .heading = "MEAN WAIT (s)"}};
  }
  Table table(std::move(columns));
  for (const AnswerStatistic& row : rows) {
    table.add({{row.key, Colour::bold},
               {fmt::to_string(row.answered)},
               {fmt::to_string(row.kept)},
               {fmt::to_string(row.missed), row.missed > 0 && !data ? Colour::yellow : Colour::none},
               {data ? fmt::format("{}", mean_seconds(row))
                     : format_duration(static_cast<TimeUs>(mean_seconds(row) * kSecondUs))}});
  }
  return table;
}

}  // namespace luzia
