// issues: known problems that were recognised in the output of jobs, and what to do about them.
#include "tools/luzia/families.h"
#include "tools/luzia/look/issues_check.h"
#include "tools/read/commands.h"
#include "tools/read/issue_options.h"

namespace luzia {
namespace {

Result<int> run_issues(Invocation& invocation) {
  const auto& words = invocation.args().positionals();
  if (!words.empty() && words.front() == "check") {
    return check_issue_files(invocation, {words.begin() + 1, words.end()});
  }
  return run_reading(invocation, show_issues);
}

}  // namespace

const Command kIssuesCommand = {
    "issues",
    "Look",
    "[JOB...] [filters] [--open] [--by WHAT] [--limit N] [--at TIME]\ncheck [FILE...]",
    "list known problems in the output of jobs, with fixes",
    "Every line of output is compared with a library of patterns of known problems, and with those of your "
    "own that [issues] files names. With one JOB each problem is told with its place, its fix and how it "
    "went before, in the order of the output; else they are a table, those of the newest jobs first. "
    "--by counts them. check tells of each pattern of a file (without FILE, those "
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
luzia issues --by pattern --since 30d
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
