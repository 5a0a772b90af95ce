// One page about a project: how its jobs come out, what they cost, which problems they usually meet and what
// helps, tools, solutions and facts, and what is open, todos included.
#include <map>

#include "adapters/config/known_projects.h"
#include "engine/base/try.h"
#include "projections/rows/catalogue_rows.h"
#include "projections/rows/flow_rows.h"
#include "projections/rows/harmless.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/issue_statistics.h"
#include "projections/rows/json_writer.h"
#include "projections/rows/learning_rows.h"
#include "projections/rows/outcome_rows.h"
#include "projections/rows/stats.h"
#include "projections/rows/usage_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

constexpr std::size_t kMostProblems = 10, kMostTools = 10, kMostLearned = 10, kMostOpen = 20;
constexpr std::size_t kIssuesForFixes = 500;  // the newest ones tell the fixes

/// The rows of one view that are about the project; they point into `page`.
template <class Row>
struct RowsOfProject {
  RowsOfProject() = default;
  RowsOfProject(RowsOfProject&&) = default;  // a copy's rows would point into the original
  RowsOfProject& operator=(RowsOfProject&&) = default;

  RowPage page;
  std::vector<const Row*> rows;
};

struct ProjectFacts {
  std::string name, path, agent;             // the last two from the configuration; empty: not known here
  std::vector<OutcomeStatistic> outcomes;    // by agent
  RowsOfProject<view::Durations> durations;  // of all time; none with --since
  bool counts_all_time = true;
  std::vector<CostStatistic> costs;                       // by model
  std::vector<IssueStatistic> problems;                   // by pattern
  std::map<std::string, std::string, std::less<>> fixes;  // by pattern
  std::vector<ToolStatistic> tools;                       // by tool
  RowsOfProject<view::CatalogueTool> available;           // tools that its agents could call
  RowsOfProject<view::Solution> solutions;
  RowsOfProject<view::Fact> facts;
  RowsOfProject<view::Job> jobs;  // unfinished
  RowsOfProject<view::Question> questions;
  RowsOfProject<view::Approval> approvals;
  RowsOfProject<view::Flow> flows;  // active
  RowsOfProject<view::Todo> todos;  // open
  TimeUs as_of = 0;
};

/// Reads pages about one project.
class ProjectReader {
 public:
  ProjectReader(Session& session, Source& source, std::string name)
      : session_(session), source_(source), name_(std::move(name)) {}

  /// Up to `limit` rows (0: all); without `ended`, only what has not ended.
  template <class Row>
  Result<RowsOfProject<Row>> read(wire::View view, std::size_t limit, bool ended) {
    wire::QueryT query = session_.query(view);
    query.filter->projects = {name_};
    query.filter->ended = ended;
    RowsOfProject<Row> found;
    found.page = LUZIA_TRY(collect_pages(source_, query, limit));
    found.rows = LUZIA_TRY(rows_of<Row>(found.page));
    return found;
  }

 private:
  Session& session_;
  Source& source_;
  std::string name_;
};

Status read_sums(ProjectReader& reader, ProjectFacts& facts) {
  const auto outcomes = LUZIA_TRY(reader.read<view::OutcomeDay>(wire::View::outcomes, 0, true));
  facts.outcomes = outcome_statistics(outcomes.rows, OutcomesBy::agent);
  if (facts.counts_all_time)
    facts.durations = LUZIA_TRY(reader.read<view::Durations>(wire::View::durations, 0, true));
  const auto costs = LUZIA_TRY(reader.read<view::CostDay>(wire::View::costs, 0, true));
  facts.costs = cost_statistics(costs.rows, UsageBy::model);
  const auto tools = LUZIA_TRY(reader.read<view::ToolDay>(wire::View::tools, 0, true));
  facts.tools = tool_statistics(tools.rows, UsageBy::tool);
  keep_first(facts.tools, kMostTools);
  const auto days = LUZIA_TRY(reader.read<view::IssueDay>(wire::View::issue_days, 0, true));
  facts.problems = issue_statistics(days.rows, IssuesBy::pattern, facts.as_of);
  keep_first(facts.problems, kMostProblems);
  const auto issues = LUZIA_TRY(reader.read<view::Issue>(wire::View::issues, kIssuesForFixes, true));
  for (const view::Issue* issue : issues.rows) {
    if (const auto fix = text(issue->fix()); !fix.empty()) facts.fixes.emplace(text(issue->pattern()), fix);
  }
  return {};
}

Status read_open(ProjectReader& reader, ProjectFacts& facts) {
  facts.solutions = LUZIA_TRY(reader.read<view::Solution>(wire::View::solutions, kMostLearned, true));
  facts.facts = LUZIA_TRY(reader.read<view::Fact>(wire::View::facts, kMostLearned, true));
  facts.jobs = LUZIA_TRY(reader.read<view::Job>(wire::View::jobs, kMostOpen, false));
  facts.questions = LUZIA_TRY(reader.read<view::Question>(wire::View::questions, kMostOpen, false));
  facts.approvals = LUZIA_TRY(reader.read<view::Approval>(wire::View::approvals, kMostOpen, false));
  facts.flows = LUZIA_TRY(reader.read<view::Flow>(wire::View::flows, kMostOpen, false));
  facts.todos = LUZIA_TRY(reader.read<view::Todo>(wire::View::todos, kMostOpen, false));
  facts.available = LUZIA_TRY(reader.read<view::CatalogueTool>(wire::View::catalogue, kMostTools, true));
  return {};
}

std::vector<Flow> flows_of(const ProjectFacts& facts) {
  std::vector<Flow> flows;
  for (const view::Flow* row : facts.flows.rows) row->UnPackTo(&flows.emplace_back());
  return flows;
}

/// Nothing but a name: not even a fact or a todo.
bool is_empty(const ProjectFacts& facts) {
  return facts.path.empty() && facts.outcomes.empty() && facts.jobs.rows.empty() &&
         facts.flows.rows.empty() && facts.solutions.rows.empty() && facts.facts.rows.empty() &&
         facts.todos.rows.empty() && facts.available.rows.empty();
}

/// `unknown_project` (not_found): nothing is known of it.
Result<ProjectFacts> facts_of(Session& session, const std::string& name) {
  Source* const source = LUZIA_TRY(session.source());
  const Config* const config_of_daemon = session.invocation().config_of_daemon();
  const Config nothing_configured;
  Status known = check_known_projects({name}, config_of_daemon ? config_of_daemon : &nothing_configured,
                                      [&](const wire::QueryT& query) -> Result<std::size_t> {
                                        const RowPage page = LUZIA_TRY(source->query(query));
                                        return page.rows.size();
                                      });
  if (!known && known.error().code != "unknown_project") return tl::unexpected(known.error());
  ProjectFacts facts;
  facts.name = name;
  facts.as_of = LUZIA_TRY(session.as_of());
  if (const auto config = session.invocation().config(); config && !session.invocation().is_elsewhere()) {
    if (const auto known = (*config)->projects.find(name); known != (*config)->projects.end()) {
      facts.path = known->second.path;
      facts.agent = known->second.agent.empty() ? (*config)->defaults.agent : known->second.agent;
    }
  }
  facts.counts_all_time = session.options().filter.since_us == 0;
  ProjectReader reader(session, *source, name);
  LUZIA_TRY(read_sums(reader, facts));
  LUZIA_TRY(read_open(reader, facts));
  if (known || !is_empty(facts)) return facts;
  known.error().kind = ErrorKind::not_found;
  return tl::unexpected(known.error());
}

std::string project_page_json(const ProjectFacts& facts) {
  JsonObject object;
  object.text("project", facts.name);
  object.text_or_null("path", facts.path);
  object.text_or_null("agent", facts.agent);
  object.array("outcomes", facts.outcomes, outcome_statistic_json);
  write_list(object, "durations", facts.durations.rows, durations_json);
  object.array("costs", facts.costs, cost_statistic_json);
  object.array("issues", facts.problems, issue_statistic_json);
  object.begin("fixes");
  for (const auto& [pattern, fix] : facts.fixes) object.text(pattern, fix);
  object.end();
  object.array("tools", facts.tools, tool_statistic_json);
  write_list(object, "available_tools", facts.available.rows, catalogue_tool_json);
  write_list(object, "solutions", facts.solutions.rows, solution_json);
  write_list(object, "facts", facts.facts.rows, fact_json);
  object.array("jobs", facts.jobs.rows, [&](const view::Job* job) { return job_json(*job, facts.as_of); });
  write_list(object, "questions", facts.questions.rows, question_json);
  write_list(object, "approvals", facts.approvals.rows, approval_json);
  write_list(object, "flows", facts.flows.rows, flow_json);
  write_list(object, "todos", facts.todos.rows, todo_json);
  object.number("position", facts.jobs.page.position);
  return object.take();
}

/// What to do about the problems above, as far as their patterns know.
std::string fixes_text(const ProjectFacts& facts, const TableStyle& style) {
  Table table({{.title = "PROBLEM", .min_width = 8, .shrinks = true},
               {.title = "FIX", .min_width = 20, .shrinks = true}});
  for (const IssueStatistic& problem : facts.problems) {
    const auto fix = facts.fixes.find(problem.key);
    if (fix != facts.fixes.end()) table.add({{problem.key, Colour::bold}, {fix->second}});
  }
  return table.empty() ? std::string() : table.text(style);
}

/// A title and what belongs below it; nothing if that is empty.
std::string section(std::string_view title, const std::string& body, bool colour) {
  return body.empty() ? std::string() : "\n" + coloured(title, Colour::bold, colour) + "\n" + body;
}

std::string table_text(const Table& table, const TableStyle& style) {
  return table.empty() ? std::string() : table.text(style);
}

std::string open_parts_text(const ProjectFacts& facts, const TableStyle& style) {
  std::string open;
  const auto add = [&](const std::string& part) {
    open += (open.empty() || part.empty() ? "" : "\n") + part;
  };
  add(questions_text(facts.questions.rows, facts.as_of, style));
  add(approvals_text(facts.approvals.rows, facts.as_of, style));
  add(table_text(jobs_table(facts.jobs.rows, facts.as_of), style));
  add(table_text(flows_table(flows_of(facts), facts.as_of), style));
  add(table_text(todos_table(facts.todos.rows, facts.as_of), style));
  return open;
}

std::string project_page_text(const ProjectFacts& facts, const TableStyle& style) {
  const auto line = [&](std::string_view name, const std::string& value) {
    return value.empty() ? std::string()
                         : std::string(name) + make_harmless(value, {.unicode = style.unicode}) + "\n";
  };
  std::string page =
      line("project     ", facts.name) + line("path        ", facts.path) + line("agent       ", facts.agent);
  const auto add = [&](std::string_view title, const std::string& body) {
    page += section(title, body, style.colour);
  };
  const auto of_outcomes = outcome_statistics_table(facts.outcomes, OutcomesBy::agent);
  const auto of_costs = cost_statistics_table(facts.costs, UsageBy::model);
  add("Ended jobs", facts.outcomes.empty() ? "" : of_outcomes.text(style));
  add("Durations of attempts, as in luzia stats", table_text(durations_table(facts.durations.rows), style));
  add("Cost", facts.costs.empty() ? "" : of_costs.text(style));
  add("Usual problems", table_text(issue_statistics_table(facts.problems, IssuesBy::pattern), style));
  add("What helps", fixes_text(facts, style));
  add("Tools that were called", table_text(tool_statistics_table(facts.tools, UsageBy::tool), style));
  add("Tools that agents have", table_text(catalogue_table(facts.available.rows, facts.as_of), style));
  add("Solutions", table_text(solutions_table(facts.solutions.rows, facts.as_of), style));
  add("Facts", table_text(facts_table(facts.facts.rows), style));
  add("Open", open_parts_text(facts, style));
  return page;
}

}  // namespace

Result<int> show_project(Session& session, const std::string& name) {
  const ProjectFacts facts = LUZIA_TRY(facts_of(session, name));
  Console& console = session.console();
  if (session.options().format == Format::json) {
    LUZIA_TRY(console.write_line(project_page_json(facts)));
    return 0;
  }
  LUZIA_TRY(console.write(project_page_text(facts, console.style())));
  if (facts.outcomes.empty() && facts.jobs.rows.empty()) console.say("no jobs yet");
  RowPage place{
      wire::RowType::job, {}, {}, facts.jobs.page.position};  // without the cursor of one of its lists
  report_place(session, place);
  return 0;
}

}  // namespace luzia
