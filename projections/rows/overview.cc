#include "projections/rows/overview.h"

#include <algorithm>

#include "engine/base/try.h"
#include "projections/rows/overview_parts.h"

namespace luzia {
namespace {

const RowPage* find_part(const RowPage& page, wire::RowType type) {
  const auto part = std::ranges::find(page.parts, type, &RowPage::type);
  return part == page.parts.end() ? nullptr : &*part;
}

/// A part that the filter leaves out has no rows.
template <class Row>
Result<std::vector<const Row*>> rows_of_part(const RowPage& page, wire::RowType type) {
  const RowPage* part = find_part(page, type);
  return part == nullptr ? Result<std::vector<const Row*>>(std::vector<const Row*>()) : rows_of<Row>(*part);
}

Status take_notes(Overview& overview) {
  const RowPage& page = overview.page;
  StatusNotes& notes = overview.notes;
  notes.pauses = LUZIA_TRY(rows_of_part<view::QueueSwitch>(page, wire::RowType::queue_switch));
  notes.alerts = LUZIA_TRY(rows_of_part<view::Alert>(page, wire::RowType::alert));
  notes.questions = LUZIA_TRY(rows_of_part<view::Question>(page, wire::RowType::question));
  notes.approvals = LUZIA_TRY(rows_of_part<view::Approval>(page, wire::RowType::approval));
  const auto flows = LUZIA_TRY(rows_of_part<view::Flow>(page, wire::RowType::flow));
  notes.manual_steps = manual_steps_of(flows);
  const auto entries = LUZIA_TRY(rows_of_part<view::QueueEntry>(page, wire::RowType::queue_entry));
  notes.queue = by_job(entries);
  const auto recent = LUZIA_TRY(rows_of_part<view::OutcomeDay>(page, wire::RowType::outcome_day));
  if (!recent.empty()) {
    notes.recent = recent.front();
    notes.recent_is_cut = !find_part(page, wire::RowType::outcome_day)->next.empty();
  }
  return {};
}

}  // namespace

Result<Overview> overview_of(RowPage page, const wire::QueryT& query) {
  Overview overview;
  overview.page = std::move(page);
  overview.jobs = LUZIA_TRY(rows_of<view::Job>(overview.page));
  LUZIA_TRY(take_notes(overview));
  const bool shows_ended = query.filter == nullptr || query.filter->ended;
  const bool all_named =
      !names_some(group_by_attention(overview.jobs, 0), shows_ended ? query.limit : kNoneEnded);
  if (all_named || (query.filter && !is_countable(*query.filter))) return overview;
  overview.totals = LUZIA_TRY(rows_of_part<view::ProjectTotals>(overview.page, wire::RowType::totals));
  overview.totals_missing = find_part(overview.page, wire::RowType::totals) == nullptr;
  return overview;
}

}  // namespace luzia
