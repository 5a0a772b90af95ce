// The rows of luzia top: jobs, and steps of flows that wait for a person, as the daemon last told them. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/read/overview.h"

namespace luzia {

/// The id of the row that shows it: its job, or FLOW/STEP for a step of a flow without a job.
std::string_view row_id_of(const view::Question& question);
std::string_view row_id_of(const view::Approval& approval);
/// Whether a row is no job but a step of a flow that waits for a person, at its gate or to be done.
bool is_flow_step(const view::Job& row);

/// Jobs, and steps of flows that wait for a person, that match the filter, as they are shown.
struct TopGroup {
  std::string_view title;
  Colour colour = Colour::none;
  std::vector<const view::Job*> jobs;
  std::uint64_t total = 0;
  std::string count;             // for its heading
  std::string hint;              // where to see the others; empty: none are left out
  std::string_view reason = {};  // why all of them wait, if it is the same for all; not made harmless
};

/// What a row wants from a person; nullptr: not that.
struct TopNeeds {
  const view::Question* question = nullptr;  // the oldest open one
  const view::Approval* approval = nullptr;  // the oldest open one
  const ManualStep* step = nullptr;          // a person does this step
  bool any() const { return question != nullptr || approval != nullptr || step != nullptr; }
};

/// Pointers to rows are valid until the next take().
class TopRows {
 public:
  using Jobs = std::vector<const view::Job*>;

  void take(std::shared_ptr<const Overview> seen, TimeUs now);
  /// Nothing was taken yet.
  bool is_empty() const { return seen_ == nullptr; }
  const StatusNotes& notes() const;
  /// nullptr: there is no such row.
  const view::Job* find(std::string_view id) const;
  TopNeeds needs_of(const view::Job& row) const;
  /// Whether the question or approval with this id is open.
  bool is_open(const std::string& prompt) const;
  /// The rows that match the filter. A long queue leaves room for what has ended, unless it is unfolded.
  std::vector<TopGroup> shown(const std::string& filter, bool unfolded) const;

 private:
  Jobs everything() const;

  std::shared_ptr<const Overview> seen_;
  std::shared_ptr<const std::vector<std::string>> steps_;  // rows of flows' steps, encoded
  TimeUs now_ = 0;
};

}  // namespace luzia
