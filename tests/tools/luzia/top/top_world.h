// A machine with jobs in every group, as luzia top sees it. For its tests.
#pragma once

#include <deque>
#include <memory>

#include "tools/luzia/top/model.h"

namespace luzia {

constexpr TimeUs kTopNow = 1'800'000'000 * kSecondUs;

class TopWorld {
 public:
  void add(const view::JobT& job) { snapshot_->jobs.push_back(row(job)); }
  void add(const view::QuestionT& question) { snapshot_->notes.questions.push_back(row(question)); }
  void add(const view::ApprovalT& approval) { snapshot_->notes.approvals.push_back(row(approval)); }
  void add(const view::AlertT& alert) { snapshot_->notes.alerts.push_back(row(alert)); }
  void count(std::uint64_t queued, std::uint64_t ended = 0) {
    view::ProjectTotalsT totals;
    totals.queued = queued;
    totals.completed = ended;
    snapshot_->totals = {row(totals)};
  }
  /// The rows live as long as this world.
  std::shared_ptr<const TopSnapshot> snapshot() const { return snapshot_; }

  /// Jobs aaaa (waiting), bbbb (running), cccc (queued), dddd (failed).
  static TopWorld usual();

 private:
  template <class Native>
  const typename Native::TableType* row(const Native& native) {
    auto& builder = builders_.emplace_back(std::make_unique<flatbuffers::FlatBufferBuilder>());
    builder->Finish(Native::TableType::Pack(*builder, &native));
    return flatbuffers::GetRoot<typename Native::TableType>(builder->GetBufferPointer());
  }

  std::deque<std::unique_ptr<flatbuffers::FlatBufferBuilder>> builders_;
  std::shared_ptr<TopSnapshot> snapshot_ = std::make_shared<TopSnapshot>();
};

view::JobT top_job(const std::string& id, schema::JobState state);
view::QuestionT top_question(const std::string& job, std::vector<std::string> options);
view::ApprovalT top_approval(const std::string& job, const std::string& gate);
/// Of the flow f-1.
view::ApprovalT top_flow_gate(const std::string& step, const std::string& gate);

}  // namespace luzia
