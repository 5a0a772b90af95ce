// The MCP tools offered to agents: names, descriptions and schemas of their arguments. Constants.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/cli/json_text.h"

namespace luzia::mcp {

enum class ToolKind {
  report_progress,
  report_warning,
  ask_user,
  request_approval,
  permission_prompt,
  job_status,
  list_questions,
  store_fact,
  query_relations,
  search_context,
  search_solutions,
  record_solution,
  list_tools,
  complete_step,
  get_context,
  add_todo,
  take_todo,
  complete_todo,
  list_todos,
};

struct Tool {
  ToolKind kind;
  std::string_view name, title, description;
  std::string_view fields;    // of its arguments, as members of a JSON object
  std::string_view required;  // names, separated by commas
  bool reads_only;
  bool waits;  // for a person
};

/// The name of ask_user for clients that have an ask_user of their own. Such an agent hides tools of servers
/// with the same name, and refuses its own without a person at the terminal. Other clients keep the name
/// ask_user, because people's prompts and permissions use it.
constexpr std::string_view kAskPerson = "ask_person";

/// The kind of MCP client. Some need other tool names and results (Agent::peculiar_mcp_client).
enum class ClientKind { usual, peculiar };

std::span<const Tool> all_tools();
/// The tool of that name; kAskPerson finds ask_user, too. Null: unknown.
const Tool* find_tool(std::string_view name);

/// The JSON schema of the tool's arguments.
Json schema_of(const Tool& tool);
/// The result of tools/list.
Json tools_list(ClientKind client);

/// What is wrong with the arguments, for the model to fix; nothing if they match the tool's schema.
std::optional<std::string> argument_mistake(const Tool& tool, const Json& arguments);

}  // namespace luzia::mcp
