#include "projections/rows/learning_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/joined_names.h"
#include "engine/base/percent.h"
#include "engine/event/take_fact.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/times.h"
#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

/// "3 of 4" trials helped; empty: nobody has tried it.
std::string trials_text(const view::Solution& row) {
  const std::uint64_t tried = row.helped() + row.failed();
  return tried == 0 ? std::string() : fmt::format("{} of {}", row.helped(), tried);
}

std::string age_text(TimeUs time, TimeUs now) {
  return format_duration(std::max<TimeUs>(0, now - time));
}

std::string shown_project(const flatbuffers::String* project) {
  return text(project).empty() ? std::string("(every)") : project->str();
}

}  // namespace

std::string solution_json(const view::Solution& row) {
  JsonObject object;
  object.text("id", row.id());
  object.text_or_null("project", row.project());
  object.text("problem", row.problem());
  object.text("text", row.text());
  if (is_unreadable(text(row.text()), row.body())) object.text("text_error", kTextUnreadable);
  object.strings("references", row.references());
  object.strings("tags", row.tags());
  object.number("confidence", row.confidence());
  object.number("stated_confidence", row.stated_confidence());
  object.number("helped", row.helped());
  object.number("failed", row.failed());
  object.time("created_at", row.created_us());
  object.time("last_at", row.last_us());
  object.time("expires_at", row.expires_us());
  object.text_or_null("by", row.by());
  object.number_or_null("score", row.score());
  object.number("position", row.position());
  return object.take();
}

Table solutions_table(const std::vector<const view::Solution*>& rows, TimeUs now) {
  Table table({{"SOLUTION", Align::left, 15},
               {"TRUST", Align::right, 5},
               {"HELPED", Align::right, 6, false, 2},
               {"AGE", Align::right, 4, false, 2},
               {"PROJECT", Align::left, 6, true, 1},
               {"TAGS", Align::left, 6, true, 4},
               {"PROBLEM", Align::left, 12, true}});
  for (const view::Solution* row : rows) {
    const bool expired = row->expires_us() != 0 && row->expires_us() <= now;
    table.add({{std::string(text(row->id())), expired ? Colour::dim : Colour::bold},
               {expired ? "expired" : whole_percent(row->confidence())},
               {trials_text(*row)},
               {age_text(row->created_us(), now)},
               {shown_project(row->project())},
               {joined_names(row->tags())},
               {std::string(text(row->problem()))}});
  }
  return table;
}

std::string solution_card(const view::Solution& row, TimeUs now, const TableStyle& style) {
  std::string card;
  const auto line = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    card += fmt::format("{:<12}{}\n", name, make_harmless(value, {.unicode = style.unicode}));
  };
  line("solution", text(row.id()));
  line("project", shown_project(row.project()));
  line("problem", text(row.problem()));
  const std::uint64_t tried = row.helped() + row.failed();
  line("trust", whole_percent(row.confidence()) +
                    (tried == 0 ? std::string(" as stated, not tried yet")
                                : fmt::format(": stated {}, helped {} of {} times",
                                              whole_percent(row.stated_confidence()), row.helped(), tried)));
  line("tags", joined_names(row.tags()));
  if (row.references() != nullptr) {
    for (const auto* each : *row.references()) line("reference", each->string_view());
  }
  line("recorded",
       second_time(row.created_us()) + (text(row.by()).empty() ? std::string() : " by " + row.by()->str()));
  const bool expired = row.expires_us() != 0 && row.expires_us() <= now;
  line(expired ? "expired" : "expires", second_time(row.expires_us()));
  card += "\n" + make_harmless(text(row.text()), {.keep_newlines = true, .unicode = style.unicode});
  if (!card.ends_with('\n')) card += '\n';
  return card;
}

std::string fact_json(const view::Fact& row) {
  JsonObject object;
  object.text("subject", row.subject());
  object.text("relation", row.relation());
  object.text("object", row.object());
  object.text_or_null("context", row.context());
  object.text_or_null("project", row.project());
  object.time("stored_at", row.stored_us());
  object.text_or_null("by", row.by());
  object.number("position", row.position());
  return object.take();
}

Table facts_table(const std::vector<const view::Fact*>& rows) {
  Table table({{"SUBJECT", Align::left, 8, true},
               {"RELATION", Align::left, 8, true},
               {"OBJECT", Align::left, 8, true},
               {"CONTEXT", Align::left, 8, true, 2},
               {"PROJECT", Align::left, 6, true, 3},
               {"STORED", Align::left, 19, false, 1}});
  for (const view::Fact* row : rows) {
    table.add({{std::string(text(row->subject())), Colour::bold},
               {std::string(text(row->relation()))},
               {std::string(text(row->object()))},
               {std::string(text(row->context()))},
               {shown_project(row->project())},
               {second_time(row->stored_us())}});
  }
  return table;
}

std::string todo_json(const view::Todo& row) {
  JsonObject object;
  object.text("id", row.todo());
  object.text_or_null("project", row.project());
  object.text("text", row.text());
  object.text("status", view::EnumNameTodoState(row.state()));
  object.text_or_null("by", row.by());
  object.text_or_null("job", row.job());
  object.text_or_null("added_by", row.added_by());
  object.time("added_at", row.added_us());
  object.time("taken_at", row.taken_us());
  object.time("done_at", row.done_us());
  object.text_or_null("note", row.note());
  object.number("position", row.position());
  return object.take();
}

Table todos_table(const std::vector<const view::Todo*>& rows, TimeUs now) {
  Table table({{"ID", Align::left, 15},
               {"STATUS", Align::left, 9},
               {"BY", Align::left, 6, true, 1},
               {"SINCE", Align::right, 5, false, 2},
               {"PROJECT", Align::left, 6, true, 3},
               {"TEXT", Align::left, 12, true}});
  for (const view::Todo* row : rows) {
    const bool done = row->state() == view::TodoState::completed;
    const TimeUs since = done ? row->done_us() : row->taken_us() != 0 ? row->taken_us() : row->added_us();
    table.add({{std::string(text(row->todo())), done ? Colour::dim : Colour::bold},
               {view::EnumNameTodoState(row->state())},
               {std::string(text(row->by()))},
               {age_text(since, now)},
               {shown_project(row->project())},
               {std::string(text(row->text()))}});
  }
  return table;
}

std::string learning_text(const schema::LearningEvent& event) {
  return fact_or(
      std::string("something learned that this program does not know"), event,
      [&](const schema::SolutionRecorded& fact) {
        return fmt::format("solution {} recorded, trust {}: {}", text(fact.solution()),
                           whole_percent(fact.confidence()), text(fact.problem()));
      },
      [&](const schema::SolutionTried& fact) {
        const std::string_view job = text(fact.job());
        return fmt::format("solution {} {}{}{}", text(fact.solution()),
                           fact.helped() ? "helped" : "did not help", job.empty() ? "" : " in job ", job);
      },
      [&](const schema::SolutionPruned& fact) {
        return with_note(fmt::format("solution {} pruned", text(fact.solution())), fact.reason());
      },
      [&](const schema::FactStored& fact) {
        return with_note(
            fmt::format("fact: {} {} {}", text(fact.subject()), text(fact.relation()), text(fact.object())),
            fact.context());
      },
      [&](const schema::FactForgotten& fact) {
        return with_note(fmt::format("fact forgotten: {} {} {}", text(fact.subject()), text(fact.relation()),
                                     text(fact.object())),
                         fact.reason());
      },
      [&](const schema::TodoAdded& fact) {
        return fmt::format("todo {} added: {}", text(fact.todo()), text(fact.text()));
      },
      [&](const schema::TodoTaken& fact) {
        const std::string_view job = text(fact.job());
        return fmt::format("todo {} taken by {}{}{}", text(fact.todo()), text(fact.by()),
                           job.empty() ? "" : " in job ", job);
      },
      [&](const schema::TodoReleased& fact) {
        return with_note(fmt::format("todo {} given back", text(fact.todo())), fact.note());
      },
      [&](const schema::TodoDone& fact) {
        return with_note(fmt::format("todo {} completed by {}", text(fact.todo()), text(fact.by())),
                         fact.note());
      });
}

}  // namespace luzia
