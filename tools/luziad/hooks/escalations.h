// Tells the next one when nobody has answered a question or approval for a part of the time until its
// deadline (engine/hook/escalation.h): each such step is an event of the job (a reminder that names who is
// told), of which the hook of that name is told like of any other. The command's id is made of request and
// name, so that a daemon that comes after this one does not take the same step twice. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/hook/escalation.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/parts.h"

namespace luzia {

class Escalations final : public Follower {
 public:
  explicit Escalations(Parts& parts) : parts_(parts), timer_(std::make_unique<Timer>(parts.loop)) {}

  /// Takes the configuration's rules, and looks at all live jobs.
  void config_changed() override;
  /// The job's durable state changed.
  void job_changed(const JobState& job) override;
  void clock_stepped(TimeUs step) override;
  void close() override;

 private:
  struct Request {
    std::string job;
    std::vector<Escalation> steps;  // still to take, the earliest first
  };
  void look_at(const JobState& job);
  void take_due();
  void take(const std::string& job, const std::string& request, const std::string& to);

  Parts& parts_;
  std::unique_ptr<Timer> timer_;  // null: closed
  std::vector<EscalationRule> rules_;
  std::map<std::string, Request> open_;  // by id of the question or approval
};

}  // namespace luzia
