#include "tools/luzia/look/standstill.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/event/event.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

constexpr std::size_t kMostAsked = 1'000;  // in one page

bool stands_still(std::string_view code) {
  const std::string_view still[] = {"release",        "open_queue",  "disk_room",      "resume",
                                    "project_resume", "breaker",     "project_limit",  "agent_limit",
                                    "tag_limit",      "usage_limit", "project_budget", "drain",
                                    "login"};
  return std::ranges::find(still, code) != std::end(still);
}

/// "waits because ..." for several jobs: "wait because ...".
std::string of_several(const std::string& why) {
  return why.starts_with("waits ") ? "wait " + why.substr(6) : why;
}

/// Without how many jobs come first and when this one starts, which is different for each.
std::string_view common_part(std::string_view why) {
  for (std::size_t at = why.find("; "); at != std::string_view::npos; at = why.find("; ", at + 2)) {
    const std::string_view rest = why.substr(at + 2);
    const bool counts = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
    if (counts || rest.starts_with("starts in about ")) return why.substr(0, at);
  }
  return why;
}

/// What holds a job back, without what changes meanwhile: the reason's text says in how many minutes it ends.
std::string cause_of(const view::QueueEntry& entry) {
  const std::string_view code = text(entry.blocked_by());
  const bool of_agent = code == "agent_limit" || code == "usage_limit" || code == "login";
  const bool of_project =
      code == "project_resume" || code == "breaker" || code == "project_limit" || code == "project_budget";
  const std::string_view whose = of_agent     ? text(entry.agent())
                                 : of_project ? text(entry.project())
                                              : std::string_view();
  return std::string(code).append("/").append(whose);
}

}  // namespace

std::vector<std::string> Standstill::news(const std::vector<const view::QueueEntry*>& queue) {
  struct Reason {
    std::string cause;
    std::vector<std::string> jobs;
  };
  std::map<std::string, Reason> reasons;  // by their text
  for (const view::QueueEntry* entry : queue) {
    const std::string_view code = text(entry->blocked_by());
    if (wanted_ == Reasons::every ? code.empty() : !stands_still(code)) continue;
    Reason& reason = reasons[std::string(common_part(text(entry->blocked_why())))];
    reason.cause = cause_of(*entry);
    reason.jobs.emplace_back(text(entry->job()));
  }
  std::vector<std::string> lines;
  const std::set<std::string> before = std::exchange(reported_, {});
  for (const auto& [why, reason] : reasons) {
    if (!reported_.insert(reason.cause).second || before.contains(reason.cause)) continue;
    const bool one = reason.jobs.size() == 1;
    const std::string who = one ? reason.jobs.front() : std::to_string(reason.jobs.size()) + " jobs";
    lines.push_back(make_harmless(who + " " + (one ? why : of_several(why))));
  }
  return lines;
}

bool report_standstill(Invocation& invocation, Client& client, const std::vector<std::string>& jobs,
                       Standstill& standstill) {
  if (invocation.json() || invocation.args().has("quiet") || jobs.empty() || jobs.size() > kMostAsked)
    return false;
  wire::QueryT query = view_query(wire::View::queue);
  query.limit = kMostAsked;
  query.without_positions = true;
  query.filter->jobs = jobs;
  const auto page = ask_rows(client, query);
  if (!page || page->type() != wire::RowType::queue_entry) return false;
  for (const std::string& line : standstill.news(page->as<view::QueueEntry>())) invocation.say(line);
  return page->size() > 0;
}

}  // namespace luzia
