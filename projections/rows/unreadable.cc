#include "projections/rows/unreadable.h"

#include <algorithm>

#include "engine/base/counted.h"
#include "engine/event/event.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

constexpr std::string_view kUnreadable = "(unreadable)";
constexpr std::string_view kUnreadableToo = "(unreadable!)";

bool has_unreadable(const view::Job& job) {
  const auto is_lost = [](const auto* told) { return is_unreadable(text(told->text()), told->text_ref()); };
  return text(job.task_error()) == kTaskUnreadable ||
         is_unreadable(text(job.message()), job.message_text()) ||
         (job.told() != nullptr && std::ranges::any_of(*job.told(), is_lost));
}

bool has_unreadable(const view::Question& row) {
  return is_unreadable(text(row.question()), row.text()) ||
         is_unreadable(text(row.answer()), row.answer_text());
}

bool has_unreadable(const view::Approval& row) {
  return is_unreadable(text(row.description()), row.description_text()) ||
         is_unreadable(text(row.tool_input()), row.input_text());
}

bool has_unreadable(const view::Solution& row) {
  return is_unreadable(text(row.text()), row.body());
}

bool has_unreadable(const view::Flow& row) {
  if (row.steps() == nullptr) return false;
  return std::ranges::any_of(*row.steps(), [](const view::FlowStep* step) {
    return is_unreadable(text(step->output()), step->output_text());
  });
}

template <class Row>
bool has_unreadable_row(Bytes bytes) {
  const Row* row = verified_row<Row>(bytes);
  return row != nullptr && has_unreadable(*row);
}

}  // namespace

std::string shown_task(const view::Job& job) {
  const std::string_view error = text(job.task_error());
  if (error.empty()) return std::string(text(job.task()));
  return "(unreadable: " + std::string(error) + ")";
}

std::string unreadable_words(std::uint64_t size) {
  return std::string(size == kUnreadable.size() ? kUnreadableToo : kUnreadable);
}

bool is_unreadable(std::string_view shown, std::uint64_t size) {
  return shown.size() != size && shown == unreadable_words(size);
}

bool is_unreadable(std::string_view shown, const schema::BlobRef* text) {
  return text != nullptr && is_unreadable(shown, text->size());
}

bool has_unreadable_text(wire::RowType type, Bytes row) {
  if (type == wire::RowType::job) return has_unreadable_row<view::Job>(row);
  if (type == wire::RowType::flow) return has_unreadable_row<view::Flow>(row);
  if (type == wire::RowType::solution) return has_unreadable_row<view::Solution>(row);
  if (type == wire::RowType::question) return has_unreadable_row<view::Question>(row);
  return type == wire::RowType::approval && has_unreadable_row<view::Approval>(row);
}

Error unreadable_rows(std::uint64_t rows) {
  return {ErrorKind::trouble, std::string(kTextUnreadable),
          "what " + counted(rows, "row") + " should show cannot be read",
          "luzia-query verify shows what is damaged; restore the store from a backup, or save what can be "
          "proved of "
          "it: `luzia-query salvage DIR`"};
}

}  // namespace luzia
