#include "tools/luziad/upkeep/store_watch.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <utility>

#include "engine/base/descriptor.h"

namespace luzia {
namespace {

/// Asking systemd's socket also has the next daemon started, as soon as this one has let the store go.
bool somebody_listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  path.copy(address.sun_path, path.size());
  const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
         errno == EAGAIN;
}

/// Who takes the socket's place deletes it first; who deletes the store, perhaps too.
constexpr std::uint64_t kMissingMs = 1'500;

}  // namespace

StoreWatch::StoreWatch(uv_loop_t* loop, const std::string& store, Handlers handlers)
    : loop_(loop), handlers_(std::move(handlers)) {
  lock_.emplace(loop, store + "/lock", [this] { look(); });
}

void StoreWatch::listens_at(const std::string& socket) {
  path_ = socket;
  timer_.emplace(loop_);
  socket_.emplace(loop_, socket, [this] { look_at_socket(); });
}

void StoreWatch::turn(TimeUs monotonic) {
  if (monotonic - looked_at_ < kSecondUs) return;
  looked_at_ = monotonic;
  look();
  look_at_socket();
}

void StoreWatch::look() {
  if (!lock_) return;
  const FileWatch::Found found = lock_->look();
  if (found == FileWatch::Found::other || found == FileWatch::Found::nothing) report(handlers_.store_gone);
}

void StoreWatch::look_at_socket() {
  if (!socket_) return;
  if (!is_lost() || timer_->running()) return;
  if (somebody_listens(path_)) return report(handlers_.socket_taken);
  timer_->start(kMissingMs, [this] {
    look();  // without its store it needs no socket
    if (!socket_ || !is_lost()) return;
    report(somebody_listens(path_) ? handlers_.socket_taken : handlers_.socket_gone);
  });
}

bool StoreWatch::is_lost() const {
  const FileWatch::Found found = socket_->look();
  return found == FileWatch::Found::nothing || found == FileWatch::Found::other;
}

void StoreWatch::report(std::function<void()>& what) {
  if (const auto told = std::exchange(what, nullptr)) told();
}

void StoreWatch::close() {
  timer_.reset();
  socket_.reset();
  lock_.reset();
}

}  // namespace luzia
