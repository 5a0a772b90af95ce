// Makes system calls of real programs fail, or kills the program, at a call that the test chooses. A program
// started through `filtered`, and every program that it starts, asks the test about each chosen call. This
// uses seccomp's user notification (seccomp_unotify(2)) and needs no privileges.
//
// `decide` runs on a thread that the object owns. The object must outlive the programs: after its end their
// calls fail with ENOSYS.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace luzia {

struct AskedCall {
  pid_t thread = 0;
  int number = 0;  // SYS_...
  std::array<std::uint64_t, 6> arguments{};

  /// The data that an argument points at, as a string or as bytes.
  std::string text(std::size_t argument) const;
  std::uint64_t word(std::size_t argument) const;
  /// File name of the calling program.
  std::string program() const;
};

class FailingCalls {
 public:
  /// An errno value, or one of these. A held call is asked about again until the answer differs.
  static constexpr int kGoOn = 0;
  static constexpr int kKill = -1;
  static constexpr int kHold = -2;
  using Decide = std::function<int(const AskedCall&)>;

  /// `socket`: an unused path where the programs reach this object.
  FailingCalls(std::string socket, std::vector<int> numbers, Decide decide);
  ~FailingCalls();
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;

  /// The words to execute in place of `words`.
  std::vector<std::string> filtered(const std::vector<std::string>& words) const;
  /// Writes a script to `path` that executes `program` filtered, with its own arguments and environment.
  void place(const std::string& path, const std::string& program) const;

 private:
  struct Held {
    int listener;
    std::uint64_t id;
    AskedCall call;
  };
  void serve();
  int take_listener() const;
  void take_call(int listener);
  bool answer(int listener, std::uint64_t id, const AskedCall& call) const;

  std::string socket_;
  std::vector<int> numbers_;
  Decide decide_;
  std::vector<Held> held_;
  int listening_ = -1, stopping_ = -1;
  std::thread thread_;
};

}  // namespace luzia
