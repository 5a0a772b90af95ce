// The way of publications to the daemon over one connection at a time: sent in order, many before the first
// answer, and all that is not answered once more over the next connection. One thread at a time, but for
// cut().
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "adapters/socket/client.h"
#include "tools/publisher/publisher.h"

namespace luzia {

/// A publication as the daemon takes it.
schema::ReportFactUnion report_of(const Publication& publication);
/// Bytes of its texts.
std::size_t text_bytes(const Publication& publication);

struct Outgoing {
  std::uint64_t number = 0;  // from 1, in the order in which they are recorded; makes its command id
  Publication publication;
  std::uint64_t request = 0;            // on the present connection; 0: not sent there
  std::optional<PublishResult> result;  // nothing: not answered yet
};

/// Where to, and about what.
struct Destination {
  std::string job;
  std::uint32_t attempt = 0;
  std::string socket, store;
  std::optional<PublishResult> mistake = {};  // nothing can be said: no_job, bad_value
};
Destination destination_of(const PublisherOptions& options);

class Sender {
 public:
  using Clock = std::chrono::steady_clock;
  /// What to wait for after advance(): the descriptor (-1: none), but not beyond `until`.
  struct Pending {
    int fd = -1;
    Clock::time_point until = Clock::time_point::max();
  };

  explicit Sender(Destination destination);

  void add(Outgoing outgoing) { under_way_.push_back(std::move(outgoing)); }
  std::size_t under_way() const { return under_way_.size(); }
  /// Connects when it is time to, sends what is not sent, takes the answers that are there.
  Pending advance();
  /// The oldest, once it is answered.
  std::optional<Outgoing> take_answered();
  /// Everything under way, and the connection with it: an answer to it must not be taken for another's.
  std::deque<Outgoing> give_up();
  /// Why it does not advance; empty where nothing is known.
  const std::string& trouble() const { return trouble_; }
  /// Any thread: breaks the connection off, so that no call waits for it.
  void cut();

 private:
  bool connect();
  Status send_new();
  Status receive_all();
  Status take(const wire::ServerFrame& frame);
  void skip_answered();
  void lose(const Error& why);
  wire::RequestUnion request_for(const Outgoing& outgoing) const;

  Destination destination_;
  std::string id_prefix_;
  std::deque<Outgoing> under_way_;
  std::size_t answered_ = 0;  // the first of them, without a gap
  std::size_t sent_ = 0;      // the first of them, over the present connection
  std::optional<Client> client_;
  std::mutex client_mutex_;  // over the making and the end of client_, and cut()
  std::string trouble_;
  Clock::time_point retry_at_ = Clock::time_point::min();
  std::chrono::milliseconds retry_after_{0};
};

}  // namespace luzia
