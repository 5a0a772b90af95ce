// issues: lists known problems in the output of jobs, with suggested fixes.
#include "tools/luzia/families.h"
#include "tools/luzia/look/issues_check.h"
#include "tools/luzia/look/issues_scan.h"
#include "tools/read/commands.h"
#include "tools/read/issue_options.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

Result<int> run_issues(Invocation& invocation) {
  const auto& words = invocation.args().positionals();
  if (!words.empty() && words.front() == "check") {
    return check_issue_files(invocation, {words.begin() + 1, words.end()});
  }
  if (!words.empty() && words.front() == "scan") {
    if (words.size() == 2) return scan_text(invocation, words.back());
    return fail(ErrorKind::usage, "bad_usage", "issues scan needs one FILE, or - for standard input",
                "luzia issues scan FILE");
  }
  return run_where_it_is(invocation, [&] { return run_reading(invocation, show_issues); });
}

}  // namespace

const Command kIssuesCommand = {
    "issues",
    "Look",
    "[JOB...] [filters] [--open] [--sort FIELD] [--columns FIELD,...] [--by WHAT] [--limit N] [--at "
    "TIME]\ncheck [FILE...]\nscan FILE|- "
    "[--project NAME]",
    "list known problems in the output of jobs, with fixes",
    "Every line of output is matched against a library of patterns of known problems, and against your own "
    "patterns in the files that [issues] files lists. With one JOB the command shows each problem with its "
    "line, its suggested fix and how it was fixed before, in the order of the output. Otherwise it prints a "
    "table, newest jobs first. Problems that others of their attempt explain, repeat or outweigh are left "
    "out, and --all shows them. --by counts problems. scan looks for the same problems in any text, without "
    "a daemon, and records nothing; with --project the patterns of that project apply. check reports for "
    "each pattern of a file (without FILE, of the files in [issues] files) whether it is ok, translated "
    "(written for Python, same meaning here) or refused, and why; the exit code is 2 if one is refused. It "
    "warns about unknown names in instead_of. A pattern needs a name and error_patterns: Python regular "
    "expressions, searched for anywhere in a line. Optional keys: severity (info, warning, error or "
    "critical; default error), rank (cause, test, clue or consequence: what it says about why a job "
    "failed), description, fix (shown to people; {file} stands for what the group of that "
    "name matched), fix_command, project (default: all), family, instead_of (patterns that report nothing "
    "for a line that this one matches), one_issue (all matches in a job count as one problem). If "
    "allow_auto_fix permits it, the fix_command of an auto_fixable pattern runs automatically. Other keys "
    "are ignored, such as examples in the installed library (share/luzia/issues).",
    R"text(luzia issues @last
luzia issues --project web --since 2d
luzia issues --open --json
luzia issues --by pattern --since 30d
luzia issues check known_issues.json
make 2>&1 | luzia issues scan -

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
    {0, -1, Completes::job},
    run_issues,
    kNeedsStore,
    {},
    {},
    {},
    issue_fields};

}  // namespace luzia
