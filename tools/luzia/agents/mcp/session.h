// A client's session with the MCP server: answers its messages. Calls that wait for a person run on their own
// threads, so that nothing else waits for the person. All other calls run one after the other on one thread,
// so that reports are recorded in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "tools/luzia/agents/mcp/job_door.h"
#include "tools/luzia/agents/mcp/message.h"
#include "tools/luzia/agents/mcp/tool_calls.h"

namespace luzia::mcp {

/// Most calls of a client at the same time; more are refused.
constexpr std::size_t kMostCalls = 64;

class Session {
 public:
  /// Takes one line without its end; called from any thread, one at a time. False: the client has not
  /// received it.
  using Write = std::function<bool(const std::string& line)>;
  /// `door` must outlive the session.
  Session(JobDoor& door, Write write);
  /// Calls end().
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Handles the client's next line, without line end. Call it from one thread.
  void take(std::string_view line);
  /// Answers a line that was too long to be kept.
  void refuse_long_line();
  /// The client sends nothing more. Pending reports are still recorded; calls that wait for a person stop
  /// waiting. Returns when all calls have ended.
  void end();

 private:
  struct Call;
  void answer(const Message& message);
  void start_call(const Message& message);
  void begin(std::shared_ptr<Call> call);
  void cancel(const Message& message);
  void run_quick_calls();
  /// False: the tool failed.
  bool run(const Call& call);
  void finish(const Call& call, const ToolResult& result);
  void forget(const Call& call);
  void join_ended();
  bool write(const std::string& line);

  JobDoor& door_;
  Write write_;
  ClientKind client_ = ClientKind::usual;  // used only by the thread that calls take()
  std::mutex writing_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Call>> calls_;  // by id as JSON
  std::deque<std::shared_ptr<Call>> quick_;
  std::map<std::thread::id, std::thread> waiting_;
  std::deque<std::thread::id> ended_threads_;
  bool ending_ = false;
  std::thread quick_thread_;  // started by the first quick call
};

}  // namespace luzia::mcp
