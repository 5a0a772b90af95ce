// Who can have changed a file, told from times: when each job worked in one tree, set against when the file
// was last changed. One job alone can have done it where no other worked at that time, or where the others'
// processes are known to have done nothing then. Where two can have, nobody is named: a tree changes all the
// time while several work there, and to tell each of them of each change would be noise, to tell one an
// accusation.
//
// What a job does once its attempt is over, or from outside of its own processes (a container), it does
// unseen; so do people. One thread. Times are of the wall clock, in microseconds; whoever steps it calls
// forget_before.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

class WorkTimes {
 public:
  /// Spells that are over, and rests of one spell: of the oldest beyond that no more is known.
  static constexpr std::size_t kMostSpells = 1000, kMostRests = 1000;

  /// The first moment at which the job's processes may do something. Does nothing while it works already.
  void begin(std::string_view job, TimeUs at);
  /// The last one.
  void end(std::string_view job, TimeUs at);
  /// Nothing ran of the job's processes in all of [from, to]. `from` as in the last call: the rest goes on.
  void rested(std::string_view job, TimeUs from, TimeUs to);
  /// Of earlier times it isn't known who worked, nor who rested; who works now did so from then on at the
  /// latest.
  void forget_before(TimeUs at);

  /// The one job that can have done what was done at some moment of [from, to]; empty: nobody, or one of
  /// several.
  std::string_view only_one_at_work(TimeUs from, TimeUs to) const;
  /// Jobs that have not ended.
  std::size_t working() const;
  /// When the first of these began; 0 when there are none.
  TimeUs first_begin() const;

 private:
  struct Rest {
    TimeUs from, to;
  };
  struct Spell {
    std::string job;
    TimeUs from;
    TimeUs to = kNever;
    std::vector<Rest> rests = {};  // in order, none in another
  };
  static constexpr TimeUs kNever = std::numeric_limits<TimeUs>::max();

  static bool can_have_worked(const Spell& spell, TimeUs from, TimeUs to);
  Spell* find(std::string_view job);
  void forget_needless();

  std::vector<Spell> spells_;  // of a job at most one that has not ended
  TimeUs known_from_ = 0;
};

}  // namespace luzia
