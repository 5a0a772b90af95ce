// issues: known problems that were recognised in the output of jobs, and what to do about them.
#include <algorithm>
#include <utility>

#include "projections/query.h"
#include "projections/rows/issue_rows.h"
#include "projections/rows/json.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/issues_check.h"
#include "tools/luzia/terminal.h"

namespace luzia {
namespace {

constexpr std::uint64_t kDefaultIssues = 50, kMostIssuesInPage = 1'000;

constexpr Option kIssuesOptions[] = {
    kProjectFilter,
    {"--since", ValueKind::moment, "TIME", "seen since then (2h, 14:05, 2026-11-21)"},
    {"--open", ValueKind::flag, "", "only what is not mended"},
    {"-n,--limit", ValueKind::number, "N", "at most so many (default 50)"},
    {"--cursor", ValueKind::text, "CURSOR", "go on where a page ended, as a table"},
};

/// A single job's are told in full, as they came: what comes later often comes of what came before. A page
/// has them in another order, so the first ones of all that there are have to be picked here.
void print_issues_of_job(Invocation& invocation, std::vector<const view::Issue*> issues, std::size_t most,
                         bool has_more) {
  std::ranges::sort(issues, {}, &view::Issue::position);
  const std::size_t left_out = issues.size() - std::min(issues.size(), most);
  issues.resize(issues.size() - left_out);
  print(issues_text(issues, invocation.terminal().style()));
  if (has_more) {
    const std::string looked_at = std::to_string(issues.size() + left_out);
    invocation.say("the job has more than " + looked_at + " problems: these are the first of " + looked_at +
                   " of them");
  } else if (left_out > 0) {
    invocation.say(std::to_string(left_out) + " more came later: --limit " +
                   std::to_string(issues.size() + left_out));
  }
}

Result<int> run_issues(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (!args.positionals().empty() && args.positionals().front() == "check") {
    return check_issue_files(invocation, {args.positionals().begin() + 1, args.positionals().end()});
  }
  auto client = connect_to_ask(invocation);
  if (!client) {
    return tl::unexpected(client.error());
  }
  wire::QueryT query;
  query.view = wire::View::issues;
  query.filter = filter_of(args);
  query.filter->jobs = args.positionals();
  const std::uint64_t most =
      std::clamp<std::uint64_t>(args.number("limit").value_or(kDefaultIssues), 1, kMostIssuesInPage);
  const bool in_full = args.positionals().size() == 1 && !invocation.json() && !args.has("cursor");
  query.limit = static_cast<std::uint32_t>(in_full ? kMostIssuesInPage : most);
  query.cursor = args.text("cursor");
  if (args.has("open")) {
    query.text = kOpenIssues;
  }
  const auto page = ask_rows(invocation, *client, query);
  if (!page) {
    return tl::unexpected(page.error());
  }
  auto issues = page->as<view::Issue>();
  if (invocation.json()) {
    std::vector<std::string> objects;
    for (const view::Issue* issue : issues) {
      objects.push_back(issue_json(*issue));
    }
    print_line(list_json("issues", objects, page->position(), page->next()));
    return 0;
  }
  if (issues.empty()) {
    invocation.say(args.has("open") ? "no issue is open" : "no issues");
  } else if (in_full) {
    print_issues_of_job(invocation, std::move(issues), most, !page->next().empty());
  } else {
    print(issues_table(issues).text(invocation.terminal().style()));
  }
  if (!page->next().empty() && !in_full) {
    invocation.say("more: --cursor " + page->next());
  }
  return 0;
}

}  // namespace

const Command kIssuesCommand = {
    "issues",
    "Look",
    "[JOB...] [--project NAME] [--since TIME] [--open] [--limit N]\ncheck [FILE...]",
    "known problems in the output of jobs, and how to mend them",
    "Every line of output is compared with a library of patterns of known problems, and with those of your "
    "own that [issues] files names. With one JOB each problem is told with its place, its mend and how it "
    "went before, in the order of the output; else they are a table, those of the newest jobs first. "
    "luzia-query issues --by pattern counts them. check tells of each pattern of a file (without FILE, those "
    "of [issues] files) whether it is ok, translated (written for Python, with the same meaning here) or "
    "refused, and why; then the exit code is 2. It warns of names in instead_of that no pattern has. A "
    "pattern has a name and error_patterns: Python's "
    "expressions, looked for anywhere in a line. What else it says is up to you: severity (info, warning, "
    "error or critical; else error), description, fix (what people are told; {file} stands for what the "
    "group of that name matched), fix_command, project (else it counts in all), family, instead_of (patterns "
    "that tell nothing of a line that this one finds), one_issue (all lines that it finds in a job count as "
    "one problem). A pattern that is auto_fixable has its fix_command run by itself where allow_auto_fix "
    "says so. Other keys are left alone: examples, say, as the installed library keeps them "
    "(share/luzia/issues).",
    R"text(luzia issues @last
luzia issues --project web --since 2d
luzia issues --open --json
luzia issues check known_issues.json

known_issues.json, as [issues] files = ["/home/me/known_issues.json"] names it:
{"patterns": [
  {"name": "stale-client",
   "description": "The generated client is older than its schema.",
   "severity": "warning",
   "error_patterns": ["^schema drift in (?P<file>\\S+)", "client of (?P<file>\\S+) is old"],
   "fix": "Run make client and commit {file}.",
   "fix_command": "make client",
   "auto_fixable": true,
   "project": "web",
   "family": "build",
   "instead_of": ["npm-script-failed"],
   "one_issue": true,
   "examples": {
     "match": ["schema drift in api.json", "error: client of api.json is old"],
     "near_miss": ["no schema drift in api.json"]}}
]}
)text",
    kIssuesOptions,
    0,
    -1,
    Completes::job,
    run_issues,
    kNeedsStore};

}  // namespace luzia
