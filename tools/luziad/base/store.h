// The store: where it is, its log, and the rows that follow the log. Owned by Daemon.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "engine/log/event_log.h"
#include "engine/view/view_store.h"
#include "engine/view/view_thread.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

struct Store {
  const std::string& folder;
  EventLog& log;
  ViewStore& views;
  ViewThread& view_thread;
  Mailbox& mailbox;

  /// Calls `then` on the loop once the rows include `position`, or cannot follow any more
  /// (ViewThread::when_at).
  void when_at(Position position, std::function<void()> then) const {
    view_thread.when_at(position, [&loop = mailbox, then = std::move(then)] { loop.post(then); });
  }
};

}  // namespace luzia
