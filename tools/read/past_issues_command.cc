// issues: lists known problems of jobs, or counts them by day, pattern, project or severity.
#include <algorithm>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/issue_rows.h"
#include "projections/rows/issue_statistics.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

IssuesBy issues_by(std::string_view name) {
  if (name == "project") return IssuesBy::project;
  if (name == "severity") return IssuesBy::severity;
  return name == "day" ? IssuesBy::day : IssuesBy::pattern;
}

Result<int> show_issue_sums(Session& session) {
  const Invocation& invocation = session.invocation();
  LUZIA_TRY(refuse_filters(invocation.command(), invocation.args(), {"job", "agent", "tag", "state"},
                           "--by adds up days, which do not know their jobs", "leave out --by to list them"));
  if (!invocation.args().positionals().empty()) {
    return fail(ErrorKind::usage, "bad_usage", "issues --by adds up days, which do not know their jobs",
                "leave out --by to list the problems of a job");
  }
  if (!session.options().sort.empty() || !session.options().columns.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "--sort and --columns are for the list, and --by counts",
                "leave out --by to list them");
  }
  const auto as_of = LUZIA_TRY(session.as_of());
  const IssuesBy by = issues_by(session.options().by);
  return run_sums<view::IssueDay, IssueStatistic>(
      session, wire::View::issue_days, [&](const auto& days) { return issue_statistics(days, by, as_of); },
      {"issue_statistics", issue_statistic_json,
       [&](const auto& rows, Form form) { return issue_statistics_table(rows, by, form); }, "no issues"});
}

/// Prints a single job's problems in full, in the order of the output: later ones are often caused by earlier
/// ones. Pages have another order, so this function sorts them and picks the first.
Status print_issues_of_job(Session& session, std::vector<const view::Issue*> issues, std::size_t most,
                           bool has_more) {
  std::ranges::sort(issues, {}, &view::Issue::position);
  const std::size_t folded = session.invocation().args().has("all")
                                 ? 0
                                 : std::erase_if(issues, [](const auto* issue) { return issue->folded(); });
  const std::size_t left_out = issues.size() - std::min(issues.size(), most);
  const std::string looked_at = std::to_string(issues.size());
  issues.resize(issues.size() - left_out);
  Status written = session.console().write(issues_text(issues, session.console().style()));
  if (has_more) {
    session.console().say("the job has more than " + looked_at + " problems, of which these are the first");
  } else if (left_out > 0) {
    session.console().say(std::to_string(left_out) + " more came later: --limit " + looked_at);
  }
  if (folded > 0) {
    session.console().say(counted(folded, "issue") +
                          " folded, which others explain or outweigh, or which the job went on after: --all");
  }
  return written;
}

}  // namespace

Result<int> show_issues(Session& session) {
  const Options& options = session.options();
  if (!options.by.empty()) return show_issue_sums(session);
  const Arguments& args = session.invocation().args();
  Source* const source = LUZIA_TRY(session.source());
  wire::QueryT query = session.query(wire::View::issues);
  const auto& named = args.positionals();
  query.filter->jobs.insert(query.filter->jobs.end(), named.begin(), named.end());
  const bool in_full = named.size() == 1 && options.format == Format::table && options.cursor.empty() &&
                       options.sort.empty() && options.columns.empty();
  query.filter->ended = true;  // --all is about folded issues here
  query.unfixed_only = args.has("open");
  query.without_folded = !args.has("all") && !in_full;
  const std::size_t most = options.limit.value_or(kDefaultLimit);
  auto page = LUZIA_TRY(collect_pages(*source, query, in_full ? kMaxLimit : rows_to_ask(session, most)));
  const Shapes<view::Issue> shapes{"issues", issue_json, issues_table,
                                   args.has("open") ? "no issue is open" : "no issues"};
  LUZIA_TRY(sort_page(session, page, most, shapes));
  const auto rows = LUZIA_TRY(rows_of<view::Issue>(page));
  LUZIA_TRY(in_full && !rows.empty()
                ? print_issues_of_job(session, rows, most == 0 ? kMaxLimit : most, !page.next.empty())
                : print_list(session, page, shapes));
  return 0;
}

std::vector<Column> issue_fields(std::string_view) {
  return issues_table({}, Form::data).columns();
}

}  // namespace luzia
