#include "projections/rows/audit_rows.h"

#include <algorithm>
#include <span>

#include "engine/flow/flow.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/input_rows.h"

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

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// For an approval: the gate, and what it would let pass.
std::string subject_of(const AuditEntry& entry, const Told& told) {
  return entry.approval ? luzia::subject_of(*entry.approval) : on_one_line(std::string(told.what));
}

/// A person's note on the decision, and what else the decision applies to from then on.
std::string note_of(const Told& told) {
  std::string note(told.note);
  if (told.remember) note += (note.empty() ? "" : "; ") + std::string("always ") + std::string(told.rule);
  return note;
}

constexpr ExportField<Told> kWhatDecisionIs[] = {
    {{"decided_at", kText, "RFC 3339, UTC."}, as_time<&Told::decided>},
    {{"kind", kText, "question or approval."}, as_is<&Told::kind>},
    {{"id", kText, "Id of the question or approval."}, as_is<&Told::id>},
    {{"job", kText, "Job that asked."}, as_is<&Told::job>},
    {{"project", kText, "Project of the job."}, as_is<&Told::project>},
    {{"agent", kText, "Agent of the job."}, as_is<&Told::agent>},
    {{"what", kText, "The question, or the gate."}, as_is<&Told::what>},
    {{"tool", kText, "Tool that was to be called."}, as_is<&Told::tool>},
    {{"description", kText, "What the agent said about it."}, as_is<&Told::description>},
    {{"decision", kText, "answered, timed_out, approved, denied or expired."}, as_is<&Told::decision>},
    {{"answer", kText, "What was answered."}, as_is<&Told::answer>},
    {{"by", kText, "Person that decided."}, as_is<&Told::by>},
    {{"policy", kText, "Policy that decided."}, as_is<&Told::policy>},
    {{"note", kText, "The person's words on it."}, as_is<&Told::note>},
    {{"remember", kInteger, "1: it holds for later calls, too."}, as_is<&Told::remember>},
    {{"rule", kText, "The calls for which it holds."}, as_is<&Told::rule>},
    {{"asked_at", kText, "RFC 3339, UTC."}, as_time<&Told::asked>},
    {{"delivered_at", kText, "When the agent had it, RFC 3339, UTC."}, as_time<&Told::delivered>},
};

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
  JsonObject json;
  for (const auto& field : std::span(kWhatDecisionIs).subspan(1, 13)) {  // kind to note
    write_value(json.at(field.column.name), field.value(told, 0));
  }
  json.boolean("remember", told.remember);
  json.text_or_null("rule", told.rule);
  json.time("decided_at", "decided_us", told.decided);
  json.time("asked_at", "asked_us", told.asked);
  if (told.job.empty()) {
    if (const auto of_flow = split_flow_step(told.id)) {
      json.text_or_null("flow", of_flow->first);
      json.text_or_null("step", of_flow->second);
    }
  }
  json.time("delivered_at", "delivered_us", told.delivered);
  json.number("waited_seconds",
              static_cast<double>(std::max<TimeUs>(0, told.decided - told.asked)) / kSecondUs);
  json.number("position", told.position);
  return json.take();
}

Table audit_table(const std::vector<AuditEntry>& entries, Form form) {
  if (form == Form::data) {
    std::vector<Told> told;
    for (const AuditEntry& entry : entries) told.push_back(tell(entry));
    return data_table(kWhatDecisionIs, told);
  }
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
               {subject_of(entry, told)},
               {on_one_line(entry.question ? std::string(told.answer) : note_of(told))}});
  }
  return table;
}

}  // namespace luzia
