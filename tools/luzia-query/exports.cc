// What can be exported, and with which options.
#include <algorithm>

#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/export_command.h"

namespace luzia {
namespace {

constexpr std::string_view kExport = "export";

constexpr Command kExports[] = {
    {"export events",
     "every event of the log, one a line, as JSON Lines or CloudEvents",
     "luzia-query export events --out events.jsonl\n"
     "luzia-query export events --out events.jsonl --resume\n"
     "luzia-query export events --format cloudevents --since yesterday --project web\n",
     {.at = true,
      .subjects = true,
      .jobs = true,
      .time = true,
      .position = true,
      .endless = true,
      .formats = true,
      .resume = true,
      .out = true},
     export_events},
    {"export analytics",
     "jobs, questions, issues, flows (all but those that were removed), sums of costs, tools and outcomes, "
     "as "
     "JSON, CSV and one SQLite file",
     "luzia-query export analytics --out analytics/\n"
     "luzia-query export analytics --out analytics/ --resume\n"
     "luzia-query export analytics --out web/ --project web --since 30d\n",
     {.at = true, .time = true, .sums = true, .resume = true, .folder = true},
     export_analytics},
    {"export queue",
     "queued jobs as files of the older tool; without --out one JSON object each",
     "luzia-query export queue --out queued --project web\n"
     "luzia-query export queue --limit 10\n",
     {.at = true, .subjects = true, .jobs = true, .time = true, .endless = true, .folder = true},
     export_queue},
    {"export cross-agent-todos",
     "what is under way and what is over, of all agents, as one JSON file",
     "luzia-query export cross-agent-todos\n"
     "luzia-query export cross-agent-todos --out todos.json --project web --since 7d\n",
     {.at = true, .subjects = true, .jobs = true, .time = true, .out = true},
     export_todos},
    {"export prometheus",
     "metrics for a scraper of text files",
     "luzia-query export prometheus --out /var/lib/node_exporter/luzia.prom\n",
     {.at = true, .subjects = true, .out = true},
     export_prometheus},
};

std::string_view what_of(const Command& command) {
  return command.name.substr(kExport.size() + 1);
}

/// The first word that is neither an option nor an option's value.
std::vector<std::string>::iterator first_argument(std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (!word->starts_with("-")) return word;
    if (takes_value(*word) && std::next(word) != words.end()) ++word;
  }
  return words.end();
}

}  // namespace

std::span<const Command> exports() {
  return kExports;
}

Result<const Command*> narrowed(const Command& command, std::vector<std::string>& words) {
  if (command.name != kExport) return &command;
  const auto what = first_argument(words);
  if (what == words.end()) return &command;
  const auto* found = std::ranges::find(kExports, *what, what_of);
  if (found == std::end(kExports)) {
    std::string known;
    for (const Command& one : kExports) known.append(known.empty() ? "" : ", ").append(what_of(one));
    return fail(ErrorKind::usage, "bad_usage", "cannot export '" + *what + "'",
                "luzia-query export WHAT, which is one of " + known);
  }
  words.erase(what);
  return found;
}

}  // namespace luzia
