#include "tools/luziad/attempts/prompts.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>

#include "adapters/project_files/project_files.h"
#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/local_time.h"
#include "engine/prompt/web_search.h"
#include "projections/catalogue.h"
#include "projections/flows.h"
#include "projections/jobs.h"
#include "projections/query.h"
#include "projections/rows/catalogue_rows.h"
#include "projections/rows/flow_context.h"
#include "projections/rows/row_bytes.h"
#include "tools/luziad/attempts/launch_work.h"

namespace luzia {
namespace {

/// Solutions with less trust are not worth an agent's attention.
constexpr double kLeastTrust = 0.3;
constexpr std::size_t kSearchedBytes = 4000;
constexpr std::uint32_t kSearchedSolutions = 10;

bool is_template_name(const std::string& name) {
  const auto plain = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; };
  return !name.empty() && name.size() <= 100 && std::ranges::all_of(name, plain);
}

/// An existing template that cannot be read is an error, not replaced by another one.
tl::unexpected<Error> unread_template(int error, const std::string& path) {
  const std::string what = "reading the template " + path;
  if (error == ENOENT || error == ENOTDIR) return fail_errno(error, "unknown_template", what);
  if (error == EMFILE || error == ENFILE || error == ENOMEM) {
    return fail_errno(error, "out_of_resources", what, "see the limit on open files (ulimit -n) and free");
  }
  return fail_errno(error, "template_unreadable", what, "luziad must be able to read it");
}

/// Empty if it is not a file.
Result<std::string> read_template(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return unread_template(errno, path);
  if (!S_ISREG(status.st_mode)) return std::string();
  auto text = read_up_to(file.get(), kMaxTemplateBytes + 1);
  if (!text) return unread_template(errno, path);
  return std::move(*text);
}

tl::unexpected<Error> unknown_template(const std::string& name, const std::string& folder) {
  std::string known;
  for (const std::string_view each : shipped_template_names()) known.append(each).append(", ");
  return fail(
      ErrorKind::usage, "unknown_template", "there is no prompt template '" + name + "'",
      "known are " + known + "none" +
          (folder.empty() ? "; [prompts] folder says where others are" : "; others: " + folder + "/NAME.md"));
}

std::string meaning_text(schema::ExitMeaning meaning) {
  switch (meaning) {
    case schema::ExitMeaning::completed:
      return "completed";
    case schema::ExitMeaning::retriable_failure:
      return "failed, worth another attempt";
    case schema::ExitMeaning::final_failure:
      return "failed for good";
    case schema::ExitMeaning::needs_clarification:
      return "waits for the answer to a question that you asked";
  }
  return "unknown";
}

/// Collects the contents of an attempt's prompt. Worker thread.
struct Gathering {
  std::shared_ptr<JobState> job;
  const EventLog& log;
  std::unique_ptr<ViewReader> rows;
  std::shared_ptr<LearnedSearch> search;
  ProjectConfig project;
  std::string folder, url;
  bool own_template = false;  // from the project's settings
  PromptLimits limits;
  TimeUs now = 0;
  std::stop_token stop;

  QuerySources sources() const {
    const std::string name = job->spec->project;
    return {log, [name](std::string_view project) { return project == name; }, {}, stop};
  }
  Result<BuiltPrompt> build(const std::string& task) const;
  PromptFacts facts(const std::string& task) const;
  std::vector<std::string> errors() const;
  void add_practices(PromptFacts& facts) const;
  void add_tools(PromptFacts& facts) const;
  void add_context(PromptFacts& facts) const;
};

Result<BuiltPrompt> Gathering::build(const std::string& task) const {
  const auto text = LUZIA_TRY(find_prompt_template(folder, job->spec->prompt_template, own_template));
  const auto parsed = LUZIA_TRY(PromptTemplate::parse(text.text, text.name));
  PromptLimits fitting = limits;
  if (takes_prompt_as_argument(*job->spec)) {
    std::size_t told = 0;
    for (const auto& each : job->told) told += each->text ? each->text->size : 0;
    const std::size_t used = task.size() + text.text.size() + (job->message ? job->message->size : 0) +
                             (job->report ? job->report->size : 0) + told;
    fitting.bytes = std::min(fitting.bytes, kMostOfAnArgument - std::min(kMostOfAnArgument, used));
  }
  BuiltPrompt built = build_prompt(parsed, text.text, text.name, facts(task), fitting);
  LUZIA_TRY(rows->status());
  built.record.attempt = job->attempt;
  return built;
}

/// Why earlier attempts failed: recognized problems, and how the last one ended.
std::vector<std::string> Gathering::errors() const {
  std::vector<std::string> found;
  if (job->attempt < 2) return found;
  wire::QueryT query;
  query.view = wire::View::issues;
  query.limit = 10;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {job->job};
  const auto page = run_query(*rows, sources(), query);
  for (const std::string& bytes : page ? page->rows : std::vector<std::string>()) {
    const auto* issue = verified_row<view::Issue>(as_bytes(bytes));
    if (issue == nullptr || issue->state() == view::IssueState::fixed) continue;
    std::string line(text(issue->line()));
    if (!text(issue->fix()).empty()) line.append(" (what may help: ").append(text(issue->fix())).append(")");
    found.push_back(std::move(line));
  }
  return found;
}

void Gathering::add_practices(PromptFacts& facts) const {
  wire::QueryT query;
  query.view = wire::View::solutions;
  query.text = facts.task.substr(0, kSearchedBytes);
  for (const std::string& line : facts.focus) query.text += " " + line.substr(0, kSearchedBytes);
  query.limit = kSearchedSolutions;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->projects = {job->spec->project};
  const auto page = search->find(*rows, sources(), query, now);
  if (!page) {
    // An attempt does not wait for optional information.
    if (page.error().code != "no_words") spdlog::warn("job {}: {}", job->job, page.error().message);
    return;
  }
  for (const std::string& bytes : page->rows) {
    const auto* row = verified_row<view::Solution>(as_bytes(bytes));
    if (row == nullptr || row->confidence() < kLeastTrust) continue;
    facts.practices.push_back({std::string(text(row->id())), std::string(text(row->problem())),
                               std::string(text(row->text())), row->confidence()});
  }
}

void Gathering::add_tools(PromptFacts& facts) const {
  std::vector<view::CatalogueToolT> tools;
  visit_catalogue(*rows, job->spec->project, [&](view::CatalogueToolT tool) {
    if (tool.agent.empty() || tool.agent == job->spec->agent) tools.push_back(std::move(tool));
    return true;
  });
  for (const ToolSuggestion& each : suggest_tools(tools, facts.task, limits.tools + 1)) {
    facts.tools.push_back({each.tool.tool, each.tool.documentation, each.reason});
  }
}

void Gathering::add_context(PromptFacts& facts) const {
  if (job->spec->flow.empty()) return;
  facts.flow = job->spec->flow;
  facts.step = job->spec->step;
  wire::QueryT query;
  query.view = wire::View::flows;
  query.id = job->spec->flow;
  query.filter = std::make_unique<wire::FilterT>();
  const auto page = run_query(*rows, sources(), query);
  if (!page || page->rows.empty()) return;
  const auto* row = verified_row<view::Flow>(as_bytes(page->rows.front()));
  if (row == nullptr) return;
  Flow flow;
  row->UnPackTo(&flow);
  facts.context = flow_context_prompt(flow);
}

PromptFacts Gathering::facts(const std::string& task) const {
  const schema::JobSpecT& spec = *job->spec;
  PromptFacts facts;
  facts.task = task;
  facts.agent = spec.agent;
  for (const auto& code : spec.exit_codes)
    facts.exit_codes.push_back(std::to_string(code->code) + ": " + meaning_text(code->meaning));
  for (const auto& [gate, policy] : project.gates) {
    const bool is_named = gate.find_first_of("(*") == std::string::npos;
    if (is_named && policy.word == GatePolicy::Word::ask) facts.gates.push_back(gate);
  }
  facts.project = spec.project;
  facts.path = spec.working_dir;
  // What the configuration leaves open, the project's files may show.
  const ProjectTechnologies seen = find_technologies(spec.working_dir);
  facts.framework = project.framework.empty() ? seen.framework : project.framework;
  facts.language = project.language.empty() ? seen.language : project.language;
  facts.build_system = project.build_system.empty() ? seen.build_system : project.build_system;
  facts.project_focus = project.focus;
  facts.environment.emplace_back("Time", format_local(now));
  facts.environment.emplace_back("User", spec.user);
  facts.environment.emplace_back("Attempt", std::to_string(job->attempt));
  if (spec.worktree)
    facts.environment.emplace_back("Files", "a worktree of your own, on a branch of your own");
  const auto row = job->attempt > 1 ? find_job_row(*rows, job->job) : std::nullopt;
  if (row && !row->reason_detail.empty()) {
    facts.focus.push_back("the attempt before this one ended: " + row->reason_detail);
  }
  const std::vector<std::string> errors_before = errors();
  facts.focus.insert(facts.focus.end(), errors_before.begin(), errors_before.end());
  add_practices(facts);
  add_tools(facts);
  add_context(facts);
  const WebSearchAdvice advice = web_search_advice(
      {task, errors_before, {facts.framework, facts.language, facts.build_system}, facts.practices.size()});
  if (advice.helps) {
    const std::string address = web_search_url(url, advice.query);
    facts.web_search = address.empty() ? advice.query : address;
  }
  return facts;
}

}  // namespace

bool takes_prompt_as_argument(const schema::JobSpecT& spec) {
  return std::ranges::any_of(
      spec.command, [](const std::string& word) { return word.find("{task}") != std::string::npos; });
}

Result<PromptText> find_prompt_template(const std::string& folder, const std::string& name,
                                        bool from_settings) {
  PromptText found{name, {}};
  if (from_settings && name.starts_with('/')) {
    found.text = LUZIA_TRY(read_template(name));
  } else if (!is_template_name(name)) {
    return unknown_template(name, folder);
  } else {
    const std::string path = folder + "/" + name + ".md";
    auto text = folder.empty() ? Result<std::string>(std::string()) : read_template(path);
    if (!text && text.error().code != "unknown_template") return tl::unexpected(text.error());
    const auto shipped = shipped_template(name);
    if (text && !text->empty()) {
      found.text = std::move(*text);
    } else if (shipped) {
      found.text = *shipped;
    } else {
      return unknown_template(name, folder);
    }
  }
  LUZIA_TRY(PromptTemplate::parse(found.text, name));
  return found;
}

PromptBuild Prompts::build_of(const std::shared_ptr<JobState>& job) const {
  auto gathering = std::make_shared<Gathering>(Gathering{job,
                                                         store_.log,
                                                         store_.views.snapshot(),
                                                         search_,
                                                         {},
                                                         desk_.config.prompts.folder,
                                                         desk_.config.web_search.url,
                                                         false,
                                                         {},
                                                         wall_now(),
                                                         threads_.stopping});
  gathering->limits.bytes = desk_.config.prompts.max_bytes;
  const auto project = desk_.config.projects.find(job->spec->project);
  if (project != desk_.config.projects.end()) gathering->project = project->second;
  gathering->own_template = job->spec->prompt_template == gathering->project.prompt;
  return [gathering](const std::string& task) { return gathering->build(task); };
}

void Prompts::prepare(const JobState& job, std::function<void(PromptBuild)> then) const {
  auto state = std::make_shared<JobState>(job);
  const Position durable = desk_.engine.durable();
  const auto go_on = [this, state, then = std::move(then)] {
    if (!threads_.stopping.stop_requested()) then(build_of(state));
  };
  if (store_.view_thread.position() >= durable) return go_on();
  store_.when_at(durable, go_on);
}

void Prompts::preview(const RequestId& to, const QueueJob& order) const {
  JobState job;
  job.job = "JOB";
  job.attempt = 1;
  job.spec = std::make_unique<schema::JobSpecT>(order.spec);
  const std::string task = order.prompt ? order.prompt->content : std::string();
  struct Work {
    PromptBuild build;
    Result<BuiltPrompt> built;
  };
  const auto reply = [this, to, why = why_task_alone(job),
                      gates = gates_text(job)](Result<BuiltPrompt> built) {
    if (!built) return refuse(desk_, to, built.error());
    built->text += gates;
    wire::OutputT output;
    output.note = why;
    output.data.assign(built->text.begin(), built->text.end());
    output.last = true;
    if (!built->record.sections.empty())
      output.built = std::make_unique<schema::PromptBuiltT>(std::move(built->record));
    send_reply(desk_, to, std::move(output));
  };
  if (!gets_template(job)) return reply(BuiltPrompt{task, {}});
  prepare(job, [this, task, reply](PromptBuild build) {
    auto work = std::make_shared<Work>(Work{std::move(build), BuiltPrompt{}});
    threads_.workers.run([work, task] { work->built = work->build(task); },
                         [work, reply] { reply(std::move(work->built)); });
  });
}

}  // namespace luzia
