// Lets system calls of real programs fail, or their process die, at a place that the test chooses: programs
// started through `filtered` ask the test about each of the chosen calls (seccomp's user notification, see
// seccomp_unotify(2); no privileges needed), and so do the programs that they start. `decide` is called on a
// thread of the object's own. Outlive the programs: calls that nobody answers any more fail with ENOSYS.
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

  /// What an argument points at: a string; bytes.
  std::string text(std::size_t argument) const;
  std::uint64_t word(std::size_t argument) const;
  /// File name of the program that calls.
  std::string program() const;
};

class FailingCalls {
 public:
  /// An errno value, or one of these. What is held is asked about again, until the answer is another one.
  static constexpr int kGoOn = 0;
  static constexpr int kKill = -1;
  static constexpr int kHold = -2;
  using Decide = std::function<int(const AskedCall&)>;

  /// `socket`: a path that is free, where programs find this object.
  FailingCalls(std::string socket, std::vector<int> numbers, Decide decide);
  ~FailingCalls();
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;

  /// What to execute instead of `words`.
  std::vector<std::string> filtered(const std::vector<std::string>& words) const;
  /// Puts there what executes `program`, filtered, with whatever arguments and environment it is given.
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
