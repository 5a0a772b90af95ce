// How much one address or one device may ask of the server. Pure: the time comes with each call, in
// microseconds that never go back. Bounded: the server forgets who is quiet. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia::web {

struct BudgetLimits {
  std::size_t connections = 1024;           // of all together
  std::size_t connections_of_address = 64;  // programs of this machine share theirs: eight times as many
  std::size_t streams_of_device = 16;
  std::size_t streams = 256;
  double requests_per_second = 500;  // of a device
  double most_at_once = 1000;
  double strangers_per_second = 10;  // requests without a device, of an address
  double most_strangers_at_once = 60;
  std::int64_t wrong_within_us = 300'000'000;
  std::uint32_t wrong_tokens = 5;  // of an address, within that time
  std::int64_t tokens_locked_us = 60'000'000;
  // No single asker can end a code, which the fifth try with its first half does (pairing.h has the figures).
  std::uint32_t wrong_codes = 4;
  std::int64_t codes_locked_us = 300'000'000;
  std::size_t remembered = 4096;  // addresses and devices
};

/// Whether another connection fits: there is room, too many of its address are open, too many of all.
enum class Room { free, none_for_address, none };

/// What shares a budget: an IPv4 address, the network (64 bits) of an IPv6 address, of which one client has
/// all addresses, or this machine, of whose loopback addresses any program may choose.
std::string client_of(std::string_view address);

/// Counted apart: a page whose device was revoked may still be paired again.
enum class Secret { token, code };

class Budget {
 public:
  explicit Budget(BudgetLimits limits = {}) : limits_(limits) {}

  /// Where there is none, it may take the place of a connection that only waits for its client.
  Room room_for(const std::string& address) const;
  void connected(const std::string& address);
  void disconnected(const std::string& address);
  std::size_t connections() const { return connections_; }

  /// `too_many_requests` (refused): with the seconds to wait in the message.
  Status device_asks(const std::string& device, std::int64_t now_us);
  Status stranger_asks(const std::string& address, std::int64_t now_us);

  /// `locked_out` (refused): the asker (an address, or a user of this machine) showed too many wrong ones.
  Status may_show(Secret secret, const std::string& asker, std::int64_t now_us) const;
  void wrong(Secret secret, const std::string& asker, std::int64_t now_us);

  /// `too_many_streams` (refused).
  Status open_stream(const std::string& device);
  void close_stream(const std::string& device);

 private:
  struct Bucket {
    double left = 0;
    std::int64_t filled_us = 0;
  };
  struct Wrong {
    std::uint32_t count = 0;
    std::int64_t since_us = 0, locked_until_us = 0;
  };
  Status take(std::map<std::string, Bucket>& buckets, const std::string& who, double per_second, double most,
              std::int64_t now_us) const;

  BudgetLimits limits_;
  std::size_t connections_ = 0, streams_ = 0;
  std::map<std::string, std::size_t> connections_of_, streams_of_;
  std::map<std::string, Bucket> devices_, strangers_;
  std::map<Secret, std::map<std::string, Wrong>> wrong_;
};

}  // namespace luzia::web
