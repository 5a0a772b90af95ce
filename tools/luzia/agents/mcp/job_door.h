// The port through which the MCP tools use the daemon, for the job that the agent works on. An interface, so
// that the tools can be tested without a daemon.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "protocol.fb.h"
#include "tools/luzia/agents/mcp/call_stop.h"
#include "tools/luzia/agents/told.h"
#include "view.fb.h"

namespace luzia::mcp {

/// How a call waits for a person.
struct CallWait {
  const CallStop& stop;
  std::function<void()> on_tick;  // called every 30 s while waiting; may be empty
};

/// Where the agent works, according to its environment; each may be empty.
struct Workplace {
  std::string job, project, flow, step;
};

class JobDoor {
 public:
  virtual ~JobDoor() = default;

  virtual Workplace workplace() const = 0;

  // Called from one thread, in the order of the tool calls. `no_job` (usage): outside a job.
  virtual Status report(schema::ReportFactUnion fact) = 0;
  /// The job's row as `luzia job --json` prints it; an empty name means the own job.
  virtual Result<std::string> job(const std::string& name) = 0;
  /// {"questions":[...],"approvals":[...]} of a job; an empty name means the own one, "*" every job. Without
  /// `all` only what is open.
  virtual Result<std::string> requests(const std::string& name, bool all) = 0;

  /// Carries out a command about solutions, facts or flows exactly once and returns its ids. Adds a command
  /// id if the command has none.
  virtual Result<std::vector<std::string>> teach(wire::RequestUnion request) = 0;
  /// {"solutions":[...]}, {"facts":[...]} or {"todos":[...]}, depending on the query's view.
  virtual Result<std::string> learned(const wire::QueryT& query) = 0;
  /// {"tools":[...]} of a project: those that suit the task, best first; all tools if `task` is empty.
  virtual Result<std::string> tools(const std::string& project, const std::string& task) = 0;
  /// The context for a flow's next step, as `luzia flow context` prints it.
  virtual Result<std::string> context(const std::string& flow) = 0;

  // Called from any thread. Each returns when the request is closed; `interrupted` (refused): it was stopped.
  virtual Result<view::QuestionT> ask(wire::AskQuestionT question, const CallWait& wait) = 0;
  virtual Result<view::ApprovalT> request(wire::RequestApprovalT approval, const CallWait& wait) = 0;
  /// What the agent was told and has not read. It is told again unless it is confirmed.
  virtual ToldWords told() = 0;
  /// Confirms that the agent's program has received the answer `id` of the job.
  virtual void confirm(const std::string& job, const std::string& id) = 0;
};

}  // namespace luzia::mcp
