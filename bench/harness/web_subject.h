// The luzia-web under test, beside a daemon under test. Started and stopped like a user's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "bench/harness/subject.h"

namespace luzia::bench {

class WebSubject {
 public:
  /// Starts luzia-web at any port of this machine and waits until it listens. `subject` must run, and go on
  /// running for as long.
  explicit WebSubject(const Subject& subject);
  ~WebSubject();
  WebSubject(const WebSubject&) = delete;

  pid_t pid() const { return pid_; }
  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// A new code that makes a device which may do everything.
  std::string code() const;
  /// The token of a new device.
  std::string pair() const;

 private:
  const Subject& subject_;
  pid_t pid_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace luzia::bench
