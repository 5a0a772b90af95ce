// One of several machines that are asked for the same rows.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/socket/frame.h"
#include "engine/base/descriptor.h"
#include "tools/read/source.h"

namespace luzia {

/// One thread.
class AskedMachine {
 public:
  virtual ~AskedMachine() = default;
  /// Asks for the rows of all pages, at most `limit` (0: all); for an overview as ask_overview_rows(). One
  /// query at a time.
  virtual void ask(wire::QueryT query, std::size_t limit) = 0;
  /// Readable when take() may have an answer; negative: it has one at once.
  virtual int fd() const = 0;
  /// The answer, once it is there, and then nothing until the next query. Does not wait.
  virtual std::optional<Result<RowPage>> take() = 0;

  /// Of rows that another one keeps for the machine: as of when they are (0: it has just said them), and why
  /// it says none itself.
  struct Known {
    TimeUs as_of_us = 0;
    std::optional<Error> silent = {};
  };
  /// Of the last answer that had rows.
  virtual Known known() const { return {}; }
  /// Whether one answers for all machines, so that what it says of a wrong question holds for all.
  virtual bool speaks_for_all() const { return false; }
};

/// The answer of a source to such a question; waits for it.
Result<RowPage> answer_of(Source& source, wire::QueryT query, std::size_t limit);

/// A process of its own opens the machine, passes on its answers and ends with its owner: a machine that is
/// slow, silent or hostile costs nothing but its rows. Rejected: threads, which cannot be ended while they
/// wait for ssh. No other thread may run while one is made.
class MachineProcess : public AskedMachine {
 public:
  using Open = std::function<Result<std::unique_ptr<Source>>()>;

  /// Begins to open the machine. An error of that is the answer to every query.
  explicit MachineProcess(const Open& open);
  /// Ends the process by SIGTERM, for which `open` may install a handler that ends the process.
  ~MachineProcess() override;
  MachineProcess(const MachineProcess&) = delete;
  MachineProcess& operator=(const MachineProcess&) = delete;

  void ask(wire::QueryT query, std::size_t limit) override;
  int fd() const override { return socket_.get(); }
  /// `too_much` (trouble): it has more than fits into a frame; `machine_gone` (trouble): the process has
  /// ended.
  std::optional<Result<RowPage>> take() override;

 private:
  Descriptor socket_;
  pid_t pid_ = -1;
  FrameReader reader_;
};

/// A source that is open here. ask() waits for its answer.
class OpenMachine : public AskedMachine {
 public:
  explicit OpenMachine(Result<std::unique_ptr<Source>> source) : source_(std::move(source)) {}
  void ask(wire::QueryT query, std::size_t limit) override;
  int fd() const override { return -1; }
  std::optional<Result<RowPage>> take() override { return std::exchange(answer_, std::nullopt); }

 private:
  Result<std::unique_ptr<Source>> source_;
  std::optional<Result<RowPage>> answer_;
};

}  // namespace luzia
