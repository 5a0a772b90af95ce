// issues: known problems of jobs, and what their days add up to.
#include "projections/rows/issue_rows.h"
#include "projections/rows/issue_statistics.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/listing.h"

namespace luzia {
namespace {

IssuesBy grouping(std::string_view name) {
  if (name == "project") return IssuesBy::project;
  if (name == "severity") return IssuesBy::severity;
  return name == "day" ? IssuesBy::day : IssuesBy::pattern;
}

Status print_statistics(Session& session, const RowPage& page, const std::vector<IssueStatistic>& statistics,
                        IssuesBy by) {
  Console& console = session.console();
  switch (session.options().format) {
    case Format::json: {
      std::vector<std::string> objects;
      for (const IssueStatistic& row : statistics) objects.push_back(issue_statistic_json(row));
      return console.write_line(list_json("issue_statistics", objects, page.position, {}));
    }
    case Format::csv:
      return console.write(issue_statistics_table(statistics, by, Form::data).csv());
    case Format::table:
      break;
  }
  if (statistics.empty()) console.say("no issues");
  tell_place(session, page);
  if (statistics.empty()) return {};
  return console.write(issue_statistics_table(statistics, by).text(console.style()));
}

Result<int> run_statistics(Session& session, Source& source) {
  const auto as_of = session.as_of();
  if (!as_of) return tl::unexpected(as_of.error());
  const auto page = collect_pages(source, session.query(wire::View::issue_days), 0);
  if (!page) return tl::unexpected(page.error());
  const auto days = rows_of<view::IssueDay>(*page);
  if (!days) return tl::unexpected(days.error());
  const IssuesBy by = grouping(session.options().by);
  if (Status printed = print_statistics(session, *page, issue_statistics(*days, by, *as_of), by); !printed) {
    return tl::unexpected(printed.error());
  }
  return 0;
}

}  // namespace

Result<int> run_issues(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  if (!session.options().by.empty()) return run_statistics(session, **source);
  const auto page = collect_pages(**source, session.query(wire::View::issues),
                                  session.options().limit.value_or(kDefaultLimit));
  if (!page) return tl::unexpected(page.error());
  const Shapes<view::Issue> shapes = {"issues", issue_json, issues_table, "no issues"};
  if (Status printed = print_list(session, *page, shapes); !printed) return tl::unexpected(printed.error());
  return 0;
}

}  // namespace luzia
