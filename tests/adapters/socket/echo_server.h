// A server that answers every request, and helpers for the tests of both ends of the socket.
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/socket/client.h"
#include "adapters/socket/readable.h"
#include "adapters/socket/server.h"
#include "tests/scratch.h"

namespace luzia {

using namespace std::chrono_literals;  // NOLINT(google-global-names-in-headers): of tests

inline wire::RequestUnion ping(const std::string& argument = {}) {
  wire::ControlT control;
  control.action = wire::ControlAction::ping;
  control.argument = argument;
  wire::RequestUnion request;
  request.Set(std::move(control));
  return request;
}

/// A server on its own loop and thread that answers every request with a message of `reply_bytes` bytes.
class EchoServer {
 public:
  explicit EchoServer(const std::string& path, std::optional<int> inherited = std::nullopt,
                      SocketServer::Limits limits = {})
      : path_(path) {
    std::signal(SIGPIPE, SIG_IGN);
    uv_loop_init(&loop_);
    uv_async_init(&loop_, &wake_, [](uv_async_t* async) { static_cast<EchoServer*>(async->data)->woken(); });
    wake_.data = this;
    server_ = std::make_unique<SocketServer>(&loop_, handlers(), limits);
    listened_ = server_->listen(path, std::nullopt, inherited);
    thread_ = std::thread([this] { uv_run(&loop_, UV_RUN_DEFAULT); });
  }
  ~EchoServer() {
    run([this] {
      server_->stop([this] {
        server_.reset();
        uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr);
      });
    });
    thread_.join();
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "handles were left open";
  }

  void run(std::function<void()> on_loop) {
    {
      std::lock_guard lock(mutex_);
      work_.push_back(std::move(on_loop));
    }
    uv_async_send(&wake_);
  }
  void open_sandbox_door(const std::string& path) {
    run([this, path] { EXPECT_TRUE(server_->listen_to_sandboxes(path)); });
  }
  void release() {
    run([this] {
      for (const auto& [connection, id] : std::exchange(held_, {})) {
        answer(connection, id);
      }
    });
  }
  template <class Condition>
  bool eventually(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 30s, condition);
  }

  Status listened_;
  std::size_t reply_bytes_ = 0;  // set before the first request
  int to_hold_ = 0;              // holds back this many replies until release(); set before the first request
  bool refuses_ = false;         // refuses every request; set before the first request
  bool answers_rows_ = false;    // answers with one row of that size; set before the first request
  int opened_ = 0, closed_ = 0, received_ = 0, drained_ = 0, fulls_ = 0;  // guarded by mutex_
  Peer peer_{};
  std::shared_ptr<const Redactor> redactor_;  // set before the first request
  std::string heard_;                         // argument of the last request; guarded by mutex_

 private:
  SocketServer::Handlers handlers() {
    SocketServer::Handlers handlers;
    handlers.opened = [this](ConnectionId, const Peer& peer) {
      note([&] {
        ++opened_;
        peer_ = peer;
      });
    };
    handlers.received = [this](ConnectionId connection, const wire::ClientFrame& frame) {
      // A Hello gets no reply and is never held back.
      if (frame.request_type() != wire::Request::Hello) answer(connection, frame.id());
      note([&] {
        ++received_;
        if (const auto* control = frame.request_as_Control();
            control != nullptr && control->argument() != nullptr)
          heard_ = control->argument()->str();
        fulls_ += server_->full(connection) ? 1 : 0;
      });
    };
    handlers.drained = [this](ConnectionId) { note([this] { ++drained_; }); };
    handlers.closed = [this](ConnectionId) { note([this] { ++closed_; }); };
    handlers.redactor = [this](ConnectionId, const wire::ClientFrame&) { return redactor_; };
    return handlers;
  }
  void answer(ConnectionId connection, std::uint64_t id) {
    if (std::exchange(to_hold_, std::max(to_hold_ - 1, 0)) > 0) {
      held_.emplace_back(connection, id);
      return;
    }
    wire::ServerFrameT reply;
    reply.id = id;
    if (refuses_) {
      wire::RefusedT refused;
      refused.code = "not_today";
      reply.reply.Set(std::move(refused));
    } else if (answers_rows_) {
      auto row = std::make_unique<wire::RowT>();
      row->data.assign(reply_bytes_, std::uint8_t{'r'});
      wire::RowsT rows;
      rows.rows.push_back(std::move(row));
      rows.last = true;
      reply.reply.Set(std::move(rows));
    } else {
      wire::ProgressedT progressed;
      progressed.message = std::string(reply_bytes_, 'r');
      progressed.last = true;
      reply.reply.Set(std::move(progressed));
    }
    server_->send(connection, reply);
  }
  void note(const std::function<void()>& change) {
    std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  void woken() {
    std::vector<std::function<void()>> work;
    {
      std::lock_guard lock(mutex_);
      work.swap(work_);
    }
    for (const auto& one : work) {
      one();
    }
  }

  std::string path_;
  uv_loop_t loop_{};
  uv_async_t wake_{};
  std::unique_ptr<SocketServer> server_;
  std::vector<std::pair<ConnectionId, std::uint64_t>> held_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> work_;
  std::thread thread_;
};

class Server : public ScratchTest {
 protected:
  int raw_connection() const { return raw_connection(path_); }
  static int raw_connection(const std::string& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  const std::string path_ = path("socket");
};

inline std::string read_all(int fd) {
  std::string all;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = ::read(fd, buffer, sizeof buffer)) > 0) {
    all.append(buffer, static_cast<std::size_t>(count));
  }
  return all;
}

}  // namespace luzia
