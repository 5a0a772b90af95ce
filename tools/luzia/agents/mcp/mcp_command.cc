// mcp: serves the Model Context Protocol on standard input and output, for the agent of a job.
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tools/luzia/agents/mcp/daemon_door.h"
#include "tools/luzia/agents/mcp/line_reader.h"
#include "tools/luzia/agents/mcp/session.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

/// Writes a line to the client. False: the client is gone, and standard input ends.
bool write_line(const std::string& line) {
  const std::string whole = line + "\n";
  std::string_view rest = whole;
  while (!rest.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) return false;
    rest.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return true;
}

Result<int> run_mcp(Invocation& invocation) {
  ::signal(SIGPIPE, SIG_IGN);
  mcp::DaemonDoor door(invocation);
  mcp::Session session(door, write_line);
  mcp::LineReader input(STDIN_FILENO);
  while (const auto line = input.next()) {
    if (line->too_long) {
      session.refuse_long_line();
    } else {
      session.take(line->text);
    }
  }
  session.end();
  return 0;
}

}  // namespace

const Command kMcpCommand = {
    "mcp",
    "Agents",
    "",
    "serve Luzia's tools to a job's agent (MCP over stdio)",
    "Agents start this server themselves; see luzia init. Its tools: report_progress, report_warning, "
    "ask_user (ask_person for agents that hide tools of that name), request_approval, permission_prompt (for "
    "Claude Code's --permission-prompt-tool: a person decides tool calls and answers AskUserQuestion), "
    "job_status, list_questions, search_solutions, record_solution, store_fact, query_relations, "
    "search_context, list_tools, complete_step, get_context, list_todos, add_todo, take_todo, complete_todo. "
    "The server speaks for the job $LUZIA_JOB_ID. "
    "Calls that ask a person wait for as long as it takes; if the agent cancels a call, its question or "
    "approval request is withdrawn. If the agent exits, open ones stay open until its attempt ends.",
    "claude -p --mcp-config '{\"mcpServers\":{\"luzia\":{\"command\":\"luzia\",\"args\":[\"mcp\"]}}}' "
    "--permission-prompt-tool mcp__luzia__permission_prompt",
    {},
    {},
    run_mcp};

}  // namespace luzia
