// One client of the proxy: reads its request, resolves the host, connects, then passes bytes on. Owns itself
// until all of its handles are closed. Loop thread.
//
// What a client may cost is bounded: a head of 16 KiB within half a minute, two buffers of 16 KiB (a side
// that does not read holds up the other), an hour of silence, a minute once one side has nothing more to say.
#pragma once

#include <sys/socket.h>
#include <uv.h>

#include <array>
#include <string>
#include <vector>

#include "tools/luzia-proxy/head.h"
#include "tools/luzia-proxy/host_book.h"

namespace luzia {

/// What all connections share.
struct ProxyPolicy {
  std::vector<HostRule> rules;
  HostBook book;
  std::size_t connections = 0;
  static constexpr std::size_t kMostConnections = 256;
};

class Connection {
 public:
  /// Takes the connection that waits at `listener`. `policy` must outlive the loop.
  static void accept(uv_stream_t* listener, ProxyPolicy& policy);

 private:
  /// One direction of a connection.
  struct Way {
    Connection* of = nullptr;
    uv_stream_t* from = nullptr;
    uv_stream_t* to = nullptr;
    uv_write_t write = {};
    uv_shutdown_t shutdown = {};
    std::array<char, 16 * 1024> bytes = {};
    bool over = false;   // `from` has nothing more to say
    bool drops = false;  // what it says is not passed on
  };

  Connection(uv_loop_t* loop, ProxyPolicy& policy);
  ~Connection();

  void read_head(std::string_view bytes);
  void serve(ProxyRequest request);
  void resolve();
  void resolved(int status, const addrinfo* found);
  void take_permitted(const addrinfo* found);
  void connect_next();
  void connected();
  void begin_passing();
  void refuse(const char* status, const std::string& words);
  void send(uv_stream_t* to, std::string text, bool then_close);
  void read_from(Way& way);
  void passed(Way& way, ssize_t size);
  void end_way(Way& way);
  void wait_at_most(std::uint64_t ms);
  void close();
  void let_go();

  ProxyPolicy& policy_;
  uv_tcp_t client_, server_;
  uv_timer_t timer_;
  uv_getaddrinfo_t lookup_ = {};
  uv_connect_t connecting_ = {};
  std::size_t held_ = 3;  // handles that are not closed, and a lookup
  bool closing_ = false, has_server_ = true;
  Way up_, down_;  // from the client, to the client
  std::string head_;
  ProxyRequest request_ = {};
  std::optional<std::size_t> number_;  // in the book
  std::vector<sockaddr_storage> addresses_;
  std::size_t tried_ = 0;
};

}  // namespace luzia
