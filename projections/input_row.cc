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
  if (question.fact_as_QuestionAsked()) ++row.questions_open;
  if (question.fact_as_QuestionAnswered() || question.fact_as_QuestionTimedOut() ||
      question.fact_as_QuestionCancelled()) {
    one_less(row.questions_open);
  }
}

void fold_approval(view::JobT& row, const schema::ApprovalEvent& approval) {
  if (approval.fact_as_ApprovalRequested()) ++row.approvals_open;
  if (approval.fact_as_ApprovalDecided() || approval.fact_as_ApprovalCancelled()) {
    one_less(row.approvals_open);
  }
}

void fold_workspace(view::JobT& row, const schema::Event& event, const schema::WorkspaceEvent& workspace) {
  if (const auto* taken = workspace.fact_as_SnapshotTaken()) {
    if (taken->attempt() >= row.attempt) row.snapshot = text(taken->commit());
  } else if (const auto* made = workspace.fact_as_WorktreeMade()) {
    row.worktree = text(made->path());
  } else if (const auto* removed = workspace.fact_as_WorktreeRemoved()) {
    if (text(removed->path()) == row.worktree) row.worktree.clear();
  } else if (workspace.fact_as_FilesContended()) {
    ++row.warnings;
    row.last_warning = bounded_utf8(event_text(event), kWarningBytes);
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
