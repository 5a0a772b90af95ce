// The next moment that each job waits for, ordered by time. At most one per job. Loop thread.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

class Deadlines {
 public:
  /// Replaces the job's earlier moment. 0: the job waits for none.
  void set(const std::string& job, TimeUs due);
  /// Jobs whose moment has come, earliest first. They stay until set() is called.
  std::vector<std::string> due(TimeUs now) const;
  /// The earliest moment; 0: none.
  TimeUs first() const { return by_moment_.empty() ? 0 : by_moment_.begin()->first; }

 private:
  std::set<std::pair<TimeUs, std::string>> by_moment_;
  std::unordered_map<std::string, TimeUs> of_job_;
};

}  // namespace luzia
