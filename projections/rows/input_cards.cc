// Open requests as the person who answers reads them: whole texts, numbered options, the command that
// answers.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/shell_quote.h"
#include "projections/rows/harmless.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/machines.h"
#include "projections/rows/wrapped.h"

namespace luzia {
namespace {

constexpr std::size_t kMostLines = 40;  // of one text; --json has all of it
constexpr std::size_t kIndent = 2;

/// "27m": the time until `moment`; "0s": it has come.
std::string in_text(TimeUs moment, TimeUs now) {
  return format_duration(std::max<TimeUs>(0, moment - now));
}

/// Number of the default among the options, from 1; 0: no default.
std::size_t default_number(const view::Question& question) {
  const std::string_view wanted = text(question.default_answer());
  if (!question.options() || wanted.empty()) return 0;
  for (flatbuffers::uoffset_t i = 0; i < question.options()->size(); ++i) {
    if (question.options()->Get(i)->string_view() == wanted) return i + 1;
  }
  return 0;
}

std::string example_answer(const view::Question& question) {
  switch (question.type()) {
    case schema::QuestionType::text:
      break;
    case schema::QuestionType::choice:
      return std::to_string(std::max<std::size_t>(1, default_number(question)));
    case schema::QuestionType::confirm:
      return text(question.default_answer()) == "no" ? "no" : "yes";
    case schema::QuestionType::multi_select:
      return question.options() && question.options()->size() > 1 ? "1,2" : "1";
  }
  return "\"...\"";
}

/// Writes paragraphs in the width of the terminal. Makes every text from an agent harmless.
class Cards {
 public:
  explicit Cards(const TableStyle& style) : style_(style) {}

  void head(std::string_view job, std::string_view project, std::string_view id, const std::string& left) {
    if (!out_.empty()) out_ += '\n';
    NumberedJob shown{{}, {harmless(job), Colour::bold}};
    if (style_.jobs != nullptr) shown = number_job(*style_.jobs, shown.cell.text, Colour::bold);
    std::string line = coloured(shown.cell, style_.colour);
    if (!shown.number.empty()) line.insert(0, coloured(shown.number, Colour::dim, style_.colour) + "  ");
    const RowMachine* machine = style_.machines == nullptr ? nullptr : style_.machines->find(job);
    const std::string where =
        machine == nullptr ? "" : " on " + harmless(machine_text(*machine, style_.machines->now));
    const std::string rest = fmt::format("{} ({}) {}", where, harmless(project), harmless(id));
    const std::size_t used = job.size() + left.size() + (shown.number.empty() ? 2 : shown.number.size() + 4);
    line += style_.width == 0 ? rest : fit_width(rest, std::max<std::size_t>(8, room(used)), style_.unicode);
    out_ += line + "  " + coloured(left, Colour::yellow, style_.colour) + '\n';
  }
  void paragraph(std::string_view words, Colour colour = Colour::none) {
    const std::string shown =
        make_harmless(words, {.keep_newlines = true, .keep_tabs = false, .unicode = style_.unicode});
    const WrappedText wrapped = wrap_text(shown, room(kIndent), kMostLines);
    for (const std::string& line : wrapped.lines) add(kIndent, coloured(line, colour, style_.colour));
    if (wrapped.is_cut) add(kIndent, coloured("... (--json prints all of it)", Colour::dim, style_.colour));
  }
  void option(std::size_t number, std::string_view words, bool is_default) {
    const std::string mark = is_default ? "  (default)" : "";
    std::string shown = harmless(words);
    constexpr std::size_t kNumber = 5;
    if (const std::size_t space = room(kIndent + kNumber + mark.size()); space != 0) {
      shown = fit_width(shown, space, style_.unicode);
    }
    add(kIndent, fmt::format("{:>3}  {}{}", number, shown, coloured(mark, Colour::dim, style_.colour)));
  }
  void line(std::string_view words) { add(kIndent, std::string(words)); }
  void command(std::string_view words) { add(kIndent, coloured(words, Colour::cyan, style_.colour)); }
  std::string take() { return std::move(out_); }

 private:
  /// Columns that are left beside `used` ones; 0: unlimited.
  std::size_t room(std::size_t used) const {
    constexpr std::size_t kLeast = 20;
    return style_.width == 0 ? 0 : std::max(kLeast, style_.width - std::min(style_.width, used));
  }
  std::string harmless(std::string_view words) const {
    return make_harmless(words, {.keep_newlines = false, .keep_tabs = false, .unicode = style_.unicode});
  }
  void add(std::size_t indent, const std::string& words) {
    out_.append(indent, ' ').append(words).append(1, '\n');
  }

  TableStyle style_;
  std::string out_;
};

template <class Row>
std::vector<const Row*> by_urgency(std::vector<const Row*> rows) {
  std::ranges::stable_sort(rows, {}, [](const Row* row) { return urgency_of(*row); });
  return rows;
}

void add_options(Cards& cards, const view::Question& question) {
  if (question.type() == schema::QuestionType::confirm) {
    const std::string_view otherwise = text(question.default_answer());
    cards.line(otherwise.empty() ? "yes or no"
                                 : fmt::format("yes or no  (default {})", otherwise == "no" ? "no" : "yes"));
    return;
  }
  if (!question.options() || question.options()->size() == 0) {
    if (!text(question.default_answer()).empty())
      cards.paragraph(fmt::format("default: {}", text(question.default_answer())), Colour::dim);
    return;
  }
  if (question.type() == schema::QuestionType::multi_select) cards.line("any of:");
  const std::size_t otherwise = default_number(question);
  for (flatbuffers::uoffset_t i = 0; i < question.options()->size(); ++i) {
    cards.option(i + 1, question.options()->Get(i)->string_view(), i + 1 == otherwise);
  }
}

std::string decide_command(const char* verb, const view::Approval& approval) {
  const std::string_view id = text(approval.id());
  if (!text(approval.job()).empty()) return fmt::format("luzia {} {}", verb, id);
  return fmt::format("luzia {} {} {}", verb, asker_of(approval), shell_quote(id.substr(id.find('/') + 1)));
}

/// The time left in which people mean to answer; empty: there is none, or something happens before it is
/// over.
std::string answer_left_text(TimeUs answer_by, TimeUs next, TimeUs now) {
  if (answer_by == 0 || (next != 0 && next <= answer_by)) return {};
  return answer_by > now ? "answer within " + format_duration(answer_by - now)
                         : "overdue by " + format_duration(now - answer_by);
}

}  // namespace

std::string time_left_text(const view::Question& question, TimeUs now) {
  if (question.state() != view::QuestionState::open) return {};
  const std::string meant = answer_left_text(question.answer_by_us(), question.deadline_us(), now);
  if (!meant.empty()) return meant;
  if (question.deadline_us() == 0) return "no deadline";
  return in_text(question.deadline_us(), now) + " left";
}

std::string time_left_text(const view::Approval& approval, TimeUs now) {
  if (approval.state() != view::QuestionState::open) return {};
  const TimeUs next = approval.auto_after_us() != 0 ? approval.auto_after_us() : approval.deadline_us();
  const std::string meant = answer_left_text(approval.answer_by_us(), next, now);
  if (!meant.empty()) return meant;
  if (approval.auto_after_us() != 0) return "approved in " + in_text(approval.auto_after_us(), now);
  if (approval.deadline_us() != 0) return "denied in " + in_text(approval.deadline_us(), now);
  return "no deadline";
}

std::string options_text(const view::Question& question) {
  if (question.type() == schema::QuestionType::confirm) return "yes, no";
  std::string out;
  if (!question.options()) return out;
  const std::size_t otherwise = default_number(question);
  for (flatbuffers::uoffset_t i = 0; i < question.options()->size(); ++i) {
    out += fmt::format("{}{} {}{}", out.empty() ? "" : ", ", i + 1, question.options()->Get(i)->string_view(),
                       i + 1 == otherwise ? " (default)" : "");
  }
  return out;
}

std::string answer_command(const view::Question& question) {
  return fmt::format("luzia answer {} {}", text(question.id()), example_answer(question));
}

std::string approve_command(const view::Approval& approval) {
  return decide_command("approve", approval);
}

std::string deny_command(const view::Approval& approval) {
  return decide_command("deny", approval);
}

std::string questions_text(const ShownQuestions& questions, TimeUs now, const TableStyle& style) {
  Cards cards(style);
  for (const view::Question* question : by_urgency(questions)) {
    if (question->state() != view::QuestionState::open) continue;
    cards.head(text(question->job()), text(question->project()), text(question->id()),
               time_left_text(*question, now));
    cards.paragraph(text(question->question()));
    add_options(cards, *question);
    cards.command(answer_command(*question));
  }
  return cards.take();
}

std::string approvals_text(const ShownApprovals& approvals, TimeUs now, const TableStyle& style) {
  Cards cards(style);
  for (const view::Approval* approval : by_urgency(approvals)) {
    if (approval->state() != view::QuestionState::open) continue;
    cards.head(asker_of(*approval), text(approval->project()), text(approval->id()),
               time_left_text(*approval, now));
    const std::string_view tool = text(approval->tool());
    cards.paragraph(tool.empty() ? fmt::format("gate {}", text(approval->gate()))
                                 : fmt::format("tool {}", tool));
    cards.paragraph(text(approval->description()));
    cards.paragraph(text(approval->tool_input()), Colour::dim);
    cards.command(approve_command(*approval));
    cards.command(deny_command(*approval));
  }
  return cards.take();
}

std::string manual_step_card(const ManualStep& step, const TableStyle& style) {
  Cards cards(style);
  cards.head(step.flow, step.project, step.step, "by a person");
  cards.paragraph(step.description);
  cards.command(complete_command(step));
  return cards.take();
}

}  // namespace luzia
