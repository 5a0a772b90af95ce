// What holds for every question and approval, read off the log alone.
#pragma once

#include <map>
#include <string>

#include "engine/job/job.h"

namespace luzia::test {

class InputRules {
 public:
  /// An event and the job's state before it. What is broken; empty: nothing.
  std::string take(const schema::Event& event, const JobState& before);
  /// After the event: the state agrees with what is open.
  std::string agrees(const JobState& after) const;

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

  std::map<std::string, Request, std::less<>> requests_;
};

}  // namespace luzia::test
