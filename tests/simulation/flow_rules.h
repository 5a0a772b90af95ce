// The rules that the log must keep about flows: no step is done by two jobs at once, none begins before what
// it needs, nothing is handed over by a flow that has ended; and what a flow's jobs did is what its steps
// say.
#pragma once

#include <map>
#include <string>

#include "engine/flow/flow.h"
#include "engine/job/job.h"

namespace luzia::test {

class FlowRules {
 public:
  /// The broken rule in words, or empty. `jobs`: as their streams make them, up to this event.
  std::string take(const schema::Event& event, const std::map<std::string, JobState>& jobs);
  /// At the end: a flow that runs has nothing left that it should have handed over.
  std::string check_ends(TimeUs now) const;
  const std::map<std::string, Flow>& flows() const { return flows_; }

 private:
  std::map<std::string, Flow> flows_;
};

}  // namespace luzia::test
