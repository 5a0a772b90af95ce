// Searches the outputs of many jobs through the daemon, several at once; the answers come in the order of the
// questions. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/socket/client.h"

namespace luzia {

struct OutputQuestion {
  std::string job;
  std::uint32_t attempt = 0;  // 0: the newest
  std::uint64_t until = 0;    // search only so many bytes; 0: all
};

struct OutputAnswer {
  std::vector<std::unique_ptr<wire::FoundLineT>> lines;  // at most as many as were asked for
  bool more = false;                                     // there may be further ones
  std::optional<Error> unread;                           // of this output: removed, or not readable
};

class OutputSearch {
 public:
  /// `client` must outlive it, and belongs to it meanwhile. `most`: lines of each output.
  OutputSearch(Client& client, std::string words, bool expression, std::uint32_t most)
      : client_(client), words_(std::move(words)), expression_(expression), most_(most) {}

  /// Whether another question may be asked before an answer is taken.
  bool has_room() const { return asked_.size() < kMostAtOnce; }
  Status ask(OutputQuestion question);
  /// Sends questions that are still held back, to be sent with others. next() does, too, when it waits.
  Status flush() { return client_.flush(); }
  /// The answer to the first question that has none yet; waits for it, after `before_waiting`. Errors: those
  /// of that, of the connection, and of the words (usage).
  Result<OutputAnswer> next(const std::function<Status()>& before_waiting);

 private:
  struct Asked {
    OutputQuestion question;
    std::uint64_t request = 0;
    std::uint64_t from = 0;
    bool over = false;
    OutputAnswer answer;
  };
  // The daemon searches a few at a time. The others are ready when it is done with these, also while a large
  // one takes long whose answer comes first.
  static constexpr std::size_t kMostAtOnce = 128;
  // A system call for each would take longer than some searches do.
  static constexpr std::size_t kAskedTogether = 16;

  Status send(Asked& asked);
  Status take(const wire::ServerFrame& frame);
  Status take_lines(Asked& asked, const wire::FoundWords& found);

  Client& client_;
  std::string words_;
  bool expression_;
  std::uint32_t most_;
  std::deque<Asked> asked_;
  std::size_t posted_ = 0;
};

}  // namespace luzia
