#include "tools/luzia-telegram/outcome.h"

#include "engine/event/event.h"
#include "projections/rows/row_bytes.h"
#include "view.fb.h"

namespace luzia {
namespace {

std::string by(std::string_view who) {
  return who.empty() ? std::string() : " by " + std::string(who);
}

std::optional<std::string> outcome_of(const view::Question& question) {
  switch (question.state()) {
    case view::QuestionState::open:
      return std::nullopt;
    case view::QuestionState::answered: {
      const std::string answer = "✅ " + std::string(text(question.answer()));
      if (question.by_default()) return answer + "\nnobody answered in time: the default";
      return answer + "\nanswered" + by(text(question.answered_by()));
    }
    case view::QuestionState::timed_out:
      return "⌛ nobody answered in time";
    case view::QuestionState::cancelled:
      return "taken back: " + std::string(text(question.reason()));
  }
  return std::nullopt;
}

std::optional<std::string> outcome_of(const view::Approval& approval) {
  switch (approval.state()) {
    case view::QuestionState::open:
      return std::nullopt;
    case view::QuestionState::answered:
      return (approval.decision() == schema::Decision::approved ? "✅ approved" : "❌ denied") +
             by(approval.policy() != nullptr && approval.policy()->size() > 0 ? text(approval.policy())
                                                                              : text(approval.decided_by()));
    case view::QuestionState::timed_out:
      return "⌛ denied: nobody decided in time";
    case view::QuestionState::cancelled:
      return "taken back";
  }
  return std::nullopt;
}

template <class Row>
std::optional<std::string> outcome_of_row(const wire::Row& row) {
  if (row.data() == nullptr) return std::nullopt;
  const Row* verified = verified_row<Row>({row.data()->data(), row.data()->size()});
  return verified == nullptr ? std::nullopt : outcome_of(*verified);
}

}  // namespace

std::optional<std::string> outcome_in(const wire::ServerFrame& frame) {
  if (const auto* refused = frame.reply_as_Refused()) {
    const auto kind = static_cast<ErrorKind>(refused->exit_code());
    if (kind == ErrorKind::not_found) return "it is not known any more";
    return std::nullopt;
  }
  const auto* rows = frame.reply_as_Rows();
  if (rows == nullptr || rows->rows() == nullptr || rows->rows()->size() == 0) return std::nullopt;
  const wire::Row& row = *rows->rows()->Get(0);
  if (rows->type() == wire::RowType::approval) return outcome_of_row<view::Approval>(row);
  return rows->type() == wire::RowType::question ? outcome_of_row<view::Question>(row) : std::nullopt;
}

}  // namespace luzia
