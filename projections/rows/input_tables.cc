// Questions and approvals as tables.

#include <algorithm>
#include <utility>
#include <vector>

#include "projections/rows/input_rows.h"
#include "projections/rows/times.h"

namespace luzia {
namespace {

std::string words_of(const flatbuffers::String* value) {
  return std::string(text(value));
}

Colour state_colour_of(view::QuestionState state) {
  switch (state) {
    case view::QuestionState::open:
      return Colour::yellow;
    case view::QuestionState::answered:
      return Colour::green;
    case view::QuestionState::timed_out:
      return Colour::red;
    case view::QuestionState::cancelled:
      return Colour::dim;
  }
  return Colour::none;
}

Colour approval_colour(const view::Approval& approval) {
  return approval.decision() == schema::Decision::denied ? Colour::red : state_colour_of(approval.state());
}

/// Time left until something happens by itself; empty: nothing will.
std::string left_cell(TimeUs moment, TimeUs now) {
  return moment == 0 ? std::string() : format_duration(std::max<TimeUs>(0, moment - now));
}

/// What an approval is about, in one cell.
std::string subject_text(const view::Approval& approval) {
  const std::string_view input = text(approval.tool_input());
  std::string subject = subject_of(approval);
  if (!input.empty()) subject.append(text(approval.description()).empty() ? ": " : "; ").append(input);
  return subject;
}

}  // namespace

std::string subject_of(const view::Approval& approval) {
  const std::string_view tool = text(approval.tool());
  std::string subject(tool.empty() ? text(approval.gate()) : tool);
  const std::string_view description = text(approval.description());
  if (description.starts_with(subject + ":")) {
    subject = description;
  } else if (!description.empty()) {
    subject.append(": ").append(description);
  }
  std::ranges::replace(subject, '\n', ' ');
  return subject;
}

std::string_view asker_of(const view::Approval& approval) {
  const std::string_view id = text(approval.id());
  return text(approval.job()).empty() ? id.substr(0, id.find('/')) : text(approval.job());
}

std::string_view approval_state_name(const view::Approval& approval) {
  if (approval.decision() != schema::Decision::none) return decision_name(approval.decision());
  return question_state_name(approval.state());
}

std::string decided_by_text(const view::Approval& approval) {
  const std::string_view policy = text(approval.policy()), person = text(approval.decided_by());
  if (!policy.empty()) return "policy: " + std::string(policy);
  if (approval.decision() == schema::Decision::expired) return "nobody in time";
  return std::string(person);
}

Table questions_table(const ShownQuestions& questions, TimeUs now, Form form) {
  if (form == Form::data) return questions_data(questions);
  Table table({{.title = "QUESTION", .drops = 1},
               {"JOB"},
               {.title = "PROJECT", .min_width = 7, .shrinks = true, .drops = 3},
               {"STATE"},
               {.title = "ASKED", .drops = 2},
               {.title = "LEFT", .drops = 5},
               {.title = "TEXT", .min_width = 20, .shrinks = true},
               {.title = "ANSWER", .min_width = 10, .shrinks = true},
               {.title = "BY", .min_width = 5, .shrinks = true, .drops = 6}});
  for (const view::Question* question : questions) {
    table.add({{words_of(question->id())},
               {words_of(question->job()), Colour::bold},
               {words_of(question->project())},
               {std::string(question_state_name(question->state())), state_colour_of(question->state())},
               {second_time(question->asked_us()), Colour::dim},
               {time_left_text(*question, now)},
               {words_of(question->question())},
               {words_of(question->answer())},
               {words_of(question->answered_by())}});
  }
  return table;
}

Table approvals_table(const ShownApprovals& approvals, TimeUs now, Form form) {
  if (form == Form::data) return approvals_data(approvals);
  Table table({{.title = "APPROVAL", .drops = 1},
               {"JOB"},
               {.title = "PROJECT", .min_width = 7, .shrinks = true, .drops = 3},
               {"STATE"},
               {.title = "ASKED", .drops = 2},
               {.title = "LEFT", .drops = 5},
               {.title = "WHAT", .min_width = 20, .shrinks = true},
               {.title = "BY", .min_width = 8, .shrinks = true, .drops = 6},
               {.title = "NOTE", .min_width = 12, .shrinks = true, .drops = 4}});
  for (const view::Approval* approval : approvals) {
    table.add({{words_of(approval->id())},
               {std::string(asker_of(*approval)), Colour::bold},
               {words_of(approval->project())},
               {std::string(approval_state_name(*approval)), approval_colour(*approval)},
               {second_time(approval->asked_us()), Colour::dim},
               {time_left_text(*approval, now)},
               {subject_text(*approval)},
               {decided_by_text(*approval)},
               {words_of(approval->note())}});
  }
  return table;
}

Table open_inputs_table(const ShownQuestions& questions, const ShownApprovals& approvals,
                        const std::vector<ManualStep>& steps, TimeUs now) {
  Table table({{"JOB"},
               {.title = "PROJECT", .min_width = 5, .shrinks = true, .drops = 1},
               {.title = "ASKS", .min_width = 16, .shrinks = true},
               {.title = "OPTIONS", .min_width = 12, .shrinks = true},
               {.title = "LEFT", .align = Align::right}});
  std::vector<std::pair<Urgency, std::vector<Cell>>> rows;
  for (const view::Question* question : questions) {
    const std::string options = options_text(*question);
    rows.push_back({urgency_of(*question),
                    {{words_of(question->job()), Colour::bold},
                     {words_of(question->project())},
                     {words_of(question->question()), Colour::yellow},
                     {options.empty() ? "any text" : options},
                     {left_cell(earlier_moment(question->answer_by_us(), question->deadline_us()), now)}}});
  }
  for (const view::Approval* approval : approvals) {
    const TimeUs by_itself = approval->auto_after_us();
    const TimeUs ends = by_itself != 0 ? by_itself : approval->deadline_us();
    rows.push_back({urgency_of(*approval),
                    {{std::string(asker_of(*approval)), Colour::bold},
                     {words_of(approval->project())},
                     {"approve " + subject_text(*approval), Colour::yellow},
                     {"approve, deny"},
                     {left_cell(earlier_moment(approval->answer_by_us(), ends), now)}}});
  }
  for (const ManualStep& step : steps) {
    rows.push_back({{true, step.since_us},
                    {{step.flow, Colour::bold},
                     {step.project},
                     {manual_step_text(step), Colour::yellow},
                     {"complete, fail, skip"},
                     {}}});
  }
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first; });
  for (auto& [urgency, row] : rows) table.add(std::move(row));
  return table;
}

}  // namespace luzia
