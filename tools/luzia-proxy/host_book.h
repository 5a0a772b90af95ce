// Counts connections and bytes of each host into the attempt's file (adapters/launcher/host_record.h). A disk
// that takes nothing stops no connection. Loop thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "engine/base/host_rule.h"

namespace luzia {

class HostBook {
 public:
  /// `file`: empty and open for writing; stays the caller's.
  explicit HostBook(int file);

  /// Enters a contact. Returns the host's number; nullopt: there are too many, and it was only counted.
  std::optional<std::size_t> contact(const HostPort& host, char verdict);
  void connected(std::optional<std::size_t> number);
  void moved(std::optional<std::size_t> number, std::uint64_t bytes);
  /// Writes what is not in the file yet.
  void flush();

 private:
  struct Host {
    HostPort host;
    char verdict;
    std::uint64_t connections = 0, bytes = 0, unwritten = 0;
  };
  void write_head();
  void write(std::size_t number);

  int file_;
  std::uint64_t more_ = 0;
  std::vector<Host> hosts_;
  std::map<std::tuple<std::string, std::uint16_t, char>, std::size_t> numbers_;
};

}  // namespace luzia
