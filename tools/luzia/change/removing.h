// Removes ended jobs, for rm and gc: a dry run shows what would be removed, then they are removed in parts.
// One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

struct RemovalWish {
  std::vector<std::string> names;  // ids, prefixes, @last
  bool purge = false;
  bool really = false;  // else only show what would be removed
  bool named = true;    // a person named each: not removing one is a failure
  std::string note;
};

/// Shows what would go and why the rest stays, or removes it. 0; 4 where one that was named stays; without
/// `really` `needs_yes` (refused). An id that is not there is `no_such_job`, and nothing is done.
Result<int> remove_jobs(Invocation& invocation, Client& client, const RemovalWish& wish);

/// Ended jobs that the filter lets through and that ended before `before` (0: whenever), oldest first.
Result<std::vector<std::string>> ended_jobs(Invocation& invocation, Client& client, TimeUs before);

inline constexpr Option kPurgeOption{
    "--purge", ValueKind::flag, "",
    "erase their texts from the log too: task, environment, questions, answers, what tools were given"};

}  // namespace luzia
