// The tools that agents are offered: their names, texts and what their arguments look like. Constants.
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
};

struct Tool {
  ToolKind kind;
  std::string_view name, title, description;
  std::string_view schema;  // JSON
  bool reads_only;
  bool waits;  // for a person
};

/// What ask_user is called where that name is taken: by an agent that has an ask_user of its own, which it
/// denies to models without a person at the terminal, and that hides the tools of servers which are called
/// like it. Not so for everybody: ask_user is what people's prompts and permissions name.
constexpr std::string_view kAskPerson = "ask_person";

/// Who is offered the tools: some need names and results that others do not (Agent::peculiar_mcp_client).
enum class ClientKind { usual, peculiar };

std::span<const Tool> all_tools();
/// By its name or, of ask_user, kAskPerson; null: there is none.
const Tool* find_tool(std::string_view name);

/// The result of tools/list.
Json tools_list(ClientKind client);

/// What is wrong with the arguments, for the model to fix; nothing when they fit the tool's schema.
std::optional<std::string> argument_mistake(const Tool& tool, const Json& arguments);

}  // namespace luzia::mcp
