#include "tools/luzia-proxy/host_book.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "adapters/launcher/host_record.h"

namespace luzia {
namespace {

using namespace host_record;

constexpr std::uint64_t kWriteEvery = 1 << 20;  // bytes

template <class... Values>
void put_line(int file, std::size_t number, const char* format, Values... values) {
  std::array<char, kLineSize> line{};
  const int size = std::snprintf(line.data(), line.size(), format, values...);
  const auto begin = line.begin() + std::clamp<int>(size, 0, static_cast<int>(kLineSize) - 1);
  std::fill(begin, line.end(), ' ');
  line.back() = '\n';
  if (::pwrite(file, line.data(), line.size(), static_cast<off_t>(number * kLineSize)) < 0) errno = 0;
}

}  // namespace

HostBook::HostBook(int file) : file_(file) {
  write_head();
}

std::optional<std::size_t> HostBook::contact(const HostPort& host, char verdict) {
  const auto [at, is_new] = numbers_.try_emplace({host.host, host.port, verdict}, hosts_.size());
  if (is_new && hosts_.size() == kMostHosts) {
    numbers_.erase(at);
    ++more_;
    write_head();
    return std::nullopt;
  }
  if (is_new) hosts_.push_back({host, verdict});
  if (verdict != kAllowed) ++hosts_[at->second].connections;
  if (is_new || verdict != kAllowed) write(at->second);
  return at->second;
}

void HostBook::connected(std::optional<std::size_t> number) {
  if (!number) return;
  ++hosts_[*number].connections;
  write(*number);
}

void HostBook::moved(std::optional<std::size_t> number, std::uint64_t bytes) {
  if (!number) return;
  Host& host = hosts_[*number];
  host.bytes += bytes;
  host.unwritten += bytes;
  if (host.unwritten >= kWriteEvery) write(*number);
}

void HostBook::flush() {
  write_head();
  for (std::size_t i = 0; i < hosts_.size(); ++i) write(i);
}

void HostBook::write_head() {
  put_line(file_, 0, kHeadFormat, static_cast<unsigned long long>(more_));
}

void HostBook::write(std::size_t number) {
  Host& host = hosts_[number];
  host.unwritten = 0;
  put_line(file_, number + 1, kHostFormat, host.verdict, static_cast<unsigned>(host.host.port),
           static_cast<unsigned long long>(std::min<std::uint64_t>(host.connections, 9'999'999'999)),
           static_cast<unsigned long long>(host.bytes), host.host.host.c_str());
}

}  // namespace luzia
