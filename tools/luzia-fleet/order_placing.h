// Orders as people place them: into the database, and the reply out of it. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "adapters/postgres/postgres.h"
#include "tools/luzia-fleet/order_request.h"

namespace luzia {

/// A row of luzia.orders, as far as whoever waits for it needs it.
struct PlacedOrder {
  std::string id, state, site;
  std::optional<std::string> reply = {};  // bytes
  std::string error = {};

  bool is_over() const { return state == "done" || state == "refused" || state == "expired"; }
};

/// Places the request as an order for a site, a label, or any machine; or finds the same order again. A retry
/// of a job on another machine than its own becomes a dispatch of its task there; `note` then says what it
/// lacks. Errors: those of order_of(); `order_id_taken`, `order_refused` (refused): the database says no;
/// those of Postgres.
Result<PlacedOrder> place_order(Postgres& database, const wire::RequestUnion& request, const std::string& to,
                                std::chrono::seconds expires, std::string& note);
Result<PlacedOrder> look_order(Postgres& database, const std::string& id);
/// Takes it back; `order_refused`: a machine has accepted it.
Result<PlacedOrder> withdraw_order(Postgres& database, const std::string& id);
/// The reply of an order that is over.
wire::ReplyUnion reply_to(const PlacedOrder& order);

}  // namespace luzia
