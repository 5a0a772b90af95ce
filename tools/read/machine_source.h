// A Source on another machine: its daemon, over SSH. One thread for each.
#pragma once

#include <memory>

#include "tools/cli/machines.h"
#include "tools/read/daemon_source.h"

namespace luzia {

/// Counts the pages of an answer from another machine, which may never end.
class FarPages {
 public:
  explicit FarPages(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  /// `too_much` (trouble): they have more bytes than that. `cursor`: with which the page was asked for.
  Status add(std::string_view cursor, std::size_t bytes);

 private:
  std::size_t most_bytes_, bytes_ = 0;
};

/// The daemon of another machine, over a connection to it. An answer with more bytes than that is refused,
/// unless it has events, which are a stream.
std::unique_ptr<Source> far_source(Client client, DaemonSource::Reconnect again, std::size_t most_bytes);

/// Connects to the daemon of the machine, which is started there if none runs. `silence` limits the
/// connection, each answer, and a reconnection; an answer has at most kMaxFrameBytes. Errors as
/// connect_by_ssh(). Several threads may open sources at once.
Result<std::unique_ptr<Source>> open_machine(const Machine& machine, const SilenceLimit& silence);

}  // namespace luzia
