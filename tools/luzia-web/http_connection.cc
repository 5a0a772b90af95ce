#include "tools/luzia-web/http_connection.h"

#include <sys/socket.h>

namespace luzia::web {
namespace {

/// Whether the library holds bytes of a client that it reads from.
bool holds_bytes(lws* wsi) {
  return lws_service_adjust_timeout(lws_get_context(wsi), 1, 0) == 0;
}

}  // namespace

void become(Connection& connection, Phase phase, lws_usec_t time) {
  connection.phase = phase;
  connection.since = lws_now_usecs();
  connection.until = time == kForEver ? kForEver : connection.since + time;
}

void kill(Connection& connection) {
  connection.until = kForEver;
  lws_set_timeout(connection.wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

void want_room(Connection& connection) {
  connection.wants_room = true;
  lws_rx_flow_control(connection.wsi, 1);
  lws_callback_on_writable(connection.wsi);
}

void rest(Connection& connection) {
  lws_rx_flow_control(connection.wsi, 0);
}

ssize_t peeked(const Connection& connection) {
  char byte = 0;
  return ::recv(lws_get_socket_fd(connection.wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

void read_on(Connection& connection) {
  lws_rx_flow_control(connection.wsi, 1);
}

SentAhead sent_ahead(lws* wsi) {
  lws_rx_flow_control(wsi, 1);
  if (!holds_bytes(wsi)) return SentAhead::no;
  lws_rx_flow_control(wsi, 0);
  const bool others = holds_bytes(wsi);
  lws_rx_flow_control(wsi, 1);
  return others ? SentAhead::unknown : SentAhead::yes;
}

bool sends_on(const Connection& connection) {
  return !connection.body_follows && (peeked(connection) > 0 || sent_ahead(connection.wsi) == SentAhead::yes);
}

}  // namespace luzia::web
