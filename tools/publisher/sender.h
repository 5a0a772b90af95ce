// Sends publications to the daemon over one connection at a time: in order, and many before the first answer.
// After a reconnect, all unanswered ones are sent again. One thread at a time, except cut().
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "adapters/socket/client.h"
#include "tools/publisher/publisher.h"

namespace luzia {

schema::ReportFactUnion report_of(const Publication& publication);
std::size_t text_bytes(const Publication& publication);

struct Outgoing {
  std::uint64_t number = 0;  // from 1, in the order of recording; part of its command id
  Publication publication;
  std::uint64_t request = 0;            // request id on the current connection; 0: not sent on it
  std::optional<PublishResult> result;  // nothing: not answered yet
};

/// The daemon to send to, and the job and attempt, or the task, to report on.
struct Destination {
  std::string job;
  std::uint32_t attempt = 0;
  std::string socket, store;
  std::string task_id = {}, project = {};     // of a task without a job; empty if there is a job
  std::optional<PublishResult> mistake = {};  // why nothing can be published: no_job, bad_value
};
Destination destination_of(const PublisherOptions& options);

class Sender {
 public:
  using Clock = std::chrono::steady_clock;
  /// What to wait for before the next advance(): the descriptor (-1: none), at most until `until`.
  struct Pending {
    int fd = -1;
    Clock::time_point until = Clock::time_point::max();
  };

  explicit Sender(Destination destination);

  void add(Outgoing outgoing) { under_way_.push_back(std::move(outgoing)); }
  std::size_t under_way() const { return under_way_.size(); }
  /// Connects if it is time to, sends what is unsent and reads the answers that have arrived. Does not wait.
  Pending advance();
  /// Removes and returns the oldest publication, if it is answered.
  std::optional<Outgoing> take_answered();
  /// Removes and returns all publications, and closes the connection, so that late answers are not taken for
  /// answers to later publications.
  std::deque<Outgoing> give_up();
  /// The last connection error; empty: none.
  const std::string& trouble() const { return trouble_; }
  /// Any thread: shuts the connection down, so that no call waits for it.
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
  std::size_t answered_ = 0;  // how many of under_way_, from its front, are answered without a gap
  std::size_t sent_ = 0;      // how many of under_way_, from its front, are sent on the current connection
  std::optional<Client> client_;
  std::mutex client_mutex_;  // guards creation and destruction of client_ against cut()
  std::string trouble_;
  Clock::time_point retry_at_ = Clock::time_point::min();
  std::chrono::milliseconds retry_after_{0};
};

}  // namespace luzia
