#include "tools/luzia/agents/mcp/learning_calls.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "engine/base/lower_case.h"
#include "tools/luzia/asking.h"

namespace luzia::mcp {
namespace {

constexpr std::uint32_t kDefaultHits = 5, kDefaultFactRows = 50, kDefaultTodos = 100;

std::vector<std::string> texts_in(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_array() ? found->get<std::vector<std::string>>()
                                                       : std::vector<std::string>();
}

double number_in(const Json& arguments, const char* name, double otherwise) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_number() ? found->get<double>() : otherwise;
}

/// The result of a command: its id if it has one, else `done`; or the error.
ToolResult reported(const Result<std::vector<std::string>>& ids, const char* done) {
  if (!ids) return mistake(ids.error());
  return {ids->empty() ? std::string(done) : ids->front()};
}

template <class Request>
wire::RequestUnion command(Request request) {
  request.command_id = fresh_command_id();
  return request_of(std::move(request));
}

/// A query for rows of the own project and rows that apply to all projects.
wire::QueryT query_of(wire::View view, const Json& arguments, const JobDoor& door, std::uint32_t otherwise) {
  wire::QueryT query = view_query(view);
  query.limit = static_cast<std::uint32_t>(number_in(arguments, "limit", otherwise));
  if (const std::string project = door.workplace().project; !project.empty())
    query.filter->projects = {project};
  return query;
}

/// A thing: a text, or an object with its name; under the first of these names that is given. Empty: none is.
std::string thing_in(const Json& arguments, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = arguments.find(name);
    const bool is_object = found != arguments.end() && found->is_object();
    std::string text = is_object ? text_of(*found, "name") : text_of(arguments, name);
    if (!text.empty()) return text;
  }
  return {};
}

std::string context_in(const Json& arguments) {
  const auto found = arguments.find("context");
  if (found == arguments.end() || !found->is_object()) return text_of(arguments, "context");
  return found->empty() ? std::string() : json_line(*found);
}

ToolResult store_fact(const Json& arguments, JobDoor& door) {
  wire::StoreFactT fact;
  fact.subject = thing_in(arguments, {"subject", "entity_source_name"});
  fact.relation = text_of(arguments, "relation");
  fact.object = thing_in(arguments, {"object", "entity_target_name"});
  fact.context = context_in(arguments);
  fact.project = door.workplace().project;
  if (fact.subject.empty()) return {"subject (or entity_source_name) is missing", true};
  if (fact.object.empty()) return {"object (or entity_target_name) is missing", true};
  return reported(door.teach(command(std::move(fact))), "the fact is stored");
}

/// The words to search for: a text, or the texts in an object.
std::string words_in(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end() || !found->is_object()) return text_of(arguments, name);
  std::string words;
  for (const Json& value : *found) {
    if (value.is_string()) words.append(words.empty() ? "" : " ").append(value.get<std::string>());
  }
  return words;
}

/// Which things a fact must have, without regard to case; empty: any.
struct FactSides {
  std::string subject, object;

  bool take(const Json& fact) const {
    const auto fits = [&](const std::string& side, const char* name) {
      return side.empty() || lower_case(text_of(fact, name)) == lower_case(side);
    };
    return fits(subject, "subject") && fits(object, "object");
  }
};

/// Facts also under the names that agents know, with a context that was an object as one.
ToolResult read_facts(const Result<std::string>& json, const FactSides& sides) {
  if (!json) return mistake(json.error());
  auto page = parse_json(*json);
  if (!page) return mistake(page.error());
  Json kept = Json::array();
  for (Json& fact : (*page)["facts"]) {
    if (!sides.take(fact)) continue;
    fact["entity_source_name"] = text_of(fact, "subject");
    fact["entity_target_name"] = text_of(fact, "object");
    const auto context = parse_json(text_of(fact, "context"));
    if (context && context->is_object()) fact["context"] = *context;
    kept.push_back(std::move(fact));
  }
  (*page)["facts"] = std::move(kept);
  return {json_line(*page)};
}

ToolResult query_relations(const Json& arguments, JobDoor& door) {
  wire::QueryT query = query_of(wire::View::facts, arguments, door, kDefaultFactRows);
  FactSides sides{thing_in(arguments, {"subject", "entity_source_name"}),
                  thing_in(arguments, {"object", "entity_target_name"})};
  query.id = thing_in(arguments, {"entity", "entity_name"});
  const std::string direction = text_of(arguments, "direction");
  if (direction == "outgoing" && sides.subject.empty()) sides.subject = query.id;
  if (direction == "incoming" && sides.object.empty()) sides.object = query.id;
  if (query.id.empty()) query.id = sides.subject.empty() ? sides.object : sides.subject;
  if (const std::string relation = thing_in(arguments, {"relation", "relation_type"}); !relation.empty())
    query.filter->tags = {relation};
  return read_facts(door.learned(query), sides);
}

ToolResult search(const Json& arguments, JobDoor& door, wire::View view) {
  wire::QueryT query = query_of(view, arguments, door, kDefaultHits);
  query.text = words_in(arguments, "query");
  if (query.text.empty()) return {"query has no words to search for", true};
  query.filter->tags = texts_in(arguments, "tags");
  const auto found = door.learned(query);
  if (view == wire::View::facts) return read_facts(found, {});
  const double least = number_in(arguments, "min_confidence", 0);
  if (!found || least <= 0) return shown(found);
  const auto page = parse_json(*found);
  if (!page) return mistake(page.error());
  Json kept = Json::array();
  for (const Json& each : (*page)["solutions"]) {
    if (each.value("confidence", 0.0) >= least) kept.push_back(each);
  }
  return {json_line(Json{{"solutions", std::move(kept)}})};
}

ToolResult record_solution(const Json& arguments, JobDoor& door) {
  wire::RecordSolutionT solution;
  const Workplace place = door.workplace();
  solution.problem = text_of(arguments, "problem");
  solution.text = text_of(arguments, "solution");
  solution.tags = texts_in(arguments, "tags");
  solution.references = texts_in(arguments, "references");
  solution.confidence = number_in(arguments, "confidence", solution.confidence);
  solution.project = place.project;
  solution.job = place.job;
  if (!place.job.empty()) solution.references.push_back("job " + place.job);
  return reported(door.teach(command(std::move(solution))), "the solution is recorded");
}

ToolResult complete_step(const Json& arguments, JobDoor& door) {
  const Workplace place = door.workplace();
  wire::ActOnFlowT request;
  request.action = wire::FlowAction::complete;
  request.flow = place.flow;
  request.step = text_of(arguments, "step").empty() ? place.step : text_of(arguments, "step");
  request.text = text_of(arguments, "output");
  request.from_job = place.job;
  if (request.flow.empty()) return {"this job belongs to no flow, so there is no step to complete", true};
  const auto done = door.teach(command(std::move(request)));
  return done ? ToolResult{"the step is completed"} : mistake(done.error());
}

ToolResult get_context(const Json& arguments, JobDoor& door) {
  const std::string asked = text_of(arguments, "flow");
  const std::string flow = asked.empty() ? door.workplace().flow : asked;
  if (flow.empty()) return {"this job belongs to no flow: name one", true};
  return shown(door.context(flow));
}

template <wire::TodoAction action>
ToolResult act_on_todo(const Json& arguments, JobDoor& door) {
  const Workplace place = door.workplace();
  wire::ActOnTodoT request;
  request.action = action;
  request.todo = text_of(arguments, "todo");
  request.text = text_of(arguments, "text");
  request.note = text_of(arguments, "note");
  request.project = place.project;
  request.job = place.job;
  const auto ids = door.teach(command(std::move(request)));
  if (action == wire::TodoAction::add) return reported(ids, "the todo is added");
  const char* done = action == wire::TodoAction::take ? "is yours" : "is completed";
  if (!ids) return mistake(ids.error());
  return {ids->empty() ? std::string(done) : ids->front() + " " + done};
}

ToolResult list_todos(const Json& arguments, JobDoor& door) {
  wire::QueryT query = query_of(wire::View::todos, arguments, door, kDefaultTodos);
  const auto all = arguments.find("all");
  query.filter->ended = all != arguments.end() && *all == Json(true);
  return shown(door.learned(query));
}

using RunTool = ToolResult (*)(const Json& arguments, JobDoor& door);

constexpr std::pair<ToolKind, RunTool> kLearningTools[] = {
    {ToolKind::store_fact, store_fact},
    {ToolKind::query_relations, query_relations},
    {ToolKind::search_context, [](const Json& a, JobDoor& d) { return search(a, d, wire::View::facts); }},
    {ToolKind::search_solutions,
     [](const Json& a, JobDoor& d) { return search(a, d, wire::View::solutions); }},
    {ToolKind::record_solution, record_solution},
    {ToolKind::list_tools,
     [](const Json& a, JobDoor& d) { return shown(d.tools(d.workplace().project, text_of(a, "task"))); }},
    {ToolKind::complete_step, complete_step},
    {ToolKind::get_context, get_context},
    {ToolKind::add_todo, act_on_todo<wire::TodoAction::add>},
    {ToolKind::take_todo, act_on_todo<wire::TodoAction::take>},
    {ToolKind::complete_todo, act_on_todo<wire::TodoAction::done>},
    {ToolKind::list_todos, list_todos},
};

}  // namespace

ToolResult run_learning_tool(ToolKind kind, const Json& arguments, JobDoor& door) {
  const auto tool = std::ranges::find(kLearningTools, kind, &std::pair<ToolKind, RunTool>::first);
  return tool == std::end(kLearningTools) ? mistake("no such tool") : tool->second(arguments, door);
}

}  // namespace luzia::mcp
