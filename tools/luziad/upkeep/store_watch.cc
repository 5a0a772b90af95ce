#include "tools/luziad/upkeep/store_watch.h"

#include <utility>

namespace luzia {
namespace {

/// Who takes the socket's place deletes it first; who deletes the store, perhaps too.
constexpr std::uint64_t kMissingMs = 1'500;

}  // namespace

StoreWatch::StoreWatch(uv_loop_t* loop, const std::string& store, Handlers handlers)
    : loop_(loop), handlers_(std::move(handlers)) {
  lock_.emplace(loop, store + "/lock", [this] { look(); });
}

void StoreWatch::listens_at(const std::string& socket) {
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
  const FileWatch::Found found = socket_->look();
  if (found == FileWatch::Found::other) return report(handlers_.socket_taken);
  if (found != FileWatch::Found::nothing || timer_->running()) return;
  timer_->start(kMissingMs, [this] {
    look();  // without its store it needs no socket
    if (!socket_) return;
    const FileWatch::Found again = socket_->look();
    if (again == FileWatch::Found::nothing) report(handlers_.socket_gone);
    if (again == FileWatch::Found::other) report(handlers_.socket_taken);
  });
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
