#include "tools/luzia-web/http_server.h"

#include <libwebsockets.h>
#include <sys/socket.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "tools/luzia-web/gate.h"
#include "tools/luzia-web/http_connection.h"
#include "tools/luzia-web/http_head.h"
#include "tools/luzia-web/local_user.h"
#include "tools/luzia-web/parsed_request.h"
#include "tools/luzia-web/received_bytes.h"

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
// Large answers that clients have not read yet, of all clients. Others are refused meanwhile.
constexpr std::size_t kMostAnswers = 64 << 20, kLargeAnswer = 64 << 10;
// What the kernel holds of a connection's answers, which nobody counts: left alone, it takes up to 4 MiB.
constexpr int kSendBuffer = 128 << 10;
// Of bodies that nobody wants: of all clients together at once, and how much more in each tick. A client that
// sends its whole body before it looks for an answer gets it so, and a thousand with large ones cost little:
// a mebibyte in every tick would keep a processor from others for 5 ms each time.
constexpr std::size_t kMostUnwanted = 1 << 20, kUnwantedInTick = 64 << 10;
// Slow heads: how many are read in a tick, and for how long each.
constexpr std::size_t kMostSlowHeads = 64;
constexpr lws_usec_t kSlowReadUs = 2'000;

/// The library would read the body from where its head began, and might not return.
const Error kBodyAhead{ErrorKind::usage, "body_sent_ahead",
                       "the request has a body, and was sent before the answer to the one before",
                       "send it again, after that answer"};

bool announces_body(const Request& request) {
  const std::string_view length = request.header("content-length");
  return (!length.empty() && length != "0") || !request.header("transfer-encoding").empty();
}

/// Answers without waiting. False: close the connection.
bool refuse_at_once(lws* wsi, const Error& error) {
  const Answer answer = problem(error);
  const std::string out = head_of(answer, BodyForm::whole, true) + answer.body;
  std::vector<unsigned char> buffer(LWS_PRE + out.size());
  std::ranges::copy(out, buffer.begin() + LWS_PRE);
  lws_write(wsi, buffer.data() + LWS_PRE, out.size(), LWS_WRITE_HTTP);
  return false;
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
  uv_loop_t loop{};  // the library's and of the watches
  ListenPlace place;
  Id last_id = 0;
  std::unordered_map<lws*, std::unique_ptr<Connection>> connections;
  std::unordered_map<Id, Connection*> by_id;
  std::mutex mutex;
  std::vector<std::function<void()>> posted;
  struct Timer : lws_sorted_usec_list_t {
    State* state = nullptr;
  } tick{}, slow_read{};
  std::vector<lws*> read_slowly;         // connections whose slow heads are read at the moment
  std::size_t may_drop = kMostUnwanted;  // bytes of bodies that nobody wants, which may still be read

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

  /// Closes the connection that has waited longest for its client: to close it, else for a request, else for
  /// a body, else for the reading of an answer. One of this address, if there is one; `own`: no other. False:
  /// none.
  bool make_room(const std::string& peer, bool own) {
    static constexpr std::array kOrder{Phase::lingering, Phase::waiting, Phase::body, Phase::answering};
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
    const int descriptor = lws_get_socket_fd(wsi);
    ::setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
    connection->peer = address_of(descriptor);
    connection->user = user_at_other_end(descriptor);
    connection->client = client_of(connection->peer);
    become(*connection, Phase::waiting, kFirstRequestUs);
    // What TLS sends before the first request counts for no head.
    if (place.tls_cert.empty()) connection->head = SlowHead(0);
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
    Request request = parsed_request(wsi);
    request.address = place.behind_proxy
                          ? forwarded_address(request.header("x-forwarded-for"), connection.peer)
                          : connection.peer;
    request.user = connection.user;
    return request;
  }

  /// False: close the connection.
  bool begin(lws* wsi) {
    Connection* const connection = of(wsi);
    if (connection == nullptr) return false;
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
    connection->request = request_of(wsi, *connection);
    Request& request = connection->request;
    if (connection->ahead && announces_body(request)) return refuse_at_once(wsi, kBodyAhead);
    connection->id = ++last_id;
    by_id[connection->id] = connection;
    connection->head_only = request.method == "HEAD";
    connection->watched = connection->unsure = false;
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
      send(*connection, *refusal);
      return true;
    }
    connection->body_left = *length;
    if (*length == 0) {
      ask(*connection);
    } else {
      become(*connection, Phase::body, kBodyUs);
    }
    return true;
  }

  std::size_t bodies() const {
    std::size_t bytes = 0;
    for (const auto& [wsi, connection] : connections)
      bytes += connection->phase == Phase::body ? connection->request.body.size() + connection->body_left : 0;
    return bytes;
  }

  /// Bytes of answers that clients have not read in full.
  std::size_t unread() const {
    std::size_t bytes = 0;
    for (const auto& [wsi, connection] : connections) bytes += connection->out.size();
    return bytes;
  }

  /// False: close the connection.
  bool take_body(Connection& connection, std::string_view bytes) {
    if (connection.phase != Phase::body) return drop(connection, bytes.size());
    const std::size_t taken = std::min(bytes.size(), connection.body_left);
    connection.request.body += bytes.substr(0, taken);
    connection.body_left -= taken;
    if (connection.body_left == 0) ask(connection);
    return true;
  }

  /// Of a body that nobody wants. What is too much stays unread until the connection is closed: a client that
  /// is closed at once comes back at once. False: close the connection.
  bool drop(Connection& connection, std::size_t bytes) {
    connection.unwanted += bytes;
    may_drop -= std::min(may_drop, bytes);
    if (connection.phase != Phase::lingering) return connection.unwanted <= kMostUnwanted;
    if (may_drop == 0) rest(connection);
    return true;
  }

  void ask(Connection& connection) {
    become(connection, Phase::working, kWorkUs);
    connection.asking = true;
    handlers.asked(connection.id, std::move(connection.request));
    connection.asking = false;
    if (connection.phase == Phase::working) rest(connection);
  }

  /// An answer that came after the callback that asked for it: what fits into one piece leaves now, instead
  /// of after a turn of the loop.
  void send_later(Connection& connection, const Answer& answer) {
    if (connection.until == kForEver) return;  // it is being closed
    prepare(connection, answer);
    if (connection.out.size() > kPieceBytes) {
      want_room(connection);
    } else if (!write(connection)) {
      kill(connection);
    }
  }

  void send(Connection& connection, const Answer& answer) {
    prepare(connection, answer);
    want_room(connection);
  }

  void prepare(Connection& connection, const Answer& answer) {
    if (answer.body.size() > kLargeAnswer && unread() + answer.body.size() > kMostAnswers) {
      return prepare(connection, problem({ErrorKind::trouble, "busy",
                                          "too many large answers wait for their clients", "try again"}));
    }
    const bool empty = connection.head_only || answer.status == 304 || answer.status == 204;
    connection.out = head_of(answer, BodyForm::whole, connection.close);
    if (!empty) connection.out += answer.body;
    connection.sent = 0;
    connection.ended = true;
    become(connection, Phase::answering, kReadingUs);
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
      return !spins(connection);
    }
    return true;
  }

  /// Has a stream rest, unless its client has sent more behind its request: bytes that nobody will ever take
  /// keep the library awake.
  static bool spins(Connection& connection) {
    const SentAhead ahead = sent_ahead(connection.wsi);
    connection.unsure = ahead == SentAhead::unknown;
    rest(connection);
    return ahead == SentAhead::yes;
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
      // Closing now could cost a client that still sends the answer. The server's side stays open too: its
      // end would bring a sender back at once, with a new connection and the next body.
      become(connection, Phase::lingering, kLingerUs);
      return drop(connection, 0);
    }
    const SentAhead ahead = sent_ahead(connection.wsi);
    if (connection.close || ahead == SentAhead::unknown) return false;
    connection.ahead = ahead == SentAhead::yes;
    become(connection, Phase::waiting, kNextRequestUs);
    connection.head = SlowHead();
    return lws_http_transaction_completed(connection.wsi) == 0;
  }

  void on_tick() {
    const lws_usec_t now = lws_now_usecs();
    may_drop = std::min(may_drop + kUnwantedInTick, kMostUnwanted);
    for (const auto& [wsi, connection] : connections) {
      const bool answers = connection->phase == Phase::answering || connection->phase == Phase::streaming;
      const bool stuck = answers && connection->wants_room && sends_on(*connection);
      const bool looks = connection->phase == Phase::streaming ||
                         (connection->phase == Phase::working && connection->watched);
      const bool left = looks && peeked(*connection) == 0;
      const bool again =
          connection->unsure && connection->phase == Phase::streaming && !connection->wants_room;
      if (connection->until <= now || stuck || left || (again && spins(*connection))) kill(*connection);
    }
    read_slow_heads(now);
    handlers.tick();
    lws_sul_schedule(
        context, 0, &tick, [](lws_sorted_usec_list_t* list) { static_cast<Timer*>(list)->state->on_tick(); },
        kTickUs);
  }

  /// Reads from some of the clients that send their heads slowly, for a moment: a wake-up for each byte of
  /// each of them would cost others their time.
  void read_slow_heads(lws_usec_t now) {
    std::vector<Connection*> due;
    for (const auto& [wsi, connection] : connections) {
      if (connection->phase != Phase::waiting || connection->until == kForEver) continue;
      SlowHead& head = connection->head;
      if (!head.is_slow() && head.look(received_bytes(lws_get_socket_fd(wsi)), now)) rest(*connection);
      if (head.is_due(now)) due.push_back(connection.get());
    }
    const std::size_t most = std::min(due.size(), kMostSlowHeads);
    std::ranges::nth_element(due, due.begin() + static_cast<std::ptrdiff_t>(most), {},
                             [](const Connection* each) { return each->head.due_us(); });
    for (std::size_t i = 0; i < most; ++i) {
      due[i]->head.read(now);
      read_on(*due[i]);
      read_slowly.push_back(due[i]->wsi);
    }
    if (read_slowly.empty()) return;
    lws_sul_schedule(
        context, 0, &slow_read,
        [](lws_sorted_usec_list_t* list) { static_cast<Timer*>(list)->state->end_slow_read(); }, kSlowReadUs);
  }

  void end_slow_read() {
    for (lws* const wsi : std::exchange(read_slowly, {})) {
      Connection* const connection = of(wsi);
      if (connection != nullptr && connection->phase == Phase::waiting && connection->head.is_slow())
        rest(*connection);
    }
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
      return refuse_at_once(wsi, {ErrorKind::usage, "no_upgrade", "this server upgrades no connection", ""})
                 ? 0
                 : -1;
    case LWS_CALLBACK_HTTP:
      return begin(wsi) ? 0 : -1;
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
  uv_loop_init(&state_->loop);
  void* loops[] = {&state_->loop};
  info.foreign_loops = loops;
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
  state_->tick.state = state_->slow_read.state = state_.get();
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
  if (connection == nullptr) return;
  if (connection->asking) {
    state_->send(*connection, answer);
  } else {
    state_->send_later(*connection, answer);
  }
}

std::unique_ptr<DescriptorWatch> HttpServer::watch_descriptor(int descriptor,
                                                              std::function<void()> readable) {
  return std::make_unique<DescriptorWatch>(&state_->loop, descriptor, std::move(readable));
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
