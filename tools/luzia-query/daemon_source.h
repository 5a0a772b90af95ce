// Answers of the daemon, over its socket.
#pragma once

#include "adapters/socket/client.h"
#include "tools/luzia-query/source.h"

namespace luzia {

class DaemonSource : public Source {
 public:
  DaemonSource(Client client, std::string socket, SilenceLimit silence)
      : client_(std::move(client)), socket_(std::move(socket)), silence_(std::move(silence)) {}

  bool is_daemon() const override { return true; }
  Result<Position> end() override { return Position{0}; }
  Result<RowPage> query(const wire::QueryT& query) override;
  Result<std::string> verify(const ProgressSink& progress) override;
  Result<std::string> rebuild(const ProgressSink& progress) override;
  Result<std::string> backup(const std::string& target, const ProgressSink& progress) override;

 private:
  Result<RowPage> query_once(const wire::QueryT& query);
  Result<const wire::ServerFrame*> reply_to(std::uint64_t request);
  Result<std::string> control(wire::ControlAction action, const std::string& argument,
                              const ProgressSink& progress);
  Result<std::uint32_t> daemon_pid();
  void wait_for_hang_up();

  Client client_;
  std::string socket_;
  SilenceLimit silence_;
};

}  // namespace luzia
