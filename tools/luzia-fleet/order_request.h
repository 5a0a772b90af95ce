// What an order asks a machine's daemon to do: one request of its protocol, as bytes. The bytes may be
// anybody's: both sides check them with the same rules. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

inline constexpr std::size_t kMostOrderBytes = 1 << 20;

/// What a request is as an order.
struct OrderedRequest {
  std::string kind;        // one of kOrderKinds
  std::string command_id;  // that its client gave it: the id of the order
  std::string project;     // of a dispatch
  std::string job;         // that it is about, unless it is a dispatch
};

/// Errors:
/// - `not_an_order` (refused): a machine of a fleet does no such thing for others.
/// - `bad_order` (usage): the order cannot be what it should, as it is.
Result<OrderedRequest> order_of(const wire::RequestUnion& request);

/// As it is stored; the same for the same request.
std::string order_bytes(const wire::RequestUnion& request);
/// `bad_order` (refused): the bytes are none, or damaged.
Result<wire::RequestUnion> parse_order(std::string_view bytes);

/// The reply as it is stored.
std::string reply_bytes(wire::ReplyUnion reply);
wire::ReplyUnion reply_of(const Error& error);
/// `bad_reply` (trouble): the bytes are none, are damaged, or are another kind of reply than one to a
/// command.
Result<wire::ReplyUnion> parse_reply(std::string_view bytes);

/// Of PostgreSQL's encode(..., 'hex').
std::string bytes_of_hex(std::string_view text);

/// The claim of an order, as the log of the machine names it: "ID#FENCE".
std::string claim_name(const std::string& id, std::int64_t fence);

/// Makes it the command of this order: a repetition takes effect once. A dispatch is one for each claim, and
/// is held until the fleet accepts it. `person`: who placed the order.
void stamp_order(wire::RequestUnion& request, const std::string& id, std::int64_t fence,
                 const std::string& person);

}  // namespace luzia
