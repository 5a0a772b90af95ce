// Escalates a question or approval that nobody has answered for a part of the time until its deadline
// (engine/hook/escalation.h). Each step is an event of the job, a reminder that names the next channel, and
// the hook of that name is notified as of any other event. The command id is made of request and name, so
// that a later daemon does not repeat a step. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "adapters/config/config.h"
#include "engine/core/engine.h"
#include "engine/hook/escalation.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class Escalations final : public Follower {
 public:
  Escalations(uv_loop_t* loop, const Config& config, Engine& engine)
      : config_(config), engine_(engine), timer_(std::make_unique<Timer>(loop)) {}

  /// Loads the configuration's rules, and checks all live jobs.
  void config_changed() override;
  void job_changed(const JobState& job) override;
  void clock_stepped(TimeUs step) override;
  void close() override;

 private:
  struct Request {
    std::string job;
    std::vector<Escalation> steps;  // steps not taken yet, earliest first
  };
  void look_at(const JobState& job);
  void take_due();
  void take(const std::string& job, const std::string& request, const std::string& to);

  const Config& config_;
  Engine& engine_;
  std::unique_ptr<Timer> timer_;  // null once closed
  std::vector<EscalationRule> rules_;
  std::map<std::string, Request> open_;  // by id of the question or approval
};

}  // namespace luzia
