// The rules for flows that the log must keep:
//
// - No two jobs work on one step at a time.
// - No step starts before its dependencies are done.
// - A flow that has ended dispatches nothing.
// - The steps of a flow show what its jobs did.
// - A removed flow had ended, does not change until it is reopened, and keeps its row and its jobs.
#pragma once

#include <map>
#include <string>

#include "engine/flow/flow.h"
#include "engine/job/job.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

namespace luzia::test {

class FlowRules {
 public:
  /// Returns a description of the broken rule, or an empty string. `jobs`: folded from their streams up to
  /// this event.
  std::string take(const schema::Event& event, const std::map<std::string, JobState>& jobs);
  /// At the end: checks that no running flow has a step left that it should have dispatched.
  std::string check_ends(TimeUs now) const;
  /// Checks the rows at the end of `log`: which flows the lists contain, and what is left of removed ones.
  std::string check_rows(const ViewReader& rows, const EventLog& log) const;
  const std::map<std::string, Flow>& flows() const { return flows_; }
  /// How many times a flow was removed.
  std::uint64_t removals() const { return removals_; }

 private:
  std::map<std::string, Flow> flows_;
  std::uint64_t removals_ = 0;
};

}  // namespace luzia::test
