// One connection of the server, as plain facts, and what is done to it alone. Loop thread. With http_server.cc
// and parsed_request.cc, what knows the library.
#pragma once

#include <libwebsockets.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "tools/luzia-web/exchange.h"
#include "tools/luzia-web/slow_head.h"

namespace luzia::web {

constexpr lws_usec_t kForEver = std::numeric_limits<lws_usec_t>::max();

enum class Phase { waiting, body, working, answering, streaming, lingering };

struct Connection {
  lws* wsi = nullptr;
  std::uint64_t id = 0;  // of the request
  std::string peer;              // address
  std::optional<unsigned> user;  // of the program at the other end, if it runs on this machine
  std::string client;  // what shares a budget with it: found out once, since make_room() looks at all
  Phase phase = Phase::waiting;
  SlowHead head;  // of the request that it waits for
  lws_usec_t since = 0, until = 0;
  Request request;
  std::size_t body_left = 0;
  std::size_t unwanted = 0;  // bytes of a body that was refused
  std::string out;           // bytes to send, from `sent` on
  std::size_t sent = 0;
  bool close = false, head_only = false, chunked = true, ended = false, wants_room = false;
  bool body_follows = false;  // and nobody wants it
  bool asking = false;        // within the callback with its request
  bool watched = false;       // until its answer is there
  bool unsure = false;        // whether its client has sent more than the request for a stream
  bool ahead = false;         // bytes of this request came together with the one before
};

/// Begins a phase, which ends after `time` at the latest.
void become(Connection& connection, Phase phase, lws_usec_t time);
/// Closes the connection, soon.
void kill(Connection& connection);
/// In this state the library reports room only to connections that it also reads from.
void want_room(Connection& connection);
/// Nothing is to be sent: reads nothing either. The library would spin on bytes that nobody takes.
void rest(Connection& connection);
/// Reads again.
void read_on(Connection& connection);
/// Looks whether bytes came: 0: the client has closed; negative: none.
ssize_t peeked(const Connection& connection);

/// Whether the client has sent more than its request, in one piece with it. `unknown`: it or another one.
enum class SentAhead { no, yes, unknown };
/// Has the library read from it.
SentAhead sent_ahead(lws* wsi);
/// Whether the client sends, although it does not read. Such a connection is closed: the library would
/// spin.
bool sends_on(const Connection& connection);

}  // namespace luzia::web
