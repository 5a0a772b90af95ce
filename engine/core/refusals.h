// Refusals of commands from the engine itself. Reports one refusal per stream, until a command to that stream
// succeeds. Loop thread.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "engine/base/result.h"

namespace luzia {

class Refusals {
 public:
  using Tell = std::function<void(const std::string& stream, const Error&)>;
  explicit Refusals(Tell tell) : tell_(std::move(tell)) {}

  void note(const std::string& stream, const Status& done) {
    if (done) {
      told_.erase(stream);
    } else if (told_.insert(stream).second && tell_) {
      tell_(stream, done.error());
    }
  }
  void forget(const std::string& stream) { told_.erase(stream); }

 private:
  Tell tell_;
  std::set<std::string> told_;
};

}  // namespace luzia
