// The rules that the log must keep about flows: no step is done by two jobs at once, none begins before what
// it needs, nothing is handed over by a flow that has ended; what a flow's jobs did is what its steps say;
// and a flow that was removed had ended, is left alone until it is reopened, and keeps its row and its jobs.
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
  /// The broken rule in words, or empty. `jobs`: as their streams make them, up to this event.
  std::string take(const schema::Event& event, const std::map<std::string, JobState>& jobs);
  /// At the end: a flow that runs has nothing left that it should have handed over.
  std::string check_ends(TimeUs now) const;
  /// Of rows at the end of `log`: which flows lists name, and what is left of those that were removed.
  std::string check_rows(const ViewReader& rows, const EventLog& log) const;
  const std::map<std::string, Flow>& flows() const { return flows_; }
  /// How often a flow was removed.
  std::uint64_t removals() const { return removals_; }

 private:
  std::map<std::string, Flow> flows_;
  std::uint64_t removals_ = 0;
};

}  // namespace luzia::test
