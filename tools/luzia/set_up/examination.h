// What luzia doctor finds, and what it looks at. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/places.h"
#include "protocol.fb.h"
#include "tools/cli/invocation.h"

namespace luzia {

using Verdict = wire::FactState;

struct Finding {
  Verdict verdict;
  std::string what;
  std::string fix;
};

class Examination {
 public:
  /// What is good has no fix.
  void add(Verdict verdict, std::string what, std::string fix) {
    if (verdict == Verdict::good) fix.clear();
    findings_.push_back({verdict, std::move(what), std::move(fix)});
  }
  void good(std::string what) { add(Verdict::good, std::move(what), {}); }
  void warning(std::string what, std::string fix) { add(Verdict::warning, std::move(what), std::move(fix)); }
  void bad(std::string what, std::string fix) { add(Verdict::bad, std::move(what), std::move(fix)); }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

/// The agents, projects and notification channels of the configuration.
void examine_config(Examination& examination, const Config& config);
/// The store and what lies beside it.
void examine_place(Examination& examination, Invocation& invocation, const Place& place);
/// The daemon, if it runs: its version, and what it says of itself, of pauses and of schedules.
void examine_daemon(Examination& examination, Invocation& invocation);

}  // namespace luzia
