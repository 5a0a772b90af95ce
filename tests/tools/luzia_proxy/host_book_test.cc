// What the proxy counts is what the daemon reads.
#include "tools/luzia-proxy/host_book.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "adapters/launcher/host_record.h"
#include "adapters/launcher/launcher.h"
#include "engine/base/descriptor.h"

namespace luzia {
namespace {

using schema::HostVerdict;
using namespace host_record;

class HostBookTest : public testing::Test {
 protected:
  HostBookTest() {
    char name[] = "/tmp/luzia-hosts-XXXXXX";
    folder_ = ::mkdtemp(name);
    file_.reset(::open((folder_ + "/j1.1.hosts").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  ~HostBookTest() override { std::filesystem::remove_all(folder_); }

  ContactedHosts read() const { return read_hosts(folder_, "j1", 1); }

  std::string folder_;
  Descriptor file_;
};

TEST_F(HostBookTest, HostsAreReadInTheOrderOfTheirFirstContact) {
  HostBook book(file_.get());
  EXPECT_TRUE(read().hosts.empty());
  const auto listed = book.contact({"example.org", 443}, kAllowed);
  book.contact({"evil.example", 80}, kNotListed);
  book.contact({"inner.example", 80}, kPrivate);
  book.contact({"evil.example", 80}, kNotListed);
  book.connected(listed);
  book.connected(book.contact({"example.org", 443}, kAllowed));
  book.moved(listed, 1000);
  book.flush();
  const auto hosts = read().hosts;
  ASSERT_EQ(hosts.size(), 3U);
  EXPECT_EQ(hosts[0].host, "example.org");
  EXPECT_EQ(hosts[0].port, 443);
  EXPECT_EQ(hosts[0].verdict, HostVerdict::allowed);
  EXPECT_EQ(hosts[0].connections, 2U);
  EXPECT_EQ(hosts[0].bytes, 1000U);
  EXPECT_EQ(hosts[1].verdict, HostVerdict::not_listed);
  EXPECT_EQ(hosts[1].connections, 2U);
  EXPECT_EQ(hosts[2].verdict, HostVerdict::private_address);
}

TEST_F(HostBookTest, ManyBytesAreInTheFileBeforeTheEnd) {
  HostBook book(file_.get());
  const auto number = book.contact({"example.org", 443}, kAllowed);
  book.moved(number, 10);
  EXPECT_EQ(read().hosts.front().bytes, 0U);
  book.moved(number, 1 << 20);
  EXPECT_EQ(read().hosts.front().bytes, (1U << 20) + 10);
}

TEST_F(HostBookTest, FurtherHostsAreOnlyCounted) {
  HostBook book(file_.get());
  const std::string longest =
      std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + ".";
  for (std::size_t i = 0; i < kMostHosts + 3; ++i)
    book.contact({longest + "d" + std::to_string(i), 65535}, kNotListed);
  EXPECT_FALSE(book.contact({"last.example", 80}, kAllowed));
  book.connected(std::nullopt);
  EXPECT_EQ(read().hosts.size(), kMostHosts);
  EXPECT_EQ(read().hosts.back().host, longest + "d" + std::to_string(kMostHosts - 1));
  EXPECT_EQ(read().more, 4U);
}

TEST_F(HostBookTest, DamagedFileTellsNothing) {
  ASSERT_EQ(::write(file_.get(), "luzia-hosts", 11), 11);
  EXPECT_TRUE(read().hosts.empty());
  EXPECT_TRUE(read_hosts(folder_, "other", 1).hosts.empty());
}

}  // namespace
}  // namespace luzia
