// How a refusal names a job of a batch that has no id yet: by its place, which programs that know the batch's
// file turn into a line. The id that it would have had means nothing to anybody.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// `number` from 1.
inline std::string batch_place(std::size_t number) {
  return "job " + std::to_string(number) + " of the batch";
}

/// What is wrong with that job, as a refusal of the batch.
inline Error in_batch(Error error, std::size_t number) {
  error.message.insert(0, batch_place(number) + ": ");
  return error;
}

/// `text` with each `what` replaced.
inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace luzia
