#include "projections/inputs.h"

#include <algorithm>

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
void begin(Row& row, const Fact& fact, const JobStep& step) {
  row.project = step.job->project;
  row.agent = step.job->agent;
  row.attempt = fact.attempt();
  row.asked_us = step.event.time_us();
  row.deadline_us = fact.deadline_us();
  row.answer_by_us = fact.answer_by_us();
  row.priority = fact.priority();
  row.source = text(fact.source());
}

template <class Row, class Fact>
void deliver(Row* row, const Fact& fact, TimeUs time) {
  if (!row) return;
  row->delivered_us = time;
  row->channel = text(fact.channel());
}

template <class Row, class Fact>
void cancel(Row* row, const Fact& fact) {
  if (!row) return;
  row->state = view::QuestionState::cancelled;
  row->reason = text(fact.reason());
}

class InputsReport : public JobReport {
 public:
  explicit InputsReport(const ViewReaderSource& rows)
      : questions_(kQuestionsView, rows), approvals_(kApprovalsView, rows) {}
  const ProjectionInfo& info() const override { return kQuestionsView; }
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
    using schema::QuestionFact;
    switch (question.fact_type()) {
      case QuestionFact::NONE:
        return;
      case QuestionFact::QuestionAsked:
        return asked(step, *question.fact_as_QuestionAsked());
      case QuestionFact::QuestionAnswered:
        return answered(*question.fact_as_QuestionAnswered(), step.event);
      case QuestionFact::QuestionTimedOut: {
        const auto& fact = *question.fact_as_QuestionTimedOut();
        if (auto* row = questions_.close(text(fact.question()))) row->state = view::QuestionState::timed_out;
        return;
      }
      case QuestionFact::QuestionCancelled: {
        const auto& fact = *question.fact_as_QuestionCancelled();
        return cancel(questions_.close(text(fact.question())), fact);
      }
      case QuestionFact::AnswerDelivered: {
        const auto& fact = *question.fact_as_AnswerDelivered();
        return deliver(questions_.edit(text(fact.question())), fact, step.event.time_us());
      }
      case QuestionFact::QuestionReminded: {
        const auto& fact = *question.fact_as_QuestionReminded();
        if (auto* row = questions_.edit_open(text(fact.question()))) row->reminded = fact.count();
        return;
      }
    }
  }
  void asked(const JobStep& step, const schema::QuestionAsked& fact) {
    auto* row = questions_.open(text(fact.question()), step.job->id, step.event.position());
    if (!row) return;
    begin(*row, fact, step);
    row->type = fact.type();
    row->text = place_of(fact.text());
    row->default_answer = text(fact.default_answer());
    if (!fact.options()) return;
    for (const auto* option : *fact.options()) row->options.push_back(option->str());
  }
  void answered(const schema::QuestionAnswered& fact, const schema::Event& event) {
    auto* row = questions_.close(text(fact.question()));
    if (!row) return;
    row->state = view::QuestionState::answered;
    row->answered_us = event.time_us();
    row->answer_position = event.position();
    row->answer_text = place_of(fact.answer());
    row->by_default = fact.by_default();
    row->answered_by = fact.by_default() ? std::string(kAnsweredByDefault) : actor_text(event);
    if (fact.by_default()) row->answer = row->default_answer;
  }

  void note_approval(const JobStep& step, const schema::ApprovalEvent& approval) {
    using schema::ApprovalFact;
    switch (approval.fact_type()) {
      case ApprovalFact::NONE:
        return;
      case ApprovalFact::ApprovalRequested:
        return requested(step, *approval.fact_as_ApprovalRequested());
      case ApprovalFact::ApprovalDecided:
        return decided(*approval.fact_as_ApprovalDecided(), step.event);
      case ApprovalFact::ApprovalCancelled: {
        const auto& fact = *approval.fact_as_ApprovalCancelled();
        return cancel(approvals_.close(text(fact.approval())), fact);
      }
      case ApprovalFact::DecisionDelivered: {
        const auto& fact = *approval.fact_as_DecisionDelivered();
        return deliver(approvals_.edit(text(fact.approval())), fact, step.event.time_us());
      }
      case ApprovalFact::ApprovalReminded: {
        const auto& fact = *approval.fact_as_ApprovalReminded();
        if (auto* row = approvals_.edit_open(text(fact.approval()))) row->reminded = fact.count();
        return;
      }
    }
  }
  void requested(const JobStep& step, const schema::ApprovalRequested& fact) {
    auto* row = approvals_.open(text(fact.approval()), step.job->id, step.event.position());
    if (!row) return;
    begin(*row, fact, step);
    row->gate = text(fact.gate());
    row->tool = text(fact.tool());
    row->rule = text(fact.rule());
    row->auto_after_us = fact.auto_after_us();
    row->description_text = place_of(fact.description());
    row->input_text = place_of(fact.tool_input());
  }
  /// A decision by a policy has no person's name.
  void decided(const schema::ApprovalDecided& fact, const schema::Event& event) {
    auto* row = approvals_.close(text(fact.approval()));
    if (!row) return;
    const bool expired = fact.decision() == schema::Decision::expired;
    row->state = expired ? view::QuestionState::timed_out : view::QuestionState::answered;
    row->decision = fact.decision();
    row->policy = text(fact.policy());
    row->note = text(fact.note());
    row->remember = fact.remember();
    row->decided_us = event.time_us();
    if (row->policy.empty() && !expired) row->decided_by = actor_text(event);
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

std::optional<view::QuestionT> find_question_row(const ViewReader& rows, std::string_view id) {
  return find_input_row<view::Question>(rows, kQuestionsView, id);
}

std::optional<view::ApprovalT> find_approval_row(const ViewReader& rows, std::string_view id) {
  return find_input_row<view::Approval>(rows, kApprovalsView, id);
}

}  // namespace luzia
