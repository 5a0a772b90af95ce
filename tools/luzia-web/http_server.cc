#include "tools/luzia-web/http_server.h"

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "tools/luzia-web/gate.h"
#include "tools/luzia-web/http_head.h"

namespace luzia::web {
namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr unsigned kHeaderBytes = 16 << 10;
constexpr lws_usec_t kSecondUs = 1'000'000, kTickUs = kSecondUs / 4;
// How long a client may take.
constexpr lws_usec_t kFirstRequestUs = 10 * kSecondUs, kNextRequestUs = 30 * kSecondUs,
                     kBodyUs = 20 * kSecondUs, kReadingUs = 30 * kSecondUs, kLingerUs = kSecondUs,
                     kWorkUs = 120 * kSecondUs;
// Bodies that arrive at the same time, of all clients.
constexpr std::size_t kMostBodies = 32 << 20;
// Of a body that nobody wants, before its connection is closed.
constexpr std::size_t kMostUnwanted = 1 << 20;
constexpr lws_usec_t kForEver = std::numeric_limits<lws_usec_t>::max();

enum class Phase { waiting, body, working, answering, streaming, lingering };

struct Connection {
  lws* wsi = nullptr;
  HttpServer::Id id = 0;
  std::string peer;    // address
  std::string client;  // what shares a budget with it: found out once, since make_room() looks at all
  Phase phase = Phase::waiting;
  lws_usec_t since = 0, until = 0;
  Request request;
  std::size_t body_left = 0;
  std::size_t unwanted = 0;  // bytes of a body that was refused
  std::string out;           // bytes to send, from `sent` on
  std::size_t sent = 0;
  bool close = false, head_only = false, chunked = true, ended = false, wants_room = false;
  bool body_follows = false;  // and nobody wants it
  bool watched = false;       // until its answer is there
};

std::string address_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[INET6_ADDRSTRLEN] = {};
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "unknown";
  if (address.ss_family == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(&address)->sin_addr, text, sizeof text);
  if (address.ss_family == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<sockaddr_in6*>(&address)->sin6_addr, text, sizeof text);
  const std::string_view whole(text);
  constexpr std::string_view kMapped = "::ffff:";
  return std::string(whole.starts_with(kMapped) ? whole.substr(kMapped.size()) : whole);
}

/// The headers that anything looks at. The library knows these by number, and others by name.
struct KnownHeader {
  std::string_view name;
  lws_token_indexes token;
};
constexpr std::array<KnownHeader, 13> kKnownHeaders{{
    {"host", WSI_TOKEN_HOST},
    {"origin", WSI_TOKEN_ORIGIN},
    {"connection", WSI_TOKEN_CONNECTION},
    {"upgrade", WSI_TOKEN_UPGRADE},
    {"content-type", WSI_TOKEN_HTTP_CONTENT_TYPE},
    {"content-length", WSI_TOKEN_HTTP_CONTENT_LENGTH},
    {"transfer-encoding", WSI_TOKEN_HTTP_TRANSFER_ENCODING},
    {"authorization", WSI_TOKEN_HTTP_AUTHORIZATION},
    {"cookie", WSI_TOKEN_HTTP_COOKIE},
    {"accept", WSI_TOKEN_HTTP_ACCEPT},
    {"accept-encoding", WSI_TOKEN_HTTP_ACCEPT_ENCODING},
    {"if-none-match", WSI_TOKEN_HTTP_IF_NONE_MATCH},
    {"x-forwarded-for", WSI_TOKEN_X_FORWARDED_FOR},
}};
constexpr std::array<std::string_view, 6> kNamedHeaders{"sec-fetch-site", "sec-fetch-mode",  "sec-fetch-dest",
                                                        "last-event-id",  "idempotency-key", kPageHeader};

std::map<std::string, std::string, std::less<>> headers_of(lws* wsi) {
  std::map<std::string, std::string, std::less<>> headers;
  std::string value;
  const auto keep = [&](std::string_view name, int size) {
    if (size > 0) headers.emplace(name, value.substr(0, std::string_view(value.c_str()).size()));
  };
  for (const KnownHeader& header : kKnownHeaders) {
    const int length = lws_hdr_total_length(wsi, header.token);
    if (length <= 0) continue;
    value.assign(static_cast<std::size_t>(length) * 2 + 2, '\0');  // commas between repeated ones
    keep(header.name, lws_hdr_copy(wsi, value.data(), static_cast<int>(value.size()), header.token));
  }
  for (const std::string_view name : kNamedHeaders) {
    const std::string with_colon = std::string(name) + ":";
    const int size = static_cast<int>(with_colon.size());
    const int length = lws_hdr_custom_length(wsi, with_colon.c_str(), size);
    if (length <= 0) continue;
    value.assign(static_cast<std::size_t>(length) + 1, '\0');
    keep(name,
         lws_hdr_custom_copy(wsi, value.data(), static_cast<int>(value.size()), with_colon.c_str(), size));
  }
  return headers;
}

std::vector<std::pair<std::string, std::string>> query_of(lws* wsi) {
  std::vector<std::pair<std::string, std::string>> query;
  for (int i = 0;; ++i) {
    const int length = lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, i);
    if (length <= 0) return query;
    std::string part(static_cast<std::size_t>(length) + 1, '\0');
    lws_hdr_copy_fragment(wsi, part.data(), static_cast<int>(part.size()), WSI_TOKEN_HTTP_URI_ARGS, i);
    part.resize(std::string_view(part.c_str()).size());
    if (part == "/") continue;  // what the library makes of a question mark without a query
    const std::size_t equals = part.find('=');
    query.emplace_back(part.substr(0, equals), equals == std::string::npos ? "" : part.substr(equals + 1));
  }
}

std::string method_of(int method) {
  static constexpr std::array<std::string_view, 9> kMethods{"GET",    "POST",    "OPTIONS", "PUT",  "PATCH",
                                                            "DELETE", "CONNECT", "HEAD",    ":path"};
  return std::string(method >= 0 && method < std::ssize(kMethods) ? kMethods[static_cast<std::size_t>(method)]
                                                                  : "UNKNOWN");
}

void become(Connection& connection, Phase phase, lws_usec_t time) {
  connection.phase = phase;
  connection.since = lws_now_usecs();
  connection.until = time == kForEver ? kForEver : connection.since + time;
}

void kill(Connection& connection) {
  connection.until = kForEver;
  lws_set_timeout(connection.wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

/// In this state the library reports room only to connections that it also reads from.
void want_room(Connection& connection) {
  connection.wants_room = true;
  lws_rx_flow_control(connection.wsi, 1);
  lws_callback_on_writable(connection.wsi);
}

/// Nothing is to be sent: reads nothing either. The library would spin on bytes that nobody takes.
void rest(Connection& connection) {
  lws_rx_flow_control(connection.wsi, 0);
}

/// Looks whether bytes came: 0: the client has closed; negative: none.
ssize_t peeked(const Connection& connection) {
  char byte = 0;
  return ::recv(lws_get_socket_fd(connection.wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

/// Whether the client sends, although it does not read. Such a connection is closed: the library would
/// spin.
bool sends_on(const Connection& connection) {
  return !connection.body_follows && peeked(connection) > 0;
}

/// As in "HTTP/1.1"; empty: the first line has none. So it is if the address has %0A or %0D: there the
/// library ends the line, and takes the rest for a header.
std::string version_of(lws* wsi) {
  char version[16] = {};
  lws_hdr_copy(wsi, version, sizeof version, WSI_TOKEN_HTTP);
  return version;
}

/// Whether the client keeps the connection.
bool keeps(lws* wsi, const Request& request) {
  return version_of(wsi) == "HTTP/1.1" &&
         lower_case_of(request.header("connection")).find("close") == std::string::npos;
}

int on_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, std::size_t size);

const lws_protocols kProtocols[] = {{"http", on_event, 0, 0, 0, nullptr, 0},
                                    {nullptr, nullptr, 0, 0, 0, nullptr, 0}};

}  // namespace

struct HttpServer::State {
  explicit State(Handlers given) : handlers(std::move(given)) {}

  Handlers handlers;
  lws_context* context = nullptr;
  ListenPlace place;
  Id last_id = 0;
  std::unordered_map<lws*, std::unique_ptr<Connection>> connections;
  std::unordered_map<Id, Connection*> by_id;
  std::mutex mutex;
  std::vector<std::function<void()>> posted;
  struct Tick : lws_sorted_usec_list_t {
    State* state = nullptr;
  } tick{};

  Connection* of(lws* wsi) {
    const auto found = connections.find(wsi);
    return found == connections.end() ? nullptr : found->second.get();
  }
  Connection* of(Id id) {
    const auto found = by_id.find(id);
    return found == by_id.end() ? nullptr : found->second;
  }

  void drain() {
    std::vector<std::function<void()>> tasks;
    {
      const std::lock_guard lock(mutex);
      tasks.swap(posted);
    }
    for (const auto& task : tasks) task();
  }

  /// Closes the connection that has waited longest for its client: for a request, else for a body, else for
  /// the reading of an answer. One of this address, if there is one; `own`: no other. False: none.
  bool make_room(const std::string& peer, bool own) {
    static constexpr std::array kOrder{Phase::waiting, Phase::body, Phase::answering};
    Connection* longest = nullptr;
    const std::string client = client_of(peer);
    const auto rank = [&](const Connection& each) {
      const auto place = std::ranges::find(kOrder, each.phase) - kOrder.begin();
      return std::tuple(each.client != client, place, each.since);
    };
    for (const auto& [wsi, connection] : connections) {
      const bool may = std::ranges::find(kOrder, connection->phase) != kOrder.end() &&
                       connection->until != kForEver && (!own || connection->client == client);
      if (may && (longest == nullptr || rank(*connection) < rank(*longest))) longest = connection.get();
    }
    if (longest != nullptr) kill(*longest);
    return longest != nullptr;
  }

  void opened(lws* wsi) {
    auto connection = std::make_unique<Connection>();
    connection->wsi = wsi;
    connection->peer = address_of(lws_get_socket_fd(wsi));
    connection->client = client_of(connection->peer);
    become(*connection, Phase::waiting, kFirstRequestUs);
    handlers.connected(connection->peer);
    connections[wsi] = std::move(connection);
  }

  void closed(lws* wsi) {
    Connection* const connection = of(wsi);
    if (connection == nullptr) return;
    finish(*connection);
    handlers.disconnected(connection->peer);
    connections.erase(wsi);
  }

  /// Ends the exchange, if one goes on.
  void finish(Connection& connection) {
    if (connection.id == 0) return;
    const Id id = std::exchange(connection.id, 0);
    by_id.erase(id);
    handlers.gone(id);
  }

  Request request_of(lws* wsi, const Connection& connection) const {
    Request request;
    char* uri = nullptr;
    int uri_size = 0;
    request.method = method_of(lws_http_get_uri_and_method(wsi, &uri, &uri_size));
    if (uri != nullptr && uri_size > 0) request.path.assign(uri, static_cast<std::size_t>(uri_size));
    request.query = query_of(wsi);
    request.headers = headers_of(wsi);
    request.address = place.behind_proxy
                          ? forwarded_address(request.header("x-forwarded-for"), connection.peer)
                          : connection.peer;
    return request;
  }

  void begin(lws* wsi) {
    Connection* const connection = of(wsi);
    if (connection == nullptr) return;
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
    connection->request = request_of(wsi, *connection);
    Request& request = connection->request;
    connection->id = ++last_id;
    by_id[connection->id] = connection;
    connection->head_only = request.method == "HEAD";
    connection->watched = false;
    connection->chunked = keeps(wsi, request);
    connection->close = !connection->chunked;
    std::optional<Answer> refusal;
    if (version_of(wsi).empty())
      refusal = problem({ErrorKind::usage, "bad_request_line",
                         "the address has a line break, or no version of HTTP follows it",
                         "leave %0A and %0D out; send GET ADDRESS HTTP/1.1"});
    if (!refusal) refusal = handlers.refused(request);
    const auto length = body_length(request);
    if (!refusal && !length) refusal = problem(length.error().error, length.error().status);
    if (!refusal && *length > 0 && bodies() + *length > kMostBodies)
      refusal = problem({ErrorKind::trouble, "busy", "too many bodies arrive at the same time", "try again"});
    if (refusal) {
      connection->body_follows =
          (request.method != "GET" || !length) && request.header("content-length") != "0";
      connection->close = connection->close || request.method != "GET" || !length;
      return send(*connection, *refusal);
    }
    connection->body_left = *length;
    if (*length == 0) return ask(*connection);
    become(*connection, Phase::body, kBodyUs);
  }

  std::size_t bodies() const {
    std::size_t bytes = 0;
    for (const auto& [wsi, connection] : connections)
      bytes += connection->phase == Phase::body ? connection->request.body.size() + connection->body_left : 0;
    return bytes;
  }

  /// False: close the connection.
  bool take_body(Connection& connection, std::string_view bytes) {
    if (connection.phase != Phase::body) return (connection.unwanted += bytes.size()) <= kMostUnwanted;
    const std::size_t taken = std::min(bytes.size(), connection.body_left);
    connection.request.body += bytes.substr(0, taken);
    connection.body_left -= taken;
    if (connection.body_left == 0) ask(connection);
    return true;
  }

  void ask(Connection& connection) {
    become(connection, Phase::working, kWorkUs);
    rest(connection);
    handlers.asked(connection.id, std::move(connection.request));
  }

  void send(Connection& connection, const Answer& answer) {
    const bool empty = connection.head_only || answer.status == 304 || answer.status == 204;
    connection.out = head_of(answer, BodyForm::whole, connection.close);
    if (!empty) connection.out += answer.body;
    connection.sent = 0;
    connection.ended = true;
    become(connection, Phase::answering, kReadingUs);
    want_room(connection);
  }

  /// The client can take more. False: close the connection.
  bool write(Connection& connection) {
    connection.wants_room = false;
    if (connection.phase != Phase::answering && connection.phase != Phase::streaming) return true;
    if (connection.sent == connection.out.size()) {
      if (connection.ended) return complete(connection);
      refill(connection);
    }
    if (connection.sent < connection.out.size()) {
      if (!write_piece(connection)) return false;
      const bool whole = connection.ended && connection.sent == connection.out.size();
      // A client that asks on at once must not look like one that sends on during an answer.
      if (whole && !connection.close) return complete(connection);
      connection.until = lws_now_usecs() + kReadingUs;
      want_room(connection);
    } else if (connection.ended) {
      want_room(connection);
    } else {
      connection.until = kForEver;  // until wake()
      rest(connection);
    }
    return true;
  }

  void refill(Connection& connection) {
    connection.out.clear();
    connection.sent = 0;
    const Piece piece = handlers.more(connection.id);
    if (!piece.bytes.empty()) connection.out = connection.chunked ? chunk_of(piece.bytes) : piece.bytes;
    if (!piece.last) return;
    connection.ended = true;
    if (connection.chunked) connection.out += chunk_of({});
  }

  static bool write_piece(Connection& connection) {
    static thread_local std::vector<unsigned char> buffer(LWS_PRE + kPieceBytes);
    const std::size_t size = std::min(kPieceBytes, connection.out.size() - connection.sent);
    std::copy_n(connection.out.data() + connection.sent, size, buffer.data() + LWS_PRE);
    connection.sent += size;
    const bool written = lws_write(connection.wsi, buffer.data() + LWS_PRE, size, LWS_WRITE_HTTP) >= 0;
    return written && !(lws_send_pipe_choked(connection.wsi) != 0 && sends_on(connection));
  }

  /// The whole answer has left. False: close the connection.
  bool complete(Connection& connection) {
    finish(connection);
    connection.out = {};
    connection.sent = 0;
    connection.ended = false;
    if (connection.close && connection.body_follows) {
      // Closing now could cost a client that still sends the answer.
      ::shutdown(lws_get_socket_fd(connection.wsi), SHUT_WR);
      become(connection, Phase::lingering, kLingerUs);
      return true;
    }
    if (connection.close) return false;
    become(connection, Phase::waiting, kNextRequestUs);
    return lws_http_transaction_completed(connection.wsi) == 0;
  }

  void on_tick() {
    const lws_usec_t now = lws_now_usecs();
    for (const auto& [wsi, connection] : connections) {
      const bool answers = connection->phase == Phase::answering || connection->phase == Phase::streaming;
      const bool stuck = answers && connection->wants_room && sends_on(*connection);
      const bool looks = connection->phase == Phase::streaming ||
                         (connection->phase == Phase::working && connection->watched);
      const bool left = looks && peeked(*connection) == 0;
      if (connection->until <= now || stuck || left) kill(*connection);
    }
    handlers.tick();
    lws_sul_schedule(
        context, 0, &tick, [](lws_sorted_usec_list_t* list) { static_cast<Tick*>(list)->state->on_tick(); },
        kTickUs);
  }

  /// An upgrade: of no protocol that the server speaks.
  int refuse_upgrade(lws* wsi) {
    const std::string out =
        head_of(problem({ErrorKind::usage, "no_upgrade", "this server upgrades no connection", ""}),
                BodyForm::whole, true);
    std::vector<unsigned char> buffer(LWS_PRE + out.size());
    std::ranges::copy(out, buffer.begin() + LWS_PRE);
    lws_write(wsi, buffer.data() + LWS_PRE, out.size(), LWS_WRITE_HTTP);
    return -1;
  }

  int handle(lws* wsi, lws_callback_reasons reason, void* in, std::size_t size);
};

int HttpServer::State::handle(lws* wsi, lws_callback_reasons reason, void* in, std::size_t size) {
  Connection* const connection = of(wsi);
  switch (static_cast<int>(reason)) {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
      drain();
      return 0;
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: {
      const std::string peer = address_of(static_cast<int>(reinterpret_cast<std::intptr_t>(in)));
      const Room room = handlers.room_for(peer);
      return room == Room::free || make_room(peer, room == Room::none_for_address) ? 0 : 1;
    }
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
      opened(wsi);
      return 0;
    case LWS_CALLBACK_WSI_DESTROY:
      closed(wsi);
      return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      return refuse_upgrade(wsi);
    case LWS_CALLBACK_HTTP:
      begin(wsi);
      return connection == nullptr ? -1 : 0;
    case LWS_CALLBACK_HTTP_BODY:
      return connection == nullptr || take_body(*connection, {static_cast<const char*>(in), size}) ? 0 : -1;
    case LWS_CALLBACK_HTTP_WRITEABLE:
      return connection == nullptr || write(*connection) ? 0 : -1;
    default:
      return 0;
  }
}

namespace {

int on_event(lws* wsi, lws_callback_reasons reason, void* /*user*/, void* in, std::size_t size) {
  auto* const state = static_cast<HttpServer::State*>(lws_context_user(lws_get_context(wsi)));
  return state == nullptr ? 0 : state->handle(wsi, reason, in, size);
}

/// What the library says while it starts.
std::string& start_log() {
  static std::string log;
  return log;
}

}  // namespace

HttpServer::HttpServer(Handlers handlers) : state_(std::make_unique<State>(std::move(handlers))) {}
HttpServer::~HttpServer() = default;

Result<std::uint16_t> HttpServer::listen(const ListenPlace& place) {
  state_->place = place;
  // Its lines could contain what clients send.
  lws_set_log_level(LLL_ERR, [](int, const char* line) { start_log() += line; });
  lws_context_creation_info info{};
  info.iface = place.address.c_str();
  info.port = place.port;
  info.protocols = kProtocols;
  info.user = state_.get();
  info.max_http_header_data2 = kHeaderBytes;
  info.keepalive_timeout = static_cast<int>(kNextRequestUs / kSecondUs);
  info.timeout_secs = static_cast<unsigned>(kBodyUs / kSecondUs);
  info.timeout_secs_ah_idle = static_cast<unsigned>(kFirstRequestUs / kSecondUs);
  info.alpn = "http/1.1";
  info.uid = info.gid = -1;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN |
                 LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
  if (place.address.find(':') == std::string::npos) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
  if (!place.tls_cert.empty()) {
    info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info.ssl_cert_filepath = place.tls_cert.c_str();
    info.ssl_private_key_filepath = place.tls_key.c_str();
  }
  state_->context = lws_create_context(&info);
  lws_vhost* const host =
      state_->context == nullptr ? nullptr : lws_get_vhost_by_name(state_->context, "default");
  lws_set_log_level(0, nullptr);
  if (host == nullptr) {
    return fail(ErrorKind::trouble, "cannot_listen",
                "listening on " + place.address + " port " + std::to_string(place.port) + ": " +
                    (start_log().empty() ? "refused" : start_log().substr(0, start_log().find('\n'))),
                "is the port in use, are the certificate and its key readable?");
  }
  state_->tick.state = state_.get();
  state_->on_tick();
  return static_cast<std::uint16_t>(lws_get_vhost_listen_port(host));
}

void HttpServer::run() {
  while (lws_service(state_->context, 0) >= 0) {
  }
}

void HttpServer::post(std::function<void()> task) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->posted.push_back(std::move(task));
  }
  if (state_->context != nullptr) lws_cancel_service(state_->context);
}

void HttpServer::answer(Id id, Answer answer) {
  Connection* const connection = state_->of(id);
  if (connection != nullptr) state_->send(*connection, answer);
}

bool HttpServer::watch(Id id) {
  Connection* const connection = state_->of(id);
  if (connection != nullptr) connection->watched = true;
  return connection != nullptr;
}

bool HttpServer::begin_stream(Id id, Answer head) {
  Connection* const connection = state_->of(id);
  if (connection == nullptr) return false;
  connection->out =
      head_of(head, connection->chunked ? BodyForm::chunked : BodyForm::until_closed, connection->close);
  connection->sent = 0;
  connection->ended = connection->head_only;
  become(*connection, Phase::streaming, kReadingUs);
  want_room(*connection);
  return true;
}

void HttpServer::wake(Id id) {
  Connection* const connection = state_->of(id);
  if (connection == nullptr || connection->phase != Phase::streaming || connection->wants_room) return;
  connection->until = lws_now_usecs() + kReadingUs;
  want_room(*connection);
}

std::size_t HttpServer::busy() const {
  return state_->by_id.size();
}

}  // namespace luzia::web
