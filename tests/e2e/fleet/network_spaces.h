// Network namespaces for the machines and servers of a fleet, joined by a bridge: the links between them are
// the kernel's and can be cut and slowed, one by one. They end with this process and what it has started
// there. Needs root, and ip of iproute2. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/descriptor.h"

namespace luzia {

class NetworkSpaces {
 public:
  /// Null: this process may not have any.
  static std::unique_ptr<NetworkSpaces> make(std::size_t count);

  static std::string address(std::size_t space) { return "10.77.0." + std::to_string(space + 1); }
  void cut(std::size_t space) const;
  /// As over a bad line: 256 kbit/s towards the space.
  void slow(std::size_t space) const;
  /// Neither cut nor slow any more.
  void restore(std::size_t space) const;

 private:
  friend class WithinSpace;
  NetworkSpaces() = default;
  void join(std::size_t space) const;

  Descriptor hub_;
  std::vector<Descriptor> spaces_;
};

/// What the thread starts while this lives is in the space.
class WithinSpace {
 public:
  WithinSpace(const NetworkSpaces& spaces, std::size_t space) : WithinSpace(spaces.spaces_[space]) {}
  ~WithinSpace();
  WithinSpace(const WithinSpace&) = delete;

 private:
  friend class NetworkSpaces;
  explicit WithinSpace(const Descriptor& space);

  Descriptor before_;
};

}  // namespace luzia
