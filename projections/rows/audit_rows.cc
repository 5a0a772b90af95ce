#include "projections/rows/audit_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/flow/flow.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/json_object.h"
#include "projections/rows/times.h"

namespace luzia {
namespace {

/// An entry as text, the same for JSON and tables.
struct Told {
  std::string_view kind, id, job, asker, project, agent, what, tool, description, decision, answer, by,
      policy, note, rule;
  bool remember = false;
  TimeUs decided = 0, asked = 0, delivered = 0;
  Position position = 0;
};

template <class Row>
void tell_subject(Told& told, const Row& row) {
  told.id = text(row.id());
  told.job = told.asker = text(row.job());
  told.project = text(row.project());
  told.agent = text(row.agent());
  told.decided = decision_time(row);
  told.asked = row.asked_us();
  told.delivered = row.delivered_us();
  told.position = row.position();
}

Told tell(const view::Question& question) {
  Told told;
  tell_subject(told, question);
  told.kind = "question";
  told.what = text(question.question());
  told.decision = question_state_name(question.state());
  told.answer = text(question.answer());
  (question.by_default() ? told.policy : told.by) = text(question.answered_by());
  return told;
}

Told tell(const view::Approval& approval) {
  Told told;
  tell_subject(told, approval);
  told.asker = asker_of(approval);
  told.kind = "approval";
  told.what = text(approval.gate());
  told.tool = text(approval.tool());
  told.description = text(approval.description());
  told.decision = decision_name(approval.decision());
  told.by = text(approval.decided_by());
  told.policy = text(approval.policy());
  told.note = text(approval.note());
  told.remember = approval.remember();
  told.rule = text(approval.rule());
  return told;
}

Told tell(const AuditEntry& entry) {
  return entry.question ? tell(*entry.question) : tell(*entry.approval);
}

Colour decision_colour(const AuditEntry& entry) {
  if (entry.question) {
    return entry.question->state() == view::QuestionState::answered ? Colour::green : Colour::red;
  }
  return entry.approval->decision() == schema::Decision::approved ? Colour::green : Colour::red;
}

/// For an approval: the gate, and what it would let pass.
std::string subject_of(const Told& told) {
  std::string subject(told.what);
  if (!told.description.empty()) subject.append(": ").append(told.description);
  return subject;
}

/// A person's note on the decision, and what else the decision applies to from then on.
std::string note_of(const Told& told) {
  std::string note(told.note);
  if (told.remember) note += (note.empty() ? "" : "; ") + std::string("always ") + std::string(told.rule);
  return note;
}

Table audit_data(const std::vector<AuditEntry>& entries) {
  std::vector<Column> columns;
  for (const char* title :
       {"decided_at", "kind", "id", "job", "project", "agent", "what", "tool", "description", "decision",
        "answer", "by", "policy", "note", "remember", "rule", "asked_at", "delivered_at"}) {
    columns.push_back({title});
  }
  Table table(std::move(columns));
  for (const AuditEntry& entry : entries) {
    const Told told = tell(entry);
    std::vector<Cell> row = {{full_time(told.decided)}};
    for (const std::string_view words :
         {told.kind, told.id, told.job, told.project, told.agent, told.what, told.tool, told.description,
          told.decision, told.answer, told.by, told.policy, told.note}) {
      row.push_back({std::string(words)});
    }
    row.push_back({told.remember ? "true" : "false"});
    row.push_back({std::string(told.rule)});
    row.push_back({full_time(told.asked)});
    row.push_back({full_time(told.delivered)});
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

TimeUs decision_time(const view::Question& question) {
  if (question.state() == view::QuestionState::answered) return question.answered_us();
  return question.state() == view::QuestionState::timed_out ? question.deadline_us() : 0;
}

TimeUs decision_time(const view::Approval& approval) {
  return approval.decision() == schema::Decision::none ? 0 : approval.decided_us();
}

TimeUs decision_time(const AuditEntry& entry) {
  return entry.question ? decision_time(*entry.question) : decision_time(*entry.approval);
}

std::string audit_json(const AuditEntry& entry) {
  const Told told = tell(entry);
  std::string out;
  JsonObject json(out);
  json.text_or_null("kind", told.kind);
  json.text_or_null("id", told.id);
  json.text_or_null("job", told.job);
  json.text_or_null("project", told.project);
  json.text_or_null("agent", told.agent);
  json.text_or_null("what", told.what);
  json.text_or_null("tool", told.tool);
  json.text_or_null("description", told.description);
  json.text_or_null("decision", told.decision);
  json.text_or_null("answer", told.answer);
  json.text_or_null("by", told.by);
  json.text_or_null("policy", told.policy);
  json.text_or_null("note", told.note);
  json.boolean("remember", told.remember);
  json.text_or_null("rule", told.rule);
  json.text_or_null("decided_at", full_time(told.decided));
  json.number("decided_us", told.decided);
  json.text_or_null("asked_at", full_time(told.asked));
  json.number("asked_us", told.asked);
  if (told.job.empty()) {
    if (const auto of_flow = split_flow_step(told.id)) {
      json.text_or_null("flow", of_flow->first);
      json.text_or_null("step", of_flow->second);
    }
  }
  json.text_or_null("delivered_at", full_time(told.delivered));
  json.number("delivered_us", told.delivered);
  json.number("waited_seconds",
              static_cast<double>(std::max<TimeUs>(0, told.decided - told.asked)) / kSecondUs);
  json.number("position", told.position);
  json.end();
  return out;
}

Table audit_table(const std::vector<AuditEntry>& entries, Form form) {
  if (form == Form::data) return audit_data(entries);
  // The zone is in the title to save width: that of the first entry, even if clocks have changed since.
  const std::string zone =
      entries.empty() ? std::string() : local_clock(tell(entries.front()).decided).substr(8);
  Table table({{.title = zone.empty() ? "DECIDED" : "DECIDED (" + zone + ")", .drops = 3},
               {"JOB"},
               {.title = "PROJECT", .min_width = 7, .shrinks = true, .drops = 1},
               {"DECISION"},
               {.title = "BY", .min_width = 6, .shrinks = true},
               {.title = "WHAT", .min_width = 14, .shrinks = true},
               {.title = "ANSWER OR NOTE", .min_width = 12, .shrinks = true, .drops = 2}});
  for (const AuditEntry& entry : entries) {
    const Told told = tell(entry);
    const std::string by = told.policy.empty() ? std::string(told.by.empty() ? "nobody in time" : told.by)
                                               : "policy: " + std::string(told.policy);
    table.add({{second_time(told.decided).substr(0, static_cast<std::size_t>(TimePart::minute)), Colour::dim},
               {std::string(told.asker), Colour::bold},
               {std::string(told.project)},
               {std::string(told.decision), decision_colour(entry)},
               {by},
               {subject_of(told)},
               {entry.question ? std::string(told.answer) : note_of(told)}});
  }
  return table;
}

}  // namespace luzia
