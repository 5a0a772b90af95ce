// One client's session with the server: what each message is answered with. Calls that wait for a person run
// on threads of their own, the others one after the other on one thread, so that reports are recorded in the
// order in which they were made and nothing waits for a person who is away.
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

/// Of one client at the same time; more are refused.
constexpr std::size_t kMostCalls = 64;

class Session {
 public:
  /// Takes one line without its end; called from any thread, one at a time.
  using Write = std::function<void(const std::string& line)>;
  /// `door` must outlive the session.
  Session(JobDoor& door, Write write);
  /// As end().
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The next line of the client, without its end. One thread.
  void take(std::string_view line);
  /// In place of a line that was too long to be kept.
  void refuse_long_line();
  /// The client says no more: what it has reported is recorded, calls that wait for a person stop waiting.
  /// Comes back when all calls have ended.
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
  void write(const std::string& line);

  JobDoor& door_;
  Write write_;
  ClientKind client_ = ClientKind::usual;  // of the thread that takes lines
  std::mutex writing_;
  std::mutex mutex_;  // all below
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Call>> calls_;  // by id as JSON
  std::deque<std::shared_ptr<Call>> quick_;
  std::map<std::thread::id, std::thread> waiting_;
  std::deque<std::thread::id> ended_threads_;
  bool ending_ = false;
  std::thread quick_thread_;  // started by the first quick call
};

}  // namespace luzia::mcp
