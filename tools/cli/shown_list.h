// The jobs or flows of the list that was shown last on this terminal, so that %3 names the job of its third
// row. Kept in a small file of the user's own, one for each session on a terminal, outside of any store. One
// thread.
//
// Rejected: numbers that the daemon hands out. They would be the same for every terminal, so that a list that
// somebody shows elsewhere would change what %3 means here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "tools/cli/surroundings.h"

namespace luzia {

class ShownList {
 public:
  static constexpr std::size_t kMostRows = 1'000;
  static constexpr TimeUs kKeptFor = 12 * 3'600 * kSecondUs;

  /// Of the terminal that controls this process, in $XDG_RUNTIME_DIR or else the user's cache folder. Nothing
  /// where there is no such terminal, or no folder that is this user's alone.
  static std::optional<ShownList> of_this_terminal(const Surroundings& surroundings);
  /// `folder` is made when it is missing; its parent has to belong to this user. `terminal`: a file's name.
  ShownList(std::string folder, std::string terminal)
      : folder_(std::move(folder)), terminal_(std::move(terminal)) {}

  /// Replaces the list, and removes those of other terminals that are too old. At most kMostRows are kept.
  /// False: it cannot be kept, and the one before is gone too, so that no number means a row of another list.
  bool keep(const std::vector<std::string>& jobs, TimeUs now) const;
  /// The job of a row, from 1. `no_such_row` (usage): there is no list, it is older than kKeptFor, or it has
  /// fewer rows.
  Result<std::string> job(std::size_t row, TimeUs now) const;

 private:
  std::string folder_, terminal_;
};

/// 3 of "%3"; 0: the word is something else.
std::size_t row_named_by(std::string_view word);

/// The job that "%3" names on this terminal. Errors as ShownList::job().
Result<std::string> job_named_by(std::string_view word, const Surroundings& surroundings);

}  // namespace luzia
