#include "tools/luzia/agents/mcp/tools.h"

#include <algorithm>
#include <array>

#include "tools/cli/command.h"

namespace luzia::mcp {
namespace {

constexpr std::string_view kProgressFields = R"(
  "percent": {"type": "number", "minimum": 0, "maximum": 100, "description": "How much of the whole task is done."},
  "current_step": {"type": "integer", "minimum": 0, "maximum": 1000000, "description": "Number of the current step, from 1."},
  "total_steps": {"type": "integer", "minimum": 0, "maximum": 1000000},
  "step_name": {"type": "string", "maxLength": 500, "description": "What you are doing, in a few words."}
)";

constexpr std::string_view kWarningFields = R"(
  "message": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "What a person should know."},
  "warning_type": {"type": "string", "maxLength": 100, "description": "A short word in capitals, such as DURATION_EXCEEDED."},
  "recommendation": {"type": "string", "maxLength": 2000, "description": "What should be done about it."}
)";

constexpr std::string_view kAskFields = R"(
  "question": {"type": "string", "minLength": 1, "maxLength": 16000, "description": "The whole question, with what a person needs to decide."},
  "type": {"type": "string", "enum": ["text", "choice", "confirm", "multi_select"], "description": "Default: choice if there are options, else text."},
  "options": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 250}, "minItems": 2, "maxItems": 64, "description": "For choice and multi_select; all different."},
  "timeout": {"type": "string", "maxLength": 40, "description": "How long to wait, such as 30m or 2h. Default: the project's setting."},
  "default": {"type": "string", "maxLength": 250, "description": "The answer if nobody answers in time."}
)";

constexpr std::string_view kApprovalFields = R"(
  "gate": {"type": "string", "minLength": 1, "maxLength": 100, "description": "A short name for the action to approve, such as database_migration."},
  "description": {"type": "string", "minLength": 1, "maxLength": 16000, "description": "What you want to do, and what a person should weigh."},
  "timeout": {"type": "string", "maxLength": 40, "description": "Denied if nobody decides by then, such as 30m or 2h."}
)";

constexpr std::string_view kPermissionFields = R"(
  "tool_name": {"type": "string", "minLength": 1, "maxLength": 500},
  "input": {"type": "object", "additionalProperties": true},
  "tool_use_id": {"type": "string", "maxLength": 500}
)";

constexpr std::string_view kStatusFields = R"(
  "job": {"type": "string", "maxLength": 100, "description": "Id of a job or its beginning. Default: the job you work on."}
)";

constexpr std::string_view kQuestionsFields = R"(
  "job": {"type": "string", "maxLength": 100, "description": "Id of a job, or * for every job. Default: the job you work on."},
  "all": {"type": "boolean", "description": "Also list closed ones."}
)";

constexpr std::string_view kFactFields = R"(
  "subject": {"type": ["string", "object"], "minLength": 1, "maxLength": 500, "description": "What the fact is about, such as a service or file; or an object with its name."},
  "relation": {"type": "string", "minLength": 1, "maxLength": 500, "description": "How it relates to the object: uses, depends on, is owned by."},
  "object": {"type": ["string", "object"], "minLength": 1, "maxLength": 500},
  "context": {"type": ["string", "object"], "maxLength": 4000, "description": "Where the fact comes from, and related details: text or an object."},
  "entity_source_name": {"type": ["string", "object"], "minLength": 1, "maxLength": 500, "description": "Another name of subject."},
  "entity_target_name": {"type": ["string", "object"], "minLength": 1, "maxLength": 500, "description": "Another name of object."}
)";

constexpr std::string_view kRelationsFields = R"(
  "entity": {"type": ["string", "object"], "maxLength": 500, "description": "Facts with this as subject or object. Default: all."},
  "entity_name": {"type": ["string", "object"], "maxLength": 500, "description": "Another name of entity."},
  "entity_source_name": {"type": ["string", "object"], "maxLength": 500, "description": "Only facts with this as subject."},
  "entity_target_name": {"type": ["string", "object"], "maxLength": 500, "description": "Only facts with this as object."},
  "subject": {"type": ["string", "object"], "maxLength": 500, "description": "Another name of entity_source_name."},
  "object": {"type": ["string", "object"], "maxLength": 500, "description": "Another name of entity_target_name."},
  "relation": {"type": "string", "maxLength": 500, "description": "Only facts of this relation."},
  "relation_type": {"type": "string", "maxLength": 500, "description": "Another name of relation."},
  "direction": {"type": "string", "enum": ["outgoing", "incoming", "both"], "description": "Whether the entity is the subject, the object, or either (default)."},
  "limit": {"type": "integer", "minimum": 1, "maximum": 500}
)";

constexpr std::string_view kSearchContextFields = R"(
  "query": {"type": ["string", "object"], "minLength": 1, "maxLength": 2000, "description": "Words to search for: a text, or an object with texts."},
  "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "The most results to return. Default: 5."}
)";

constexpr std::string_view kSearchSolutionsFields = R"(
  "query": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "The error message or symptom, in words."},
  "tags": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 64}, "maxItems": 16, "description": "Only solutions with all of these."},
  "min_confidence": {"type": "number", "minimum": 0, "maximum": 1},
  "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "The most results to return. Default: 5."}
)";

constexpr std::string_view kSolutionFields = R"(
  "problem": {"type": "string", "minLength": 1, "maxLength": 4000, "description": "What somebody would search for: an error message, a symptom."},
  "solution": {"type": "string", "minLength": 1, "maxLength": 64000, "description": "What to do about it, so that another agent can."},
  "tags": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 64}, "maxItems": 16, "description": "Single words."},
  "references": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 1000}, "maxItems": 16, "description": "Files, commits, addresses."},
  "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure you are: 0.9 if it was tried and helped, 0.5 if unknown."}
)";

constexpr std::string_view kListToolsFields = R"(
  "task": {"type": "string", "maxLength": 4000, "description": "The task to find tools for. Default: list every known tool."}
)";

constexpr std::string_view kCompleteStepFields = R"(
  "output": {"type": "string", "maxLength": 1000000, "description": "The result, for later steps."},
  "step": {"type": "string", "maxLength": 100, "description": "Default: the step that this job does."}
)";

constexpr std::string_view kContextFields = R"(
  "flow": {"type": "string", "maxLength": 100, "description": "Default: the flow that this job belongs to."}
)";

constexpr std::string_view kAddTodoFields = R"(
  "text": {"type": "string", "minLength": 1, "maxLength": 4000, "description": "What is to be done, so that another agent can do it."}
)";

constexpr std::string_view kTodoFields = R"(
  "todo": {"type": "string", "minLength": 1, "maxLength": 100, "description": "Its id or the beginning of it."},
  "note": {"type": "string", "maxLength": 4000, "description": "What came of it, for the others."}
)";

constexpr std::string_view kListTodosFields = R"(
  "all": {"type": "boolean", "description": "Also list completed ones."},
  "limit": {"type": "integer", "minimum": 1, "maximum": 500}
)";

constexpr std::array<Tool, 19> kTools = {
    {{ToolKind::report_progress, "report_progress", "Report progress",
      "Tell the people who watch this job how far it is. Call it when a step begins or ends.",
      kProgressFields, "", false, false},
     {ToolKind::report_warning, "report_warning", "Report a warning",
      "Warn the people who watch this job about something they should know now, without stopping.",
      kWarningFields, "message", false, false},
     {ToolKind::ask_user, "ask_user", "Ask a person",
      "Ask a person and wait for the answer, which may take hours. Use it when you need to know to continue "
      "well. The result is the answer.",
      kAskFields, "question", false, true},
     {ToolKind::request_approval, "request_approval", "Request an approval",
      "Ask a person to approve something before you do it, and wait for the decision. The result begins with "
      "approved or denied; do not do what was denied.",
      kApprovalFields, "gate,description", false, true},
     {ToolKind::permission_prompt, "permission_prompt", "Decide about a tool call",
      "For Claude Code's --permission-prompt-tool: asks a person whether a tool may be used.",
      kPermissionFields, "tool_name,input", false, true},
     {ToolKind::job_status, "job_status", "Status of a job",
      "The state, progress, warnings, tokens and cost of this job or another one, as JSON.", kStatusFields,
      "", true, false},
     {ToolKind::list_questions, "list_questions", "Open questions and approvals",
      "The questions and approvals that this job or another one has open, as JSON.", kQuestionsFields, "",
      true, false},
     {ToolKind::store_fact, "store_fact", "Remember a fact",
      "Remember how two things of this project are related, for later jobs.", kFactFields, "relation", false,
      false},
     {ToolKind::query_relations, "query_relations", "Facts about a thing",
      "What is known about a thing and how it relates to others, as JSON.", kRelationsFields, "", true,
      false},
     {ToolKind::search_context, "search_context", "Search what is known",
      "Search the facts that jobs of this project have remembered, best match first, as JSON.",
      kSearchContextFields, "query", true, false},
     {ToolKind::search_solutions, "search_solutions", "Search for solutions",
      "What helped against such a problem before, closest and most trusted first, as JSON. Look here when "
      "something fails.",
      kSearchSolutionsFields, "query", true, false},
     {ToolKind::record_solution, "record_solution", "Record a solution",
      "Record what helped against a problem, so that the next agent finds it. The result is its id.",
      kSolutionFields, "problem,solution", false, false},
     {ToolKind::list_tools, "list_tools", "Tools and how they fared",
      "The tools of this project, or those that suit a task, with how often they were called and failed, as "
      "JSON.",
      kListToolsFields, "", true, false},
     {ToolKind::complete_step, "complete_step", "Complete a step of the flow",
      "Complete this job's step of the flow with its result; the steps that need it can then begin.",
      kCompleteStepFields, "", false, false},
     {ToolKind::get_context, "get_context", "Context of the flow",
      "The results of the flow's earlier steps, its notes, the next steps and problems of its jobs, as JSON.",
      kContextFields, "", true, false},
     {ToolKind::list_todos, "list_todos", "Todos of all agents",
      "What is to be done in this project, who has it and since when, as JSON. Look here before you begin "
      "something that others may do as well.",
      kListTodosFields, "", true, false},
     {ToolKind::add_todo, "add_todo", "Add a todo",
      "Leave a todo for any agent of this project. The result is its id.", kAddTodoFields, "text", false,
      false},
     {ToolKind::take_todo, "take_todo", "Take a todo",
      "Take a todo before you do it. It is an error if another agent has it.", kTodoFields, "todo", false,
      false},
     {ToolKind::complete_todo, "complete_todo", "Complete a todo",
      "Say that a todo is done, and what came of it.", kTodoFields, "todo", false, false}}};

}  // namespace

std::span<const Tool> all_tools() {
  return kTools;
}

const Tool* find_tool(std::string_view name) {
  const auto* found = std::find_if(kTools.begin(), kTools.end(), [&](const Tool& tool) {
    return tool.name == name || (tool.kind == ToolKind::ask_user && name == kAskPerson);
  });
  return found == kTools.end() ? nullptr : found;
}

Json schema_of(const Tool& tool) {
  Json schema = {{"type", "object"},
                 {"properties", Json::parse("{" + std::string(tool.fields) + "}")},
                 {"additionalProperties", tool.kind == ToolKind::permission_prompt}};
  for (const std::string_view name : pieces_of(tool.required, ',')) schema["required"].push_back(Json(name));
  return schema;
}

Json tools_list(ClientKind client) {
  Json list = Json::array();
  for (const Tool& tool : kTools) {
    const bool renamed = client == ClientKind::peculiar && tool.kind == ToolKind::ask_user;
    list.push_back({{"name", renamed ? kAskPerson : tool.name},
                    {"title", tool.title},
                    {"description", tool.description},
                    {"inputSchema", schema_of(tool)},
                    {"annotations",
                     {{"title", tool.title},
                      {"readOnlyHint", tool.reads_only},
                      {"destructiveHint", false},
                      {"idempotentHint", tool.reads_only},
                      {"openWorldHint", false}}}});
  }
  return {{"tools", std::move(list)}};
}

}  // namespace luzia::mcp
