// The rules for questions and approvals, checked from the log alone.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/job/job.h"

namespace luzia::test {

class InputRules {
 public:
  /// Takes an event and the job's state before it. Returns the broken rule, or an empty string.
  std::string take(const schema::Event& event, const JobState& before);
  /// Checks after the event that the job's state matches the open questions and approvals.
  std::string agrees(const JobState& after) const;
  /// How many escalations of unanswered questions and approvals there were.
  std::size_t escalations() const { return escalated_.size(); }

 private:
  enum class Stage { open, answered, over };
  struct Request {
    std::string job;
    bool unattended = false;
    Stage stage = Stage::open;
    int delivered = 0;
  };
  std::string opened(std::string id, const JobState& job, bool unattended = false);
  std::string closed(std::string_view id, Stage stage);
  std::string told(std::string_view id);
  std::string reminded(std::string_view id, std::string_view channel);

  std::map<std::string, Request, std::less<>> requests_;
  std::set<std::string> escalated_;  // question or approval, and who was notified
};

}  // namespace luzia::test
