// What other machines said last, in the user's cache folder: their rows, which jobs are theirs, and which of
// them did not answer. It may be missing, old or removed at any time: what a machine says itself counts. One
// thread; several processes may write, and the last one wins.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "projections/rows/row_page.h"

namespace luzia {

class KnownMachines {
 public:
  /// An answer of more bytes is not kept; of more answers and machines the oldest are forgotten, of more jobs
  /// the oldest of the machine that has the most: one cannot make another's forgotten.
  static constexpr std::size_t kMostBytes = 2 << 20, kMostAnswers = 200, kMostJobs = 4'000, kMostSilent = 200;
  static constexpr TimeUs kKeptFor = 7 * kDayUs;

  /// In $XDG_CACHE_HOME/luzia/machines, else ~/.cache/luzia/machines.
  static KnownMachines of_user();
  /// `folder` empty: knows nothing and keeps nothing. Its parent has to belong to this user.
  explicit KnownMachines(std::string folder) : folder_(std::move(folder)) {}

  /// `question`: any text that is the same when the same is asked again.
  void keep_rows(const std::string& machine, const std::string& question, const RowPage& page,
                 TimeUs now) const;
  struct Rows {
    RowPage page;
    TimeUs as_of_us = 0;
  };
  std::optional<Rows> rows_of(const std::string& machine, const std::string& question) const;

  /// Jobs and flows by their full ids. The machine that is kept here for an id owns it until that one is not
  /// configured any more: callers do not let another claim it.
  void keep_jobs(const std::string& machine, const std::vector<std::string>& ids) const;
  /// Empty: not known.
  std::string machine_of(std::string_view id) const;
  /// All of them: the machine by the id.
  std::map<std::string, std::string, std::less<>> machines_of_jobs() const;

  /// Since when the machine has not answered; 0: it has.
  TimeUs silent_since(const std::string& machine) const;
  void keep_silent(const std::string& machine, TimeUs since) const;

 private:
  std::string folder_;
};

}  // namespace luzia
