// Names a job of a refused batch by its number in the batch. Such a job has no id yet; programs that have the
// batch file turn the number into a line. Any thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// `number`: from 1.
inline std::string batch_place(std::size_t number) {
  return "job " + std::to_string(number) + " of the batch";
}

/// The error of one job as a refusal of the whole batch. `number`: from 1.
inline Error in_batch(Error error, std::size_t number) {
  error.message.insert(0, batch_place(number) + ": ");
  return error;
}

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace luzia
