// A client in a test: sends lines to a session and keeps the replies.
#pragma once

#include <atomic>

#include "tests/matchers.h"
#include "tests/tools/luzia/mcp/scripted_door.h"
#include "tools/luzia/agents/mcp/session.h"

namespace luzia::mcp {

class ClientSide : public testing::Test {
 protected:
  void say(const std::string& line) { session.take(line); }
  void say(const char* line) { session.take(line); }
  void say(const Json& message) { session.take(json_line(message)); }
  void call(int id, const std::string& tool, const Json& arguments, const Json& meta = Json::object()) {
    say(Json{{"jsonrpc", "2.0"},
             {"id", id},
             {"method", "tools/call"},
             {"params", {{"name", tool}, {"arguments", arguments}, {"_meta", meta}}}});
  }
  /// Waits for the next line from the server and returns it.
  Json heard() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return next_ < lines_.size(); });
    return Json::parse(lines_[next_++]);
  }
  std::size_t unheard() {
    const std::lock_guard lock(mutex_);
    return lines_.size() - next_;
  }
  /// Calls a tool and returns the result.
  Json result_of(const std::string& tool, const Json& arguments) {
    call(7, tool, arguments);
    const Json answer = heard();
    EXPECT_EQ(answer["id"], 7) << answer;
    return answer["result"];
  }
  std::string text_of(const std::string& tool, const Json& arguments) {
    const Json result = result_of(tool, arguments);
    EXPECT_EQ(result["isError"], false) << result;
    return result["content"][0]["text"];
  }
  std::string error_of(const std::string& tool, const Json& arguments) {
    const Json result = result_of(tool, arguments);
    EXPECT_EQ(result["isError"], true) << result;
    return result["content"][0]["text"];
  }

  ScriptedDoor door;
  std::atomic<bool> is_gone = false;  // it receives nothing more

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::size_t next_ = 0;

 protected:
  Session session{door, [this](const std::string& line) {
                    if (is_gone) return false;
                    const std::lock_guard lock(mutex_);
                    lines_.push_back(line);
                    changed_.notify_all();
                    return true;
                  }};
};

}  // namespace luzia::mcp
