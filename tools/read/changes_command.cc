// diff: shows what changed between two moments: jobs, flows, known problems, costs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/event/job_state.h"
#include "engine/flow/flow.h"
#include "projections/rows/flow_rows.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "projections/rows/table.h"
#include "projections/rows/times.h"
#include "projections/rows/wrapped.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

constexpr std::size_t kJobsAtOnce = 100;

struct JobChange {
  std::string id, project, agent, task;
  std::string from, to;  // states; `from` is empty for a new job
  std::string reason;    // why the job ended
  double cost_usd = 0;   // used between the two
  std::uint64_t tokens = 0;
  std::string cause = {};  // what its output says about that
};
struct FlowChange {
  std::string id, project, description;
  std::string from, to;
  std::size_t done_from = 0, done_to = 0, steps = 0;
};
struct IssueChange {
  std::string pattern, project, severity;
  std::set<std::string> jobs;
};
struct ProjectUse {
  double cost_usd = 0;
  std::uint64_t tokens = 0;
};

struct Differences {
  Position from = 0, to = 0;
  TimeUs from_us = 0, to_us = 0;
  std::uint64_t events = 0;
  std::vector<JobChange> jobs;
  std::vector<FlowChange> flows;
  std::map<std::string, IssueChange> issues;  // by project and pattern
  std::map<std::string, ProjectUse> use;      // by project
};

/// The streams that the events between the two moments touch.
struct Touched {
  std::set<std::string> jobs, new_jobs, flows, new_flows;
  std::vector<std::pair<std::string, std::string>> issues;  // job, pattern
  std::map<std::string, std::string> severities;            // of patterns
};

class Comparison {
 public:
  explicit Comparison(Session& session) : session_(session) {}

  Result<Differences> run() {
    LUZIA_TRY(find_source());
    LUZIA_TRY(find_ends());
    LUZIA_TRY(read_events());
    LUZIA_TRY(compare_jobs());
    LUZIA_TRY(compare_flows());
    cut();
    return std::move(found_);
  }

 private:
  using JobsById = std::map<std::string, view::JobT>;

  Status find_source() {
    source_ = LUZIA_TRY(session_.still_source());
    return {};
  }

  /// Keeps the first --limit of each kind.
  void cut() {
    const std::size_t limit = session_.options().limit.value_or(0);
    keep_first(found_.jobs, session_.options().limit);
    keep_first(found_.flows, session_.options().limit);
    if (limit != 0 && found_.issues.size() > limit) {
      found_.issues.erase(std::next(found_.issues.begin(), static_cast<std::ptrdiff_t>(limit)),
                          found_.issues.end());
    }
  }

  /// Finds position and time of the last event up to a moment.
  Status find_end(const Moment& moment, Position& position, TimeUs& time) {
    wire::QueryT query = view_query(wire::View::events);
    query.limit = 1;
    query.at_position = moment.position;
    query.at_time_us = moment.time_us;
    auto page = source_->query(query);
    if (!page) return tl::unexpected(page.error());
    position = page->position;
    if (position == 0) return {};
    query.at_position = position;
    query.at_time_us = 0;
    query.cursor = std::to_string(position - 1);
    page = source_->query(query);
    if (!page) return tl::unexpected(page.error());
    const auto events = LUZIA_TRY(events_of(*page));
    if (!events.empty()) time = events.front()->time_us();
    return {};
  }

  Status find_ends() {
    const Options& options = session_.options();
    if (options.from.is_now()) {
      return fail(ErrorKind::usage, "bad_usage", "diff needs the earlier moment",
                  session_.name() + " diff --from POSITION|TIME");
    }
    Status found = find_end(options.from, found_.from, found_.from_us);
    if (found) found = find_end(options.to, found_.to, found_.to_us);
    if (!found || found_.from <= found_.to) return found;
    return fail(ErrorKind::usage, "bad_usage",
                fmt::format("--from is later than --to: positions {} and {}", found_.from, found_.to),
                "swap them");
  }

  Status read_events() {
    if (found_.from == found_.to) return {};
    wire::QueryT query = session_.query(wire::View::events);
    query.filter->ended = true;
    query.at_position = found_.to;
    query.at_time_us = 0;
    query.cursor = std::to_string(found_.from);
    return visit_pages(*source_, std::move(query), 0, [&](const RowPage& page) -> Status {
      const auto events = LUZIA_TRY(events_of(page));
      for (const schema::Event* event : events) note(*event);
      if (!events.empty()) {
        session_.console().show_progress("comparing", events.back()->position(), found_.to);
      }
      return {};
    });
  }

  void note(const schema::Event& event) {
    ++found_.events;
    const std::string job(job_of_stream(text(event.stream())));
    if (!job.empty()) touched_.jobs.insert(job);
    if (const auto* fact = event.payload_as_JobEvent()) {
      if (begins_job(*fact) && !job.empty()) touched_.new_jobs.insert(job);
    } else if (const auto* issue = event.payload_as_IssueEvent()) {
      const auto* detected = issue->fact_as_IssueDetected();
      if (detected == nullptr) return;
      touched_.issues.emplace_back(job, text(detected->pattern()));
      touched_.severities[std::string(text(detected->pattern()))] = severity_name(detected->severity());
    } else if (const auto* flow = event.payload_as_FlowEvent()) {
      const std::string id(flow_of_stream(text(event.stream())));
      touched_.flows.insert(id);
      if (flow->fact_as_FlowCreated() != nullptr) touched_.new_flows.insert(id);
    }
  }

  /// These jobs as they were at a position.
  Result<JobsById> jobs_at(const std::vector<std::string>& ids, Position position) {
    JobsById jobs;
    if (ids.empty()) return jobs;
    wire::QueryT query = view_query(wire::View::jobs);
    query.filter->jobs = ids;
    query.at_position = position;
    LUZIA_TRY(visit_pages(*source_, std::move(query), 0, [&](const RowPage& page) -> Status {
      const auto rows = LUZIA_TRY(rows_of<view::Job>(page));
      for (const view::Job* row : rows) row->UnPackTo(&jobs[std::string(text(row->id()))]);
      return {};
    }));
    return jobs;
  }

  Status compare_jobs() {
    const std::vector<std::string> ids(touched_.jobs.rbegin(), touched_.jobs.rend());
    for (std::size_t begin = 0; begin < ids.size(); begin += kJobsAtOnce) {
      const std::size_t end = std::min(ids.size(), begin + kJobsAtOnce);
      std::vector<std::string> some, known;
      for (std::size_t i = begin; i < end; ++i) {
        some.push_back(ids[i]);
        if (!touched_.new_jobs.contains(ids[i])) known.push_back(ids[i]);
      }
      const auto before = found_.from == 0 ? Result<JobsById>(JobsById{}) : jobs_at(known, found_.from);
      const auto after = jobs_at(some, found_.to);
      if (!before || !after) return tl::unexpected(before ? after.error() : before.error());
      for (const std::string& id : some) {
        const auto job = after->find(id);
        const auto earlier = before->find(id);
        if (job != after->end()) compare(job->second, earlier == before->end() ? nullptr : &earlier->second);
      }
    }
    for (const auto& [job, pattern] : touched_.issues) count_issue(job, pattern);
    return {};
  }

  static std::uint64_t tokens_of(const view::JobT* job) {
    return job != nullptr && job->tokens ? job->tokens->input + job->tokens->output : 0;
  }

  void compare(const view::JobT& job, const view::JobT* before) {
    projects_[job.id] = job.project;
    const double cost = job.cost_usd.value_or(0) - (before != nullptr ? before->cost_usd.value_or(0) : 0);
    const std::uint64_t tokens = tokens_of(&job) - std::min(tokens_of(&job), tokens_of(before));
    if (cost > 0 || tokens > 0) {
      found_.use[job.project].cost_usd += std::max(0.0, cost);
      found_.use[job.project].tokens += tokens;
    }
    if (before != nullptr && before->state == job.state) return;
    JobChange change{job.id, job.project, job.agent, job.task, {}, std::string(state_name(job.state)),
                     {},     cost,        tokens};
    if (before != nullptr) change.from = state_name(before->state);
    if (is_terminal(job.state)) {
      change.reason =
          end_text(job.state, job.reason, job.exit_code ? std::optional<int>(*job.exit_code) : std::nullopt,
                   job.signal, job.reason_detail);
      if (job.failure) change.cause = job.failure->summary;
    }
    found_.jobs.push_back(std::move(change));
  }

  void count_issue(const std::string& job, const std::string& pattern) {
    const std::string& project = projects_[job];
    IssueChange& change = found_.issues[project + '\0' + pattern];
    change.pattern = pattern;
    change.project = project;
    change.severity = touched_.severities[pattern];
    change.jobs.insert(job);
  }

  Result<std::optional<Flow>> flow_at(const std::string& id, Position position) {
    wire::QueryT query = view_query(wire::View::flows);
    query.id = id;
    query.at_position = position;
    const auto page = LUZIA_TRY(source_->query(query));
    const auto rows = LUZIA_TRY(rows_of<view::Flow>(page));
    if (rows.empty()) return std::nullopt;
    Flow flow;
    rows.front()->UnPackTo(&flow);
    return std::optional<Flow>(std::move(flow));
  }

  Status compare_flows() {
    for (const std::string& id : touched_.flows) {
      const bool is_new = touched_.new_flows.contains(id) || found_.from == 0;
      const auto before = is_new ? Result<std::optional<Flow>>(std::nullopt) : flow_at(id, found_.from);
      const auto after = flow_at(id, found_.to);
      if (!before || !after) return tl::unexpected(before ? after.error() : before.error());
      if (!*after) continue;
      FlowChange change{(*after)->id, (*after)->project, (*after)->description, {}, {}, 0, 0, 0};
      change.to = flow_state_name((*after)->state);
      change.done_to = steps_done(**after);
      change.steps = (*after)->steps.size();
      if (*before) {
        change.from = flow_state_name((*before)->state);
        change.done_from = steps_done(**before);
      }
      found_.flows.push_back(std::move(change));
    }
    return {};
  }

  Session& session_;
  Source* source_ = nullptr;
  Touched touched_;
  std::map<std::string, std::string> projects_;  // of jobs
  Differences found_;
};

void write_moment(JsonObject& object, std::string_view key, Position position, TimeUs time) {
  object.begin(key);
  object.number("position", position);
  object.time("time", time);
  object.end();
}

void write_job(JsonObject& change, const JobChange& job) {
  change.text("id", job.id);
  change.text("project", job.project);
  change.text("agent", job.agent);
  change.text_or_null("task", job.task);
  change.text_or_null("from", job.from);
  change.text("to", job.to);
  change.text_or_null("reason_text", job.reason);
  change.number("cost_usd", job.cost_usd);
  change.number("tokens", job.tokens);
}

void write_flow(JsonObject& change, const FlowChange& flow) {
  change.text("id", flow.id);
  change.text("project", flow.project);
  change.text("description", flow.description);
  change.text_or_null("from", flow.from);
  change.text("to", flow.to);
  change.number("steps", flow.steps);
  change.number("steps_done_from", flow.done_from);
  change.number("steps_done_to", flow.done_to);
}

std::string differences_json(const Differences& found) {
  JsonObject object;
  write_moment(object, "from", found.from, found.from_us);
  write_moment(object, "to", found.to, found.to_us);
  object.number("events", found.events);
  object.objects("jobs", found.jobs, write_job);
  object.objects("flows", found.flows, write_flow);
  object.objects("issues", found.issues, [](JsonObject& change, const auto& entry) {
    const IssueChange& issue = entry.second;
    change.text("pattern", issue.pattern);
    change.text("project", issue.project);
    change.text("severity", issue.severity);
    change.strings("jobs", std::vector<std::string>(issue.jobs.begin(), issue.jobs.end()));
  });
  object.objects("costs", found.use, [](JsonObject& change, const auto& entry) {
    change.text("key", entry.first);
    change.number("tokens", entry.second.tokens);
    change.number("cost_usd", entry.second.cost_usd);
  });
  object.number("position", found.to);
  return object.take();
}

std::string state_change(const std::string& from, const std::string& to) {
  return from.empty() ? "new, " + to : from == to ? to : from + " -> " + to;
}

std::string changed_jobs_text(const Differences& found, const TableStyle& style) {
  Table table({{.title = "JOB"},
               {.title = "PROJECT", .min_width = 6, .shrinks = true},
               {.title = "STATE"},
               {.title = "WHY", .min_width = 8, .shrinks = true, .drops = 2, .keeps_end = true},
               {.title = "USD", .align = Align::right, .drops = 1},
               {.title = "TASK", .min_width = 10, .shrinks = true, .drops = 3}});
  for (const JobChange& job : found.jobs) {
    table.add({{job.id, Colour::bold},
               {job.project},
               {state_change(job.from, job.to), job.to == "failed" ? Colour::red : Colour::none},
               {job.cause.empty() ? job.reason : job.cause},
               {job.cost_usd > 0 ? fmt::format("{:.2f}", job.cost_usd) : ""},
               {job.task}});
  }
  return table.text(style);
}

/// "286 (2026-11-23 09:46:09)"
std::string place_text(Position position, TimeUs time) {
  if (position == 0) return "0 (before the first event)";
  return fmt::format("{} ({})", position, second_time(time));
}

std::string differences_text(const Differences& found, const TableStyle& style) {
  constexpr std::size_t kMostLines = 8;
  const std::string head = fmt::format("from position {} to {}: {}", place_text(found.from, found.from_us),
                                       place_text(found.to, found.to_us), counted(found.events, "event"));
  std::string out;
  for (const std::string& line : wrap_text(head, style.width, kMostLines).lines) out += line + "\n";
  if (!found.jobs.empty()) out += "\n" + changed_jobs_text(found, style);
  if (!found.flows.empty()) {
    Table table({{.title = "FLOW"},
                 {.title = "STATE"},
                 {.title = "STEPS DONE"},
                 {.title = "DESCRIPTION", .min_width = 10, .shrinks = true}});
    for (const FlowChange& flow : found.flows) {
      table.add({{flow.id, Colour::bold},
                 {state_change(flow.from, flow.to)},
                 {fmt::format("{} -> {} of {}", flow.done_from, flow.done_to, flow.steps)},
                 {flow.description}});
    }
    out += "\n" + table.text(style);
  }
  if (!found.issues.empty()) {
    Table table({{.title = "NEW ISSUE", .min_width = 10, .shrinks = true},
                 {.title = "SEVERITY"},
                 {.title = "PROJECT", .min_width = 6, .shrinks = true},
                 {.title = "JOBS", .align = Align::right}});
    for (const auto& [key, issue] : found.issues) {
      table.add({{issue.pattern, Colour::bold},
                 {issue.severity},
                 {issue.project},
                 {fmt::to_string(issue.jobs.size())}});
    }
    out += "\n" + table.text(style);
  }
  if (!found.use.empty()) {
    Table table({{.title = "USED BY", .min_width = 6, .shrinks = true},
                 {.title = "TOKENS", .align = Align::right},
                 {.title = "USD", .align = Align::right}});
    for (const auto& [project, use] : found.use) {
      table.add(
          {{project, Colour::bold}, {fmt::to_string(use.tokens)}, {fmt::format("{:.2f}", use.cost_usd)}});
    }
    out += "\n" + table.text(style);
  }
  return out;
}

constexpr Option kChangesOptions[] = {kJobFilter,   kProjectFilter, kAgentFilter, kTagFilter,
                                      kStateFilter, kChangesLimit,  kFromOption,  kToOption};

}  // namespace

Result<int> show_changes(Session& session) {
  const auto found = LUZIA_TRY(Comparison(session).run());
  Console& console = session.console();
  LUZIA_TRY(session.options().format == Format::json
                ? console.write_line(differences_json(found))
                : console.write(differences_text(found, console.style())));
  return 0;
}

const Command kChangesCommand = {"diff",
                                 "Look",
                                 "--from TIME [--to TIME] [filters]",
                                 "show what changed between two moments: jobs, flows, costs",
                                 "",
                                 "luzia diff --from yesterday\n"
                                 "luzia diff --from 09:00 --to 12:00 --project web\n"
                                 "luzia diff --from 1200 --to 1500 --json",
                                 kChangesOptions,
                                 {},
                                 reading<show_changes>,
                                 kNeedsStore,
                                 kTwoMoments};

}  // namespace luzia
