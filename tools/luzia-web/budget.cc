#include "tools/luzia-web/budget.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cmath>

#include "engine/device/listening.h"

namespace luzia::web {
namespace {

constexpr double kSecondOfBudgetUs = 1e6;

template <class Value>
void take_one(std::map<std::string, Value>& counts, const std::string& who) {
  const auto found = counts.find(who);
  if (found != counts.end() && --found->second == 0) counts.erase(found);
}

template <class Value>
std::size_t count_of(const std::map<std::string, Value>& counts, const std::string& who) {
  const auto found = counts.find(who);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

std::string client_of(std::string_view address) {
  constexpr std::size_t kNetworkBytes = 8;
  if (is_loopback(address)) return "127.0.0.1";
  in6_addr six{};
  const std::string whole(address);
  if (::inet_pton(AF_INET6, whole.c_str(), &six) != 1) return whole;
  std::fill(six.s6_addr + kNetworkBytes, six.s6_addr + sizeof six.s6_addr, std::uint8_t{0});
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET6, &six, text, sizeof text);
  return text;
}

Room Budget::room_for(const std::string& address) const {
  const std::size_t most = limits_.connections_of_address * (is_loopback(address) ? 8 : 1);
  if (count_of(connections_of_, client_of(address)) >= most) return Room::none_for_address;
  return connections_ < limits_.connections ? Room::free : Room::none;
}

void Budget::connected(const std::string& address) {
  ++connections_;
  ++connections_of_[client_of(address)];
}

void Budget::disconnected(const std::string& address) {
  --connections_;
  take_one(connections_of_, client_of(address));
}

Status Budget::take(std::map<std::string, Bucket>& buckets, const std::string& who, double per_second,
                    double most, std::int64_t now_us) const {
  const auto level = [&](const Bucket& bucket) {
    return std::min(
        most, bucket.left + static_cast<double>(now_us - bucket.filled_us) / kSecondOfBudgetUs * per_second);
  };
  // Full buckets say nothing: whoever is not remembered has one.
  if (buckets.size() >= limits_.remembered)
    std::erase_if(buckets, [&](const auto& entry) { return level(entry.second) >= most; });
  if (buckets.size() >= limits_.remembered && !buckets.contains(who))
    return fail(ErrorKind::refused, "too_many_requests", "too many addresses ask at once",
                "try again in 1 s");
  Bucket& bucket = buckets.try_emplace(who, Bucket{most, now_us}).first->second;
  bucket.left = level(bucket);
  bucket.filled_us = now_us;
  if (bucket.left < 1)
    return fail(
        ErrorKind::refused, "too_many_requests", "too many requests in a short time",
        "try again in " + std::to_string(static_cast<int>(std::ceil((1 - bucket.left) / per_second))) + " s");
  bucket.left -= 1;
  return {};
}

Status Budget::device_asks(const std::string& device, std::int64_t now_us) {
  return take(devices_, device, limits_.requests_per_second, limits_.most_at_once, now_us);
}

Status Budget::stranger_asks(const std::string& address, std::int64_t now_us) {
  return take(strangers_, client_of(address), limits_.strangers_per_second, limits_.most_strangers_at_once,
              now_us);
}

Status Budget::may_show(Secret secret, const std::string& asker, std::int64_t now_us) const {
  const auto those = wrong_.find(secret);
  if (those == wrong_.end()) return {};
  const auto found = those->second.find(client_of(asker));
  if (found == those->second.end() || found->second.locked_until_us <= now_us) return {};
  const auto seconds = (found->second.locked_until_us - now_us + 999'999) / 1'000'000;
  return fail(ErrorKind::refused, "locked_out",
              std::string("too many wrong ") + (secret == Secret::token ? "tokens" : "codes") +
                  " from this address or user",
              "try again in " + std::to_string(seconds) + " s");
}

void Budget::wrong(Secret secret, const std::string& asker, std::int64_t now_us) {
  auto& those = wrong_[secret];
  const std::string client = client_of(asker);
  if (those.size() >= limits_.remembered) {
    std::erase_if(those, [&](const auto& entry) {
      return entry.second.locked_until_us <= now_us &&
             entry.second.since_us + limits_.wrong_within_us <= now_us;
    });
  }
  if (those.size() >= limits_.remembered && !those.contains(client)) those.erase(those.begin());
  Wrong& its = those[client];
  if (its.count == 0 || now_us - its.since_us > limits_.wrong_within_us)
    its = Wrong{0, now_us, its.locked_until_us};
  const bool token = secret == Secret::token;
  if (++its.count < (token ? limits_.wrong_tokens : limits_.wrong_codes)) return;
  its = Wrong{0, now_us, now_us + (token ? limits_.tokens_locked_us : limits_.codes_locked_us)};
}

Status Budget::open_stream(const std::string& device) {
  if (streams_ >= limits_.streams || count_of(streams_of_, device) >= limits_.streams_of_device)
    return fail(ErrorKind::refused, "too_many_streams", "this device reads too many streams at once",
                "close other pages of this server");
  ++streams_;
  ++streams_of_[device];
  return {};
}

void Budget::close_stream(const std::string& device) {
  --streams_;
  take_one(streams_of_, device);
}

}  // namespace luzia::web
