// Shows what a job asks to whoever stays with it: each question and approval once, on standard error, with
// the command that answers it. One thread.
#pragma once

#include <set>
#include <string>

#include "tools/luzia/asking.h"

namespace luzia {

class AskedPrompts {
 public:
  /// `job`: its full id. `invocation` must outlive this.
  AskedPrompts(Invocation& invocation, std::string job) : invocation_(invocation), job_(std::move(job)) {}

  /// Follows the job on this connection, and asks what is open already. Again after each reconnection.
  void open(Client& client);
  /// Whether the frame answers one of these requests; shows what it tells.
  bool take(Client& client, const wire::ServerFrame& frame);
  /// Asks once, waits for the answer, and shows what was not shown before.
  void show_open(Client& client);

 private:
  wire::QueryT query_of(wire::View view) const;
  void ask(Client& client);
  void show(const Page& page);

  Invocation& invocation_;
  std::string job_;
  std::uint64_t follow_id_ = 0, questions_id_ = 0, approvals_id_ = 0;  // of requests; 0: none is pending
  bool due_ = false;  // something was asked since the pending requests
  std::set<std::string, std::less<>> shown_;
};

}  // namespace luzia
