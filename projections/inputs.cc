#include "projections/inputs.h"

#include <algorithm>

#include "engine/event/take_fact.h"
#include "projections/input_table.h"
#include "projections/removed_jobs.h"
#include "projections/rows/event_text.h"

namespace luzia {
namespace {

/// Where a text is stored; its hash is in the event.
std::unique_ptr<schema::BlobRefT> place_of(const schema::BlobRef* ref) {
  if (!ref) return nullptr;
  auto place = std::make_unique<schema::BlobRefT>();
  place->index = ref->index();
  place->size = ref->size();
  return place;
}

void shift(TimeUs& moment, TimeUs by) {
  if (moment != 0) moment = std::max<TimeUs>(1, moment + by);
}

/// The fields that questions and approvals share when they begin.
template <class Row, class Fact>
void begin(Row& row, const Fact& fact, const schema::Event& event) {
  row.attempt = fact.attempt();
  row.asked_us = event.time_us();
  row.deadline_us = fact.deadline_us();
  row.answer_by_us = fact.answer_by_us();
  row.priority = fact.priority();
  row.source = text(fact.source());
}

void apply(view::QuestionT& row, const schema::QuestionAsked& fact, const schema::Event& event) {
  begin(row, fact, event);
  row.type = fact.type();
  row.text = place_of(fact.text());
  row.default_answer = text(fact.default_answer());
  row.free_text = fact.free_text();
  row.options = texts(fact.options());
}

void apply(view::QuestionT& row, const schema::QuestionAnswered& fact, const schema::Event& event) {
  row.state = view::QuestionState::answered;
  row.answered_us = event.time_us();
  row.answer_position = event.position();
  row.answer_text = place_of(fact.answer());
  row.by_default = fact.by_default();
  row.answered_by = fact.by_default() ? std::string(kAnsweredByDefault) : actor_text(event);
  if (fact.by_default()) row.answer = row.default_answer;
}

void apply(view::ApprovalT& row, const schema::ApprovalRequested& fact, const schema::Event& event) {
  begin(row, fact, event);
  row.gate = text(fact.gate());
  row.tool = text(fact.tool());
  row.rule = text(fact.rule());
  row.auto_after_us = fact.auto_after_us();
  row.description_text = place_of(fact.description());
  row.input_text = place_of(fact.tool_input());
}

/// A decision by a policy has no person's name.
void apply(view::ApprovalT& row, const schema::ApprovalDecided& fact, const schema::Event& event) {
  const bool expired = fact.decision() == schema::Decision::expired;
  row.state = expired ? view::QuestionState::timed_out : view::QuestionState::answered;
  row.decision = fact.decision();
  row.policy = text(fact.policy());
  row.note = text(fact.note());
  row.remember = fact.remember();
  row.decided_us = event.time_us();
  if (row.policy.empty() && !expired) row.decided_by = actor_text(event);
}

void apply(view::QuestionT& row, const schema::QuestionTimedOut& /*fact*/, const schema::Event& /*event*/) {
  row.state = view::QuestionState::timed_out;
}

/// The facts that are alike for questions and approvals.
template <class Row, class Fact>
void apply(Row& row, const Fact& fact, const schema::Event& event) {
  if constexpr (requires { fact.count(); }) {
    row.reminded = fact.count();
  } else if constexpr (requires { fact.channel(); }) {
    row.delivered_us = event.time_us();
    row.channel = text(fact.channel());
  } else {
    row.state = view::QuestionState::cancelled;
    row.reason = text(fact.reason());
  }
}

/// Calls `take` with the fact of an event about a request.
template <class Take>
void with_fact(const schema::QuestionEvent& question, Take take) {
  take_fact(
      question, [&](const schema::QuestionAsked& fact) { take(fact); },
      [&](const schema::QuestionAnswered& fact) { take(fact); },
      [&](const schema::QuestionTimedOut& fact) { take(fact); },
      [&](const schema::QuestionCancelled& fact) { take(fact); },
      [&](const schema::AnswerDelivered& fact) { take(fact); },
      [&](const schema::QuestionReminded& fact) { take(fact); });
}
template <class Take>
void with_fact(const schema::ApprovalEvent& approval, Take take) {
  take_fact(
      approval, [&](const schema::ApprovalRequested& fact) { take(fact); },
      [&](const schema::ApprovalDecided& fact) { take(fact); },
      [&](const schema::ApprovalCancelled& fact) { take(fact); },
      [&](const schema::DecisionDelivered& fact) { take(fact); },
      [&](const schema::ApprovalReminded& fact) { take(fact); });
}

class InputsReport : public JobReport {
 public:
  explicit InputsReport(const ViewReaderSource& rows)
      : questions_(kQuestionsView, rows), approvals_(kApprovalsView, rows) {}
  std::vector<ProjectionInfo> views() const override { return {kQuestionsView, kApprovalsView}; }

  void note(const JobStep& step) override {
    if (!step.job) return;
    if (is_removal(step.event)) return forget_inputs_of(step.job->id);
    if (step.job->removed_us != 0) return;
    if (const auto* question = step.event.payload_as_QuestionEvent()) return note_question(step, *question);
    if (const auto* approval = step.event.payload_as_ApprovalEvent()) return note_approval(step, *approval);
    const auto* job = step.event.payload_as_JobEvent();
    if (const auto* shifted = job ? job->fact_as_DeadlinesShifted() : nullptr) {
      shift_deadlines(*step.job, shifted->by_us());
    }
  }
  void flush(RowBatch& batch) override {
    questions_.flush(batch);
    approvals_.flush(batch);
  }

 private:
  void forget_inputs_of(const std::string& job) {
    questions_.erase_of_job(job);
    approvals_.erase_of_job(job);
  }
  void note_question(const JobStep& step, const schema::QuestionEvent& question) {
    const std::string_view id = input_of_event(step.event);
    take_fact(
        question,
        [&](const schema::QuestionAsked&) {
          opened(questions_.open(id, step.job->id, step.event.position()), step);
        },
        [&](const schema::QuestionAnswered&) { changed(questions_.close(id), step.event); },
        [&](const schema::QuestionTimedOut&) { changed(questions_.close(id), step.event); },
        [&](const schema::QuestionCancelled&) { changed(questions_.close(id), step.event); },
        [&](const schema::AnswerDelivered&) { changed(questions_.edit(id), step.event); },
        [&](const schema::QuestionReminded&) { changed(questions_.edit_open(id), step.event); });
  }
  void note_approval(const JobStep& step, const schema::ApprovalEvent& approval) {
    const std::string_view id = input_of_event(step.event);
    take_fact(
        approval,
        [&](const schema::ApprovalRequested&) {
          opened(approvals_.open(id, step.job->id, step.event.position()), step);
        },
        [&](const schema::ApprovalDecided&) { changed(approvals_.close(id), step.event); },
        [&](const schema::ApprovalCancelled&) { changed(approvals_.close(id), step.event); },
        [&](const schema::DecisionDelivered&) { changed(approvals_.edit(id), step.event); },
        [&](const schema::ApprovalReminded&) { changed(approvals_.edit_open(id), step.event); });
  }
  template <class Row>
  static void changed(Row* row, const schema::Event& event) {
    if (row) fold_input_row(*row, event);
  }
  template <class Row>
  static void opened(Row* row, const JobStep& step) {
    if (!row) return;
    row->project = step.job->project;
    row->agent = step.job->agent;
    fold_input_row(*row, step.event);
  }

  void shift_deadlines(const view::JobT& job, TimeUs by) {
    if (job.questions_open > 0) {
      questions_.edit_open_of_job(job.id, [by](view::QuestionT& row) {
        shift(row.deadline_us, by);
        shift(row.answer_by_us, by);
      });
    }
    if (job.approvals_open > 0) {
      approvals_.edit_open_of_job(job.id, [by](view::ApprovalT& row) {
        shift(row.deadline_us, by);
        shift(row.auto_after_us, by);
        shift(row.answer_by_us, by);
      });
    }
  }

  InputTable<view::Question> questions_;
  InputTable<view::Approval> approvals_;
};

}  // namespace

std::unique_ptr<JobReport> make_inputs_report(const ViewReaderSource& rows) {
  return std::make_unique<InputsReport>(rows);
}

std::string_view input_of_event(const schema::Event& event) {
  std::string_view id;
  if (const auto* question = event.payload_as_QuestionEvent()) {
    with_fact(*question, [&id](const auto& fact) { id = text(fact.question()); });
  } else if (const auto* approval = event.payload_as_ApprovalEvent()) {
    with_fact(*approval, [&id](const auto& fact) { id = text(fact.approval()); });
  }
  return id;
}

void fold_input_row(view::QuestionT& row, const schema::Event& event) {
  if (const auto* question = event.payload_as_QuestionEvent())
    with_fact(*question, [&](const auto& fact) { apply(row, fact, event); });
}

void fold_input_row(view::ApprovalT& row, const schema::Event& event) {
  if (const auto* approval = event.payload_as_ApprovalEvent())
    with_fact(*approval, [&](const auto& fact) { apply(row, fact, event); });
}

std::optional<view::QuestionT> find_question_row(const ViewReader& rows, std::string_view id) {
  return find_input_row<view::Question>(rows, kQuestionsView, id);
}

std::optional<view::ApprovalT> find_approval_row(const ViewReader& rows, std::string_view id) {
  return find_input_row<view::Approval>(rows, kApprovalsView, id);
}

}  // namespace luzia
