#include "bench/harness/durable_server.h"

#include <rocksdb/write_batch.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "bench/harness/driving.h"

namespace luzia::bench {
namespace {

constexpr std::size_t kRecordBytes = 300, kReadBytes = 64 << 10;
constexpr int kBacklog = 64, kEvents = 64;

[[noreturn]] void failed(const std::string& what) {
  give_up("yardstick of a socket with a durable put: " + what + " failed");
}

int listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) failed("the name of " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  unlink(path.c_str());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, kBacklog) != 0) {
    failed("listening at " + path);
  }
  return fd;
}

void wait_for_input(int events, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) != 0) failed("epoll");
}

}  // namespace

DurableServer::DurableServer(const std::string& socket, std::string store)
    : socket_(socket), store_(std::move(store)), scratch_(kReadBytes), builder_(256) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* raw = nullptr;
  if (!rocksdb::DB::Open(options, store_, &raw).ok()) failed(store_);
  db_.reset(raw);
  listener_ = listen_at(socket_);
  events_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  wait_for_input(events_, listener_);
  wait_for_input(events_, wake_);
  committing_ = std::thread([this] { commit(); });
  serving_ = std::thread([this] { serve(); });
}

DurableServer::~DurableServer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_one();
  eventfd_write(wake_, 1);
  serving_.join();
  committing_.join();
  for (const auto& [client, connection] : connections_) close(client);
  for (const int fd : {listener_, events_, wake_}) close(fd);
  unlink(socket_.c_str());
  db_.reset();
  rocksdb::DestroyDB(store_, {});
}

void DurableServer::serve() {
  epoll_event ready[kEvents];
  std::vector<Asked> written;
  while (true) {
    const int count = epoll_wait(events_, ready, kEvents, -1);
    for (int i = 0; i < count; ++i) {
      const int fd = ready[i].data.fd;
      if (fd == listener_) {
        accept_client();
      } else if (fd == wake_) {
        eventfd_t ignored;
        eventfd_read(wake_, &ignored);
        {
          const std::lock_guard lock(mutex_);
          if (ending_) return;
          written.swap(written_);
        }
        answer(written);
        written.clear();
      } else {
        read_from(fd);
      }
    }
  }
}

void DurableServer::accept_client() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) failed("accept");
  connections_[client];
  wait_for_input(events_, client);
}

void DurableServer::read_from(int client) {
  const ssize_t count = recv(client, scratch_.data(), scratch_.size(), 0);
  if (count <= 0) {
    connections_.erase(client);
    close(client);
    return;
  }
  std::vector<Asked> asked;
  const Bytes bytes(scratch_.data(), static_cast<std::size_t>(count));
  const Status fed = connections_[client].reader.feed(bytes, [&](Bytes frame) {
    const auto parsed = parse_client_frame(frame);
    if (!parsed) failed("reading a request");
    if ((*parsed)->request_type() != wire::Request::Hello) asked.push_back({client, (*parsed)->id()});
  });
  if (!fed) failed("reading a request");
  if (asked.empty()) return;
  bool idle = false;
  {
    const std::lock_guard lock(mutex_);
    idle = asked_.empty();
    asked_.insert(asked_.end(), asked.begin(), asked.end());
  }
  if (idle) work_.notify_one();
}

void DurableServer::answer(const std::vector<Asked>& written) {
  std::vector<int> clients;
  for (const Asked& one : written) {
    const auto it = connections_.find(one.client);
    if (it == connections_.end()) continue;
    if (it->second.out.empty()) clients.push_back(one.client);
    builder_.Clear();
    const auto id = builder_.CreateString("20261122-120000-abcdef");
    const auto accepted = wire::CreateAccepted(builder_, builder_.CreateVector(&id, 1), one.request);
    builder_.Finish(wire::CreateServerFrame(builder_, one.request, wire::Reply::Accepted, accepted.Union()));
    append_frame(it->second.out, builder_);
  }
  for (const int client : clients) {
    std::string& out = connections_[client].out;
    // Answers are small and few: they fit into the socket's buffer even if the client is slow.
    if (send(client, out.data(), out.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out.size()))
      failed("send");
    out.clear();
  }
}

void DurableServer::commit() {
  rocksdb::WriteOptions synced;
  synced.sync = true;
  const std::string record(kRecordBytes, 'x');
  std::uint64_t key = 0;
  std::vector<Asked> taken;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [this] { return ending_ || !asked_.empty(); });
      if (ending_) return;
      taken.swap(asked_);
    }
    rocksdb::WriteBatch writes;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const std::uint64_t big_endian = __builtin_bswap64(++key);
      writes.Put(rocksdb::Slice(reinterpret_cast<const char*>(&big_endian), sizeof big_endian), record);
    }
    if (!db_->Write(synced, &writes).ok()) failed("the write");
    {
      const std::lock_guard lock(mutex_);
      written_.insert(written_.end(), taken.begin(), taken.end());
    }
    taken.clear();
    eventfd_write(wake_, 1);
  }
}

}  // namespace luzia::bench
