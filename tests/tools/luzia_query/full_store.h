// The small store plus one of everything else that is exported: usage, tools, a question, an approval, issues
// and a flow. Some texts need escaping.
#pragma once

#include "tests/projections/input_events.h"
#include "tests/tools/luzia_query/small_store.h"

namespace luzia::test {

inline const std::string kTricky = "0abf000000005";  // web, claude: failed
inline const std::string kTrickyTask = "=cmd|' /C calc'!A0, \"quoted\"\nand a second line \x01 caf\xC3\xA9";

class FullStore {
 public:
  FullStore() {
    const auto log = store_.open_log();
    LogWriter writer(*log);
    writer.now = time_at(kLast);
    const auto write = [&](NewEvent event) { writer.write(kSecondUs, std::move(event)); };
    write(queued(kTricky, "web", "claude", kTrickyTask));
    write(starting(kTricky));
    write(started(kTricky));
    write(tool<schema::ToolCalledT>([](auto& call) { call.tool = "Bash"; }));
    write(tool<schema::ToolReturnedT>([](auto& call) { call.duration_us = 250'000; }));
    write(usage());
    write(issue());
    write(asked(kTricky, "q-1", "Deploy where?", {"production", "staging"}, "staging"));
    write(waiting(kTricky, 1));
    write(answered(kTricky, "q-1", "staging"));
    write(continued(kTricky));
    write(requested(kTricky, "a-1", "deploy", "Drops a column"));
    write(decided(kTricky, "a-1", schema::Decision::denied, {}, "not today"));
    write(attempt_ended(kTricky, 2, writer.now, 10 * kSecondUs));
    write(ended(kTricky, schema::JobState::failed));
    write(flow_event(created()));
    schema::StepStartedT begun;
    begun.step = "build";
    begun.job = kTricky;
    write(flow_event(std::move(begun)));
    schema::StepEndedT step;
    step.step = "build";
    step.state = schema::StepState::failed;
    step.error = "exit code 2";
    write(flow_event(std::move(step)));
  }
  const SmallStore& store() const { return store_; }

 private:
  template <class Fact, class Fill>
  static NewEvent tool(Fill fill) {
    Fact fact;
    fact.attempt = 1;
    fact.call_id = "a";
    fill(fact);
    return job_event(kTricky, std::move(fact));
  }
  static NewEvent usage() {
    schema::UsageReportedT fact;
    fact.attempt = 1;
    fact.model = "large";
    fact.input_tokens = 7;
    fact.output_tokens = 40;
    fact.cost_usd = 0.25;
    return job_event(kTricky, std::move(fact));
  }
  static NewEvent issue() {
    schema::IssueDetectedT fact;
    fact.attempt = 1;
    fact.pattern = "python_module";
    fact.severity = schema::Severity::error;
    fact.fingerprint = "f1";
    fact.line_no = 7;
    fact.line = "No module named 'x'";
    fact.fix = "pip install x";
    return job_event(kTricky, std::move(fact));
  }
  static schema::FlowCreatedT created() {
    schema::FlowCreatedT fact;
    fact.flow = "f-1";
    fact.project = "web";
    fact.description = "Release";
    for (const char* name : {"build", "ship"}) {
      fact.steps.push_back(std::make_unique<schema::FlowStepT>());
      fact.steps.back()->name = name;
    }
    fact.steps.back()->needs = {"build"};
    return fact;
  }
  SmallStore store_;
};

}  // namespace luzia::test
