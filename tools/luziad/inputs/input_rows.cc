#include "tools/luziad/inputs/input_rows.h"

#include "projections/rows/event_text.h"
#include "projections/stream_events.h"
#include "projections/streams.h"

namespace luzia {
namespace {

/// An erased text reads as empty; a client that waits still learns that there is an answer.
Result<std::string> text_at(const EventLog& log, Position event, const schema::BlobRefT* ref) {
  if (ref == nullptr || event == 0) return std::string();
  auto content = log.blob(event, ref->index);
  if (!content && content.error().code == "blob_erased") return std::string("(erased)");
  return content;
}

std::unique_ptr<schema::BlobRefT> copy_of(const schema::BlobRef* ref) {
  return std::unique_ptr<schema::BlobRefT>(ref == nullptr ? nullptr : ref->UnPack());
}

template <class Row, class Fact>
void begin(Row& row, const Fact& fact, std::string_view id, const schema::Event& event) {
  row.id = id;
  row.job = text(fact.job());
  row.attempt = fact.attempt();
  row.asked_us = event.time_us();
  row.deadline_us = fact.deadline_us();
  row.source = text(fact.source());
  row.position = event.position();
}

void fold(view::QuestionT& row, const schema::QuestionEvent& question, const schema::Event& event) {
  using schema::QuestionFact;
  switch (question.fact_type()) {
    case QuestionFact::NONE:
      return;
    case QuestionFact::QuestionAsked: {
      const auto& fact = *question.fact_as_QuestionAsked();
      begin(row, fact, text(fact.question()), event);
      row.type = fact.type();
      row.text = copy_of(fact.text());
      row.default_answer = text(fact.default_answer());
      if (fact.options() == nullptr) return;
      for (const auto* option : *fact.options()) row.options.push_back(option->str());
      return;
    }
    case QuestionFact::QuestionAnswered: {
      const auto& fact = *question.fact_as_QuestionAnswered();
      row.state = view::QuestionState::answered;
      row.answered_us = event.time_us();
      row.answer_position = event.position();
      row.answer_text = copy_of(fact.answer());
      row.by_default = fact.by_default();
      row.answered_by = fact.by_default() ? std::string("default") : actor_text(event);
      return;
    }
    case QuestionFact::QuestionTimedOut:
      row.state = view::QuestionState::timed_out;
      return;
    case QuestionFact::QuestionCancelled:
      row.state = view::QuestionState::cancelled;
      row.reason = text(question.fact_as_QuestionCancelled()->reason());
      return;
    case QuestionFact::AnswerDelivered:
      row.delivered_us = event.time_us();
      row.channel = text(question.fact_as_AnswerDelivered()->channel());
      return;
    case QuestionFact::QuestionReminded:
      row.reminded = question.fact_as_QuestionReminded()->count();
      return;
  }
}

void decide(view::ApprovalT& row, const schema::ApprovalDecided& fact, const schema::Event& event) {
  const bool expired = fact.decision() == schema::Decision::expired;
  row.state = expired ? view::QuestionState::timed_out : view::QuestionState::answered;
  row.decision = fact.decision();
  row.policy = text(fact.policy());
  row.note = text(fact.note());
  row.remember = fact.remember();
  row.decided_us = event.time_us();
  // A decision by a policy names no person.
  if (row.policy.empty() && !expired) row.decided_by = actor_text(event);
}

void fold(view::ApprovalT& row, const schema::ApprovalEvent& approval, const schema::Event& event) {
  using schema::ApprovalFact;
  switch (approval.fact_type()) {
    case ApprovalFact::NONE:
      return;
    case ApprovalFact::ApprovalRequested: {
      const auto& fact = *approval.fact_as_ApprovalRequested();
      begin(row, fact, text(fact.approval()), event);
      row.gate = text(fact.gate());
      row.tool = text(fact.tool());
      row.rule = text(fact.rule());
      row.auto_after_us = fact.auto_after_us();
      row.description_text = copy_of(fact.description());
      row.input_text = copy_of(fact.tool_input());
      return;
    }
    case ApprovalFact::ApprovalDecided:
      return decide(row, *approval.fact_as_ApprovalDecided(), event);
    case ApprovalFact::ApprovalCancelled:
      row.state = view::QuestionState::cancelled;
      row.reason = text(approval.fact_as_ApprovalCancelled()->reason());
      return;
    case ApprovalFact::DecisionDelivered:
      row.delivered_us = event.time_us();
      row.channel = text(approval.fact_as_DecisionDelivered()->channel());
      return;
    case ApprovalFact::ApprovalReminded:
      row.reminded = approval.fact_as_ApprovalReminded()->count();
      return;
  }
}

std::string id_in(const schema::QuestionEvent& question) {
  using schema::QuestionFact;
  switch (question.fact_type()) {
    case QuestionFact::NONE:
      return {};
    case QuestionFact::QuestionAsked:
      return std::string(text(question.fact_as_QuestionAsked()->question()));
    case QuestionFact::QuestionAnswered:
      return std::string(text(question.fact_as_QuestionAnswered()->question()));
    case QuestionFact::QuestionTimedOut:
      return std::string(text(question.fact_as_QuestionTimedOut()->question()));
    case QuestionFact::QuestionCancelled:
      return std::string(text(question.fact_as_QuestionCancelled()->question()));
    case QuestionFact::AnswerDelivered:
      return std::string(text(question.fact_as_AnswerDelivered()->question()));
    case QuestionFact::QuestionReminded:
      return std::string(text(question.fact_as_QuestionReminded()->question()));
  }
  return {};
}

std::string id_in(const schema::ApprovalEvent& approval) {
  using schema::ApprovalFact;
  switch (approval.fact_type()) {
    case ApprovalFact::NONE:
      return {};
    case ApprovalFact::ApprovalRequested:
      return std::string(text(approval.fact_as_ApprovalRequested()->approval()));
    case ApprovalFact::ApprovalDecided:
      return std::string(text(approval.fact_as_ApprovalDecided()->approval()));
    case ApprovalFact::ApprovalCancelled:
      return std::string(text(approval.fact_as_ApprovalCancelled()->approval()));
    case ApprovalFact::DecisionDelivered:
      return std::string(text(approval.fact_as_DecisionDelivered()->approval()));
    case ApprovalFact::ApprovalReminded:
      return std::string(text(approval.fact_as_ApprovalReminded()->approval()));
  }
  return {};
}

/// The row of one request; an empty id: none. `domain_of` extracts its domain fact from an event.
template <class Row, class DomainOf>
Result<Row> fold_stream(const ViewReader& rows, const EventLog& log, std::string_view job,
                        std::string_view id, DomainOf domain_of) {
  Row row;
  std::string project, agent;
  const auto positions = stream_positions(rows, std::string("job/").append(job));
  LUZIA_TRY(rows.status());
  const Status visited = visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    const auto* life = event.payload_as_JobEvent();
    if (const auto* queued = life != nullptr ? life->fact_as_JobQueued() : nullptr) {
      project = text(queued->spec()->project());
      agent = text(queued->spec()->agent());
    }
    if (const auto* domain = domain_of(event); domain != nullptr && id_in(*domain) == id) {
      fold(row, *domain, event);
    }
    return true;
  });
  if (!visited) return tl::unexpected(visited.error());
  row.project = std::move(project);
  row.agent = std::move(agent);
  return row;
}

}  // namespace

std::optional<view::InputKind> kind_of_input(std::string_view id) {
  if (id.starts_with("q-")) return view::InputKind::question;
  if (id.starts_with("a-")) return view::InputKind::approval;
  return std::nullopt;
}

Result<std::optional<view::QuestionT>> read_question(const ViewReader& rows, const EventLog& log,
                                                     std::string_view job, std::string_view id) {
  auto row = LUZIA_TRY(fold_stream<view::QuestionT>(
      rows, log, job, id, [](const schema::Event& event) { return event.payload_as_QuestionEvent(); }));
  if (row.id.empty()) return std::optional<view::QuestionT>();
  row.question = LUZIA_TRY(text_at(log, row.position, row.text.get()));
  row.answer = LUZIA_TRY(row.by_default ? Result<std::string>(row.default_answer)
                                        : text_at(log, row.answer_position, row.answer_text.get()));
  return std::optional<view::QuestionT>(std::move(row));
}

Result<std::optional<view::ApprovalT>> read_approval(const ViewReader& rows, const EventLog& log,
                                                     std::string_view job, std::string_view id) {
  auto row = LUZIA_TRY(fold_stream<view::ApprovalT>(
      rows, log, job, id, [](const schema::Event& event) { return event.payload_as_ApprovalEvent(); }));
  if (row.id.empty()) return std::optional<view::ApprovalT>();
  row.description = LUZIA_TRY(text_at(log, row.position, row.description_text.get()));
  row.tool_input = LUZIA_TRY(text_at(log, row.position, row.input_text.get()));
  return std::optional<view::ApprovalT>(std::move(row));
}

std::string input_of_event(const schema::Event& event) {
  if (const auto* question = event.payload_as_QuestionEvent()) return id_in(*question);
  const auto* approval = event.payload_as_ApprovalEvent();
  return approval == nullptr ? std::string() : id_in(*approval);
}

}  // namespace luzia
