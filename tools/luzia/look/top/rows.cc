#include "tools/luzia/look/top/rows.h"

#include <algorithm>
#include <limits>
#include <map>

#include "engine/base/counted.h"
#include "engine/base/lower_case.h"
#include "engine/flow/flow.h"
#include "projections/rows/names.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

constexpr std::size_t kQueuedShown = 5;

bool fits(const view::Job& job, const std::string& wanted) {
  if (wanted.empty()) return true;
  for (const std::string_view words : {text(job.id()), text(job.project()), text(job.agent()),
                                       text(job.task()), text(job.last_line()), state_name(job.state())}) {
    if (lower_case(words).find(wanted) != std::string::npos) return true;
  }
  return false;
}

/// A step that waits at its gate, in the form of a job.
std::string gate_row(const view::Approval& approval) {
  view::JobT row;
  row.id = text(approval.id());
  row.project = text(approval.project());
  row.agent = text(approval.agent());
  row.task = text(approval.description());
  row.state = schema::JobState::waiting;
  row.approvals_open = 1;
  row.queued_us = row.started_us = approval.asked_us();
  return row_bytes(row);
}

/// A step that people are to do, in the form of a job.
std::string manual_row(const ManualStep& step) {
  view::JobT row;
  row.id = name_of(step);
  row.project = step.project;
  row.task = step.description;
  row.state = schema::JobState::waiting;
  row.queued_us = row.started_us = step.since_us;
  return row_bytes(row);
}

/// Of the rows of one job the one that was asked first, also where an older daemon lists the newest first.
template <class Row>
const Row* oldest_of(const std::vector<const Row*>& rows, const view::Job& job) {
  const Row* oldest = nullptr;
  for (const Row* row : rows) {
    if (row->state() != view::QuestionState::open) continue;
    const bool earlier = oldest == nullptr || row->position() < oldest->position();
    if (earlier && row_id_of(*row) == text(job.id())) oldest = row;
  }
  return oldest;
}

/// Who has waited longest for a person comes first, as in luzia status; rows of which no request is known,
/// last.
void sort_by_wait(std::vector<const view::Job*>& rows, const StatusNotes& notes) {
  std::map<std::string, TimeUs, std::less<>> since;
  const auto note = [&since](const auto& row) {
    const auto [known, is_first] = since.try_emplace(std::string(row_id_of(row)), row.asked_us());
    if (!is_first) known->second = std::min(known->second, row.asked_us());
  };
  for (const view::Question* question : notes.questions) note(*question);
  for (const view::Approval* approval : notes.approvals) note(*approval);
  for (const ManualStep& step : notes.manual_steps) since.try_emplace(name_of(step), step.since_us);
  std::ranges::stable_sort(rows, {}, [&since](const view::Job* row) {
    const auto known = since.find(text(row->id()));
    return known == since.end() ? std::numeric_limits<TimeUs>::max() : known->second;
  });
}

}  // namespace

std::string_view row_id_of(const view::Question& question) {
  return text(question.job());
}

std::string_view row_id_of(const view::Approval& approval) {
  return text(approval.job()).empty() ? text(approval.id()) : text(approval.job());
}

bool is_flow_step(const view::Job& row) {
  return split_flow_step(text(row.id())).has_value();
}

const StatusNotes& TopRows::notes() const {
  static const StatusNotes kNothing;
  return seen_ == nullptr ? kNothing : seen_->notes;
}

void TopRows::take(std::shared_ptr<const Overview> seen, TimeUs now) {
  std::vector<std::string> steps;
  for (const view::Approval* approval : seen->notes.approvals) {
    const bool open = approval->state() == view::QuestionState::open;
    if (open && text(approval->job()).empty()) steps.push_back(gate_row(*approval));
  }
  for (const ManualStep& step : seen->notes.manual_steps) {
    // Two answers, and a gate may have been opened between them: then its row is enough.
    const auto same = [&](const auto* gate) { return text(gate->id()) == name_of(step); };
    if (std::ranges::none_of(seen->notes.approvals, same)) steps.push_back(manual_row(step));
  }
  steps_ = std::make_shared<const std::vector<std::string>>(std::move(steps));
  seen_ = std::move(seen);
  now_ = now;
}

TopRows::Jobs TopRows::everything() const {
  if (seen_ == nullptr) return {};
  Jobs all = seen_->jobs;
  for (const std::string& step : *steps_) all.push_back(flatbuffers::GetRoot<view::Job>(step.data()));
  return all;
}

const view::Job* TopRows::find(std::string_view id) const {
  const auto all = everything();
  const auto found = std::ranges::find_if(all, [&](const auto* job) { return text(job->id()) == id; });
  return found == all.end() ? nullptr : *found;
}

TopNeeds TopRows::needs_of(const view::Job& row) const {
  const auto step = std::ranges::find(notes().manual_steps, text(row.id()), name_of);
  return {oldest_of(notes().questions, row), oldest_of(notes().approvals, row),
          step == notes().manual_steps.end() ? nullptr : &*step};
}

bool TopRows::is_open(const std::string& prompt) const {
  const auto is_it = [&prompt](const auto* row) {
    return row->state() == view::QuestionState::open && text(row->id()) == prompt;
  };
  return std::ranges::any_of(notes().questions, is_it) || std::ranges::any_of(notes().approvals, is_it);
}

std::vector<TopGroup> TopRows::shown(const std::string& filter, bool unfolded) const {
  std::vector<TopGroup> groups;
  if (seen_ == nullptr) return groups;
  const std::string wanted = lower_case(filter);
  auto all_groups = group_by_attention(everything(), now_);
  count_all(all_groups, seen_->totals, true);
  sort_by_wait(all_groups.front().jobs, notes());
  for (AttentionGroup& of : shown_groups(std::move(all_groups), notes())) {
    if (of.key == "queued" && wanted.empty() && !unfolded) {
      std::ranges::stable_partition(
          of.jobs, [](const view::Job* job) { return job->questions_open() + job->approvals_open() > 0; });
      of.jobs.resize(std::min(of.jobs.size(), kQueuedShown));
    }
    TopGroup group{of.title, of.colour, {}, 0, {}, {}, common_reason(of, notes().queue)};
    for (const view::Job* job : of.jobs) {
      if (fits(*job, wanted)) group.jobs.push_back(job);
    }
    group.hint = others_hint(of);
    if (wanted.empty()) {
      group.total = of.total;
      group.count = group_count(of);
    } else {
      // How many of those that are not named fit the filter is not known.
      group.total = group.jobs.size();
      group.count = grouped(group.total);
      if (!group.hint.empty()) group.count += " of the first " + grouped(of.jobs.size());
    }
    if (!group.jobs.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace luzia
