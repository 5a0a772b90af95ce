#include "tests/e2e/fleet/network_spaces.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <thread>

#include "tests/e2e/program.h"

namespace luzia {
namespace {

constexpr const char* kOwnSpace = "/proc/thread-self/ns/net";

/// A new namespace with nothing in it; without a value: the kernel refuses.
Descriptor new_space() {
  Descriptor made;
  std::thread([&made] {
    if (::unshare(CLONE_NEWNET) == 0) made.reset(::open(kOwnSpace, O_RDONLY | O_CLOEXEC));
  }).join();
  return made;
}

bool runs(const std::string& program, const Words& words) {
  Words all = {program};
  all.insert(all.end(), words.begin(), words.end());
  return run_to_end(all, {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}).code == 0;
}

void ip(const Words& words) {
  EXPECT_TRUE(runs("/usr/sbin/ip", words)) << testing::PrintToString(words);
}

std::string link_to(std::size_t space) {
  return "link" + std::to_string(space);
}

}  // namespace

WithinSpace::WithinSpace(const Descriptor& space) : before_(::open(kOwnSpace, O_RDONLY | O_CLOEXEC)) {
  EXPECT_EQ(::setns(space.get(), CLONE_NEWNET), 0);
}

WithinSpace::~WithinSpace() {
  EXPECT_EQ(::setns(before_.get(), CLONE_NEWNET), 0);
}

std::unique_ptr<NetworkSpaces> NetworkSpaces::make(std::size_t count) {
  if (::geteuid() != 0 || ::access("/usr/sbin/ip", X_OK) != 0) return nullptr;
  std::unique_ptr<NetworkSpaces> made(new NetworkSpaces);
  made->hub_ = new_space();
  if (!made->hub_) return nullptr;
  {
    const WithinSpace inside(made->hub_);
    // A container may have root and no bridge.
    if (!runs("/usr/sbin/ip", {"link", "add", "hub", "type", "bridge"})) return nullptr;
    ip({"link", "set", "hub", "up"});
  }
  for (std::size_t i = 0; i < count; ++i) {
    made->spaces_.push_back(new_space());
    made->join(i);
  }
  return made;
}

void NetworkSpaces::join(std::size_t space) const {
  const std::string there =
      "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(spaces_[space].get());
  {
    const WithinSpace inside(hub_);
    ip({"link", "add", link_to(space), "type", "veth", "peer", "name", "net", "netns", there});
    ip({"link", "set", link_to(space), "master", "hub", "up"});
  }
  const WithinSpace inside(spaces_[space]);
  ip({"address", "add", address(space) + "/24", "dev", "net"});
  ip({"link", "set", "lo", "up"});
  ip({"link", "set", "net", "up"});
}

void NetworkSpaces::cut(std::size_t space) const {
  const WithinSpace inside(hub_);
  ip({"link", "set", link_to(space), "down"});
}

void NetworkSpaces::slow(std::size_t space) const {
  const WithinSpace inside(hub_);
  EXPECT_TRUE(runs("/usr/sbin/tc", {"qdisc", "replace", "dev", link_to(space), "root", "tbf", "rate",
                                    "256kbit", "burst", "16kb", "latency", "500ms"}));
}

void NetworkSpaces::restore(std::size_t space) const {
  const WithinSpace inside(hub_);
  (void)runs("/usr/sbin/tc", {"qdisc", "del", "dev", link_to(space), "root"});  // it may not be slow
  ip({"link", "set", link_to(space), "up"});
}

}  // namespace luzia
