// What an OrderTaker asks the machine's daemon, over its socket. One thread.
#pragma once

#include <functional>

#include "adapters/socket/client.h"
#include "projections/rows/row_page.h"
#include "tools/luzia-fleet/order_ports.h"

namespace luzia {

class DaemonOrders : public OrderDaemon {
 public:
  /// Connects as that person; empty: as the machine.
  using Connect = std::function<Result<Client>(const std::string& person)>;
  explicit DaemonOrders(Connect connect) : connect_(std::move(connect)) {}

  Result<wire::ReplyUnion> ask(const std::string& person, const wire::RequestUnion& request) override;
  Result<std::vector<HeldJob>> held_jobs() override;
  Result<std::optional<std::string>> project_of(const std::string& job) override;
  Result<JobRoom> room(std::uint32_t slots) override;

 private:
  Status visit_rows(wire::QueryT query, const std::function<Status(const RowPage&)>& visit);

  Connect connect_;
};

}  // namespace luzia
