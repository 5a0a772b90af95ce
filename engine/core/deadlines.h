// Moments that jobs wait for, one each.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

class Deadlines {
 public:
  /// In the place of the job's moment before; 0: it waits for none.
  void set(const std::string& job, TimeUs due);
  /// Jobs whose moment has come, the earliest first.
  std::vector<std::string> due(TimeUs now) const;
  /// The earliest; 0: none.
  TimeUs first() const { return by_moment_.empty() ? 0 : by_moment_.begin()->first; }

 private:
  std::set<std::pair<TimeUs, std::string>> by_moment_;
  std::unordered_map<std::string, TimeUs> of_job_;
};

}  // namespace luzia
