// What the tools ask of the daemon, for the job that the agent works on. An interface, so that the tools can
// be tested without a daemon.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "protocol.fb.h"
#include "tools/luzia/agents/mcp/call_stop.h"
#include "view.fb.h"

namespace luzia::mcp {

/// How a call stays for a person.
struct CallWait {
  const CallStop& stop;
  std::function<void()> on_tick;  // every half minute meanwhile; empty: nobody wants to know
};

/// Where the agent works, of its environment; each may be empty.
struct Workplace {
  std::string job, project, flow, step;
};

class JobDoor {
 public:
  virtual ~JobDoor() = default;

  virtual Workplace workplace() const = 0;

  // From one thread, in the order of the calls. `no_job` (usage) outside a job.
  virtual Status report(schema::ReportFactUnion fact) = 0;
  /// The row as `luzia job --json` prints it; an empty name means the own job.
  virtual Result<std::string> job(const std::string& name) = 0;
  /// {"questions":[...],"approvals":[...]} of a job; an empty name means the own one, "*" every job. Without
  /// `all` only what is open.
  virtual Result<std::string> requests(const std::string& name, bool all) = 0;

  /// Carries out a command about what was learned, or about a flow, once; its ids. A command id is given
  /// where it has none.
  virtual Result<std::vector<std::string>> teach(wire::RequestUnion request) = 0;
  /// {"solutions":[...]} or {"facts":[...]}, as the query's view says.
  virtual Result<std::string> learned(const wire::QueryT& query) = 0;
  /// {"tools":[...]} of a project: those that suit the task, the best first; all of them without one.
  virtual Result<std::string> tools(const std::string& project, const std::string& task) = 0;
  /// What a flow's step to come should know, as `luzia flow context` prints it.
  virtual Result<std::string> context(const std::string& flow) = 0;

  // From any thread; each comes back when the request is over, or `interrupted` (refused) when it is stopped.
  virtual Result<view::QuestionT> ask(wire::AskQuestionT question, const CallWait& wait) = 0;
  virtual Result<view::ApprovalT> request(wire::RequestApprovalT approval, const CallWait& wait) = 0;
  /// The agent's program has the answer to what was asked about the job.
  virtual void confirm(const std::string& job, const std::string& id) = 0;
};

}  // namespace luzia::mcp
