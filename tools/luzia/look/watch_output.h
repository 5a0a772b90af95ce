// The output of watched jobs, followed live over the connection of the watch, as `tail -f` would show it. One
// thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/socket/client.h"
#include "tools/luzia/look/output_stream.h"
#include "view.fb.h"

namespace luzia {

class WatchedOutput {
 public:
  /// `named`: each line begins with its job's id.
  WatchedOutput(OutputOptions options, bool named) : options_(std::move(options)), named_(named) {}
  WatchedOutput(const WatchedOutput&) = delete;
  WatchedOutput& operator=(const WatchedOutput&) = delete;

  /// Asks for the output of the attempt that each job is in or waits for, once the attempt before is shown.
  /// Of an attempt that runs already the last lines come first.
  Status follow(Client& client, const std::vector<const view::Job*>& jobs);
  /// After the connection was lost: follow() asks again, from the bytes on that have not arrived.
  void forget_requests();
  /// Whether the frame is about output; its lines are added to text(), or why there is none.
  bool take(const wire::ServerFrame& frame);
  /// The lines since the last call: harmless, each with its newline.
  std::string text() { return std::exchange(text_, {}); }
  /// Whether everything that was asked for has arrived.
  bool is_whole() const;

 private:
  struct Followed {
    std::uint32_t attempt = 0;  // 0: none yet
    std::uint64_t offset = 0;
    std::int64_t last_lines = -1;
    std::uint64_t request = 0;  // 0: to be sent
    bool whole = true;
    std::optional<OutputStream> stream;
  };
  Status begin(const view::Job& job, Followed& followed, std::uint32_t attempt);
  Status send(Client& client, const std::string& job, Followed& followed);
  void end(Followed& followed);

  OutputOptions options_;
  bool named_;
  std::map<std::string, Followed, std::less<>> jobs_;  // by full id
  std::string text_;
};

}  // namespace luzia
