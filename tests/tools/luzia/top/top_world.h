// A machine with jobs in every group, as `luzia top` sees it.
#pragma once

#include <deque>
#include <memory>

#include "tools/luzia/look/top/model.h"

namespace luzia {

constexpr TimeUs kTopNow = 1'800'000'000 * kSecondUs;

class TopWorld {
 public:
  void add(const view::JobT& job) { kept_->overview.jobs.push_back(row(job)); }
  void add(const view::QuestionT& question) { kept_->overview.notes.questions.push_back(row(question)); }
  void add(const view::ApprovalT& approval) { kept_->overview.notes.approvals.push_back(row(approval)); }
  void add(const ManualStep& step) { kept_->overview.notes.manual_steps.push_back(step); }
  void add(const view::AlertT& alert) { kept_->overview.notes.alerts.push_back(row(alert)); }
  void add(const view::OutcomeDayT& recent) { kept_->overview.notes.recent = row(recent); }
  void count(std::uint64_t queued, std::uint64_t ended = 0) {
    view::ProjectTotalsT totals;
    totals.queued = queued;
    totals.completed = ended;
    kept_->overview.totals = {row(totals)};
  }
  /// The rows live as long as any of the snapshots.
  std::shared_ptr<const Overview> snapshot() const { return {kept_, &kept_->overview}; }

  /// Jobs aaaa (waiting), bbbb (running), cccc (queued), dddd (failed).
  static TopWorld usual();

 private:
  template <class Native>
  const typename Native::TableType* row(const Native& native) {
    auto& builder = kept_->builders.emplace_back(std::make_unique<flatbuffers::FlatBufferBuilder>());
    builder->Finish(Native::TableType::Pack(*builder, &native));
    return flatbuffers::GetRoot<typename Native::TableType>(builder->GetBufferPointer());
  }

  struct Kept {
    std::deque<std::unique_ptr<flatbuffers::FlatBufferBuilder>> builders;
    Overview overview;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

view::JobT top_job(const std::string& id, schema::JobState state);
view::QuestionT top_question(const std::string& job, std::vector<std::string> options);
view::ApprovalT top_approval(const std::string& job, const std::string& gate);
/// An approval for a gate of the flow f-1.
view::ApprovalT top_flow_gate(const std::string& step, const std::string& gate);

}  // namespace luzia
