// A Source that asks the daemon over its socket. One thread.
#pragma once

#include <chrono>

#include "adapters/socket/client.h"
#include "tools/read/source.h"

namespace luzia {

class DaemonSource : public Source {
 public:
  /// Connects to the next daemon when this one has gone away.
  using Reconnect = std::function<Result<Client>()>;
  /// Gets the connection when the source ends, if the last answer was whole; others are closed.
  using Return = std::function<void(Client)>;
  DaemonSource(Client client, Reconnect reconnect, Return give_back = {})
      : client_(std::move(client)), reconnect_(std::move(reconnect)), give_back_(std::move(give_back)) {}
  ~DaemonSource() override;

  bool is_daemon() const override { return true; }
  Result<Position> end() override { return Position{0}; }
  Result<RowPage> query(const wire::QueryT& query) override;
  Result<std::string> output_from(const std::string& job, std::uint64_t offset) override;
  Result<std::string> verify(const ProgressSink& progress) override;
  Result<std::string> rebuild(const ProgressSink& progress) override;
  Result<std::string> backup(const std::string& target, const ProgressSink& progress) override;

 private:
  Result<RowPage> query_once(const wire::QueryT& query);
  Result<const wire::ServerFrame*> reply_to(std::uint64_t request);
  Result<std::string> control(wire::ControlAction action, const std::string& argument,
                              const ProgressSink& progress);
  Result<std::uint32_t> daemon_pid();
  /// Negative: wait without limit.
  void wait_for_hang_up(std::chrono::milliseconds most = std::chrono::milliseconds(-1));

  Client client_;
  Reconnect reconnect_;
  Return give_back_;
  bool whole_ = false;  // the last answer
};

}  // namespace luzia
