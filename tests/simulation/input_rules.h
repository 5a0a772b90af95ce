// What holds for every question and approval, read off the log alone.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/job/job.h"

namespace luzia::test {

class InputRules {
 public:
  /// An event and the job's state before it. What is broken; empty: nothing.
  std::string take(const schema::Event& event, const JobState& before);
  /// After the event: the state agrees with what is open.
  std::string agrees(const JobState& after) const;
  /// How often somebody else was told of what nobody had answered.
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
  std::set<std::string> escalated_;  // request and who was told
};

}  // namespace luzia::test
