// Finds out who can have changed a file, by comparing when each job worked in a tree with when the file was
// last changed. A job is named only if no other job worked at that time, or if all others were seen to be
// idle then. If two jobs can have done it, none is named. A tree with several jobs changes all the time:
// telling each of them would be noise, and telling one would be an accusation.
//
// Not covered: people, and what a job does after its attempt or outside of its own processes (a container).
// One thread. Times are wall clock, in microseconds; when the clock steps, call forget_before().
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

class WorkTimes {
 public:
  /// Maximum number of ended spells, and of rests in one spell. The oldest beyond that are forgotten.
  static constexpr std::size_t kMostSpells = 1000, kMostRests = 1000;

  /// Earliest moment at which the job's processes may do something. No effect while the job is at work.
  void begin(std::string_view job, TimeUs at);
  /// Last moment at which they may do something.
  void end(std::string_view job, TimeUs at);
  /// No process of the job ran during [from, to]. With the same `from` as in the last call, extends that
  /// rest.
  void rested(std::string_view job, TimeUs from, TimeUs to);
  /// Who worked or rested before `at` is not known. Jobs at work now count as working from `at` on, or
  /// longer.
  void forget_before(TimeUs at);

  /// The only job that can have acted at some moment of [from, to]; empty: none, several, or unknown.
  std::string_view only_one_at_work(TimeUs from, TimeUs to) const;
  /// Number of jobs that are at work now.
  std::size_t working() const;
  /// When the first of these began; 0: none.
  TimeUs first_begin() const;

 private:
  struct Rest {
    TimeUs from, to;
  };
  struct Spell {
    std::string job;
    TimeUs from;
    TimeUs to = kNever;
    std::vector<Rest> rests = {};  // sorted, without overlaps
  };
  static constexpr TimeUs kNever = std::numeric_limits<TimeUs>::max();

  static bool can_have_worked(const Spell& spell, TimeUs from, TimeUs to);
  Spell* find(std::string_view job);
  void forget_needless();

  std::vector<Spell> spells_;  // at most one open spell a job
  TimeUs known_from_ = 0;
};

}  // namespace luzia
