#include "tools/read/schedule_findings.h"

#include "engine/base/shell_quote.h"
#include "engine/event/event.h"

namespace luzia {

std::vector<ScheduleFinding> schedule_findings(const std::vector<const view::Schedule*>& schedules) {
  std::vector<ScheduleFinding> findings;
  for (const view::Schedule* row : schedules) {
    if (row->dropped_us() != 0) continue;
    const std::string name(text(row->schedule()));
    if (!text(row->fault()).empty()) {
      findings.push_back(
          {true, "the rule of schedule " + name + " cannot be read: " + std::string(text(row->fault())),
           "luzia config check says more; correct it or install the time zone, then luzia config reload"});
    } else if (row->paused_us() != 0) {
      findings.push_back(
          {false, "schedule " + name + " is paused", "luzia schedule resume " + shell_quote(name)});
    } else if (row->last_us() != 0 && row->last_outcome() == schema::DueOutcome::refused) {
      findings.push_back(
          {true,
           "the last due time of schedule " + name + " led to no job: " + std::string(text(row->note())),
           "correct its [[schedules]] in luzia.toml; then luzia schedule run " + shell_quote(name)});
    }
  }
  return findings;
}

}  // namespace luzia
