// HTTP/1.1 over libwebsockets on libuv, and nothing else: no rule about who may ask what. One loop thread,
// the one that calls run(); only post() may be called by others.
//
// Every wait for a client has an end: for its request, for its body, for its reading of an answer. A
// connection that waits for its client gives way to new ones if there are too many. While a request is
// answered, the server reads nothing more from its connection, so that a client that sends on costs nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/luzia-web/budget.h"
#include "tools/luzia-web/descriptor_watch.h"
#include "tools/luzia-web/exchange.h"

namespace luzia::web {

struct ListenPlace {
  std::string address = "127.0.0.1";  // without brackets
  std::uint16_t port = 0;             // 0: any
  std::string tls_cert, tls_key;      // files; empty: no TLS
  bool behind_proxy = false;          // the client's address is the last of X-Forwarded-For
};

class HttpServer {
 public:
  using Id = std::uint64_t;  // of a request and its answer

  /// A piece of a stream: nothing yet, some bytes, or the end after them.
  struct Piece {
    std::string bytes;
    bool last = false;
  };

  struct Handlers {
    std::function<Room(const std::string& address)> room_for;
    std::function<void(const std::string& address)> connected, disconnected;
    /// Looks at a request before its body arrives; an answer refuses it.
    std::function<std::optional<Answer>(const Request&)> refused;
    /// Answer it by answer() or begin_stream(), now or later.
    std::function<void(Id, Request)> asked;
    /// The exchange is over: the answer was sent, or the client has gone.
    std::function<void(Id)> gone;
    /// The client can take more of its stream.
    std::function<Piece(Id)> more;
    /// About four times a second.
    std::function<void()> tick;
  };

  explicit HttpServer(Handlers handlers);
  ~HttpServer();

  /// Returns the port. `cannot_listen` (trouble).
  Result<std::uint16_t> listen(const ListenPlace& place);
  /// Serves until the process ends.
  void run();
  /// Calls `task` on the loop's thread, soon. Any thread.
  void post(std::function<void()> task);
  /// Hears on the loop's thread when the descriptor can be read. Once it listens.
  std::unique_ptr<DescriptorWatch> watch_descriptor(int descriptor, std::function<void()> readable);

  void answer(Id id, Answer answer);
  /// Has gone() called soon after the client closes its side, although the answer is not there: for answers
  /// that cost much. Not noticed through TLS. False: it was called already.
  bool watch(Id id);
  /// Answers with these headers and a body that more() supplies, piece by piece.
  /// False: the client has gone.
  bool begin_stream(Id id, Answer head);
  /// More of the stream is there.
  void wake(Id id);
  std::size_t busy() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace luzia::web
