// Finds which web pages and searches the agent of a job has used, so that a solution can name them. Any
// thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/event/event.h"

namespace luzia {

class WebReferences {
 public:
  /// An event of the job, in order. A call counts once its return says that it succeeded.
  void take(const schema::Event& event);
  /// Addresses, and searches as "search: WORDS": each once, at most `most`, the newest ones, oldest first.
  std::vector<std::string> newest(std::size_t most) const;

 private:
  std::vector<std::pair<std::string, std::string>> open_;  // call id, reference
  std::vector<std::string> found_;
};

}  // namespace luzia
