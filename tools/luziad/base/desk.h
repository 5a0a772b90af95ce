// What requests are decided by and answered through. Owned by Daemon; loop thread.
#pragma once

#include <string>

#include "adapters/config/config.h"
#include "adapters/socket/server.h"
#include "engine/core/engine.h"
#include "projections/query.h"
#include "tools/luziad/base/caller.h"

namespace luzia {

struct Desk {
  Engine& engine;
  const Config& config;
  SocketServer& server;
};

// A function that answers a request returns the reason to refuse it, or a good status: then the reply was
// sent, or comes later.

/// Identifies one request of one connection, to which replies go.
struct RequestId {
  ConnectionId connection = 0;
  std::uint64_t request = 0;
  auto operator<=>(const RequestId&) const = default;
};

template <class Reply>
Status send_reply(const Desk& desk, const RequestId& to, Reply reply) {
  wire::ServerFrameT frame;
  frame.id = to.request;
  frame.reply.Set(std::move(reply));
  desk.server.send(to.connection, frame);
  return {};
}

inline void refuse(const Desk& desk, const RequestId& to, const Error& error) {
  wire::RefusedT refused;
  refused.code = error.code;
  refused.message = error.message;
  refused.hint = error.hint;
  refused.exit_code = static_cast<std::uint8_t>(error.kind);
  send_reply(desk, to, std::move(refused));
}

inline void refuse_unless(const Desk& desk, const RequestId& to, const Status& answered) {
  if (!answered) refuse(desk, to, answered.error());
}

/// Who this daemon is, and how far its log goes.
wire::WelcomeT welcome(const Desk& desk);

/// Submits the command. Sends to `to` its outcome once that is durable, or the reason for its refusal.
Status submit_and_reply(const Desk& desk, const RequestId& to, const CommandMeta& meta, Command command);

/// The most waits, follows or tails per connection, of each kind.
constexpr std::size_t kMostSubscriptions = 1000;

/// Whether `to` may be added to `subscriptions`, a map by RequestId: its client is still connected, its id is
/// unused, and it does not have too many.
template <class Subscriptions>
Status may_subscribe(const Desk& desk, const RequestId& to, const Subscriptions& subscriptions) {
  // The client may have gone while names were looked up; then nothing would ever end this subscription.
  if (!desk.server.is_open(to.connection)) {
    return fail(ErrorKind::trouble, "connection_lost", "the client has gone");
  }
  if (subscriptions.contains(to)) {
    return fail(ErrorKind::usage, "id_in_use",
                "request " + std::to_string(to.request) + " of this connection is still being answered",
                "give each request an id of its own");
  }
  const auto first = subscriptions.lower_bound({to.connection, 0});
  const auto last = subscriptions.upper_bound({to.connection, ~std::uint64_t{0}});
  const bool may_be_many = subscriptions.size() >= kMostSubscriptions;  // to count them takes a while
  if (may_be_many && static_cast<std::size_t>(std::distance(first, last)) >= kMostSubscriptions) {
    return fail(ErrorKind::refused, "too_many_subscriptions",
                "this connection waits for " + std::to_string(kMostSubscriptions) + " answers already",
                "ask for several jobs at once, or forget some");
  }
  return {};
}

/// Removes a connection's entries after its client has gone.
template <class Subscriptions>
void erase_connection(Subscriptions& subscriptions, ConnectionId connection) {
  std::erase_if(subscriptions,
                [connection](const auto& each) { return each.first.connection == connection; });
}

/// Which projects a caller may see in a page of rows: unset for trusted callers (all), else a test by
/// project.
std::function<bool(std::string_view)> project_filter(const Config& config, const Caller& caller);

/// `not_allowed`, for a client that follows something in a project that the configuration no longer allows
/// it.
Error no_longer_allowed(const Caller& caller, const std::string& project);

}  // namespace luzia
