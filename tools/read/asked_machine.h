// One of several machines that are asked for the same rows. A process of its own opens the machine, passes on
// its answers and ends with its owner: a machine that is slow, silent or hostile costs nothing but its rows.
// Rejected: threads, which cannot be ended while they wait for ssh. One thread, and no other thread may run
// while one is made.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>

#include "adapters/socket/frame.h"
#include "engine/base/descriptor.h"
#include "tools/read/source.h"

namespace luzia {

class AskedMachine {
 public:
  using Open = std::function<Result<std::unique_ptr<Source>>()>;

  /// Begins to open the machine. An error of that is the answer to every query.
  explicit AskedMachine(const Open& open);
  /// Ends the process by SIGTERM, for which `open` may install a handler that ends the process.
  ~AskedMachine();
  AskedMachine(AskedMachine&& other) noexcept;
  AskedMachine& operator=(AskedMachine&&) = delete;

  /// Asks for the rows of all pages, at most `limit` (0: all); for an overview as ask_overview_rows(). One
  /// query at a time.
  void ask(wire::QueryT query, std::size_t limit);
  /// Readable when take() may have an answer.
  int fd() const { return socket_.get(); }
  /// The answer, once it is there, and then nothing until the next query. Does not wait. `too_much`
  /// (trouble): it has more than fits into a frame; `machine_gone` (trouble): the process has ended.
  std::optional<Result<RowPage>> take();

 private:
  Descriptor socket_;
  pid_t pid_ = -1;
  FrameReader reader_;
};

}  // namespace luzia
