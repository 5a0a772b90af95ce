#include "projections/input_row.h"

#include "engine/base/utf8.h"
#include "projections/rows/event_text.h"

namespace luzia {
namespace {

constexpr std::size_t kWarningBytes = 400;

void one_less(std::uint32_t& count) {
  if (count > 0) --count;
}

void fold_question(view::JobT& row, const schema::QuestionEvent& question) {
  using schema::QuestionFact;
  switch (question.fact_type()) {
    case QuestionFact::QuestionAsked:
      ++row.questions_open;
      return;
    case QuestionFact::QuestionAnswered:
    case QuestionFact::QuestionTimedOut:
    case QuestionFact::QuestionCancelled:
      return one_less(row.questions_open);
    case QuestionFact::NONE:
    case QuestionFact::AnswerDelivered:
    case QuestionFact::QuestionReminded:
      return;
  }
}

void fold_approval(view::JobT& row, const schema::ApprovalEvent& approval) {
  using schema::ApprovalFact;
  switch (approval.fact_type()) {
    case ApprovalFact::ApprovalRequested:
      ++row.approvals_open;
      return;
    case ApprovalFact::ApprovalDecided:
    case ApprovalFact::ApprovalCancelled:
      return one_less(row.approvals_open);
    case ApprovalFact::NONE:
    case ApprovalFact::DecisionDelivered:
    case ApprovalFact::ApprovalReminded:
      return;
  }
}

void fold_workspace(view::JobT& row, const schema::Event& event, const schema::WorkspaceEvent& workspace) {
  using schema::WorkspaceFact;
  switch (workspace.fact_type()) {
    case WorkspaceFact::SnapshotTaken: {
      const auto& fact = *workspace.fact_as_SnapshotTaken();
      if (fact.attempt() >= row.attempt) row.snapshot = text(fact.commit());
      return;
    }
    case WorkspaceFact::WorktreeMade:
      row.worktree = text(workspace.fact_as_WorktreeMade()->path());
      return;
    case WorkspaceFact::WorktreeRemoved:
      if (text(workspace.fact_as_WorktreeRemoved()->path()) == row.worktree) row.worktree.clear();
      return;
    case WorkspaceFact::NONE:
    case WorkspaceFact::SnapshotFailed:
    case WorkspaceFact::FilesRestored:
    case WorkspaceFact::FilesSeenChanged:
      return;
    case WorkspaceFact::FilesContended:
      ++row.warnings;
      row.last_warning = bounded_utf8(event_text(event), kWarningBytes);
      return;
  }
}

}  // namespace

void fold_input(view::JobT& row, const schema::Event& event) {
  if (const auto* question = event.payload_as_QuestionEvent()) {
    fold_question(row, *question);
  } else if (const auto* approval = event.payload_as_ApprovalEvent()) {
    fold_approval(row, *approval);
  } else if (const auto* workspace = event.payload_as_WorkspaceEvent()) {
    fold_workspace(row, event, *workspace);
  }
}

}  // namespace luzia
