// A local server that gives each request the same answer and records the requests.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "tests/adapters/notify/local_server.h"

namespace luzia {

/// Accepts any request.
inline constexpr char kOkAnswer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

class HttpServer {
 public:
  /// `answer`: a whole HTTP response, as for LocalServer.
  explicit HttpServer(std::string answer)
      : server_([this, answer = std::move(answer)](const std::string& request) {
          const std::lock_guard lock(mutex_);
          requests_.push_back(request);
          return answer;
        }) {}

  std::string url(const std::string& path = "/") const { return server_.url(path); }
  int port() const { return server_.port(); }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;  // guarded by mutex_
  LocalServer server_;                 // last, so it is destroyed first
};

}  // namespace luzia
