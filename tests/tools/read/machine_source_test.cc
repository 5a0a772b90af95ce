// A source on another machine, with a program in the place of ssh that says what the test wrote.
#include "tools/read/machine_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/tools/read/rows_of_machines.h"

namespace luzia::test {
namespace {

class MachineSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/luzia-far-XXXXXX";
    folder_ = ::mkdtemp(name);
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  /// The machine answers its first requests with so many pages, each with a cursor to the next.
  void machine_has(int pages, std::size_t bytes_of_a_page) const {
    std::ofstream said(folder_ + "/said", std::ios::binary);
    said << "luzia-proxy\tversion=1\tprotocol=1\tclock=1800000000000000\n";
    for (int i = 1; i <= pages; ++i) {
      RowPage page = page_of({std::string(bytes_of_a_page, 'x')});
      page.next = std::to_string(i);
      wire::ServerFrameT frame;
      frame.id = static_cast<std::uint64_t>(i);
      frame.reply.Set(rows_reply(page));
      frame.reply.AsRows()->last = true;
      said << encode(frame);
    }
    std::ofstream(folder_ + "/ssh") << "#!/bin/sh\ncat " << folder_ << "/said\nexec cat > " << folder_
                                    << "/sent\n";
    ::chmod((folder_ + "/ssh").c_str(), 0755);
  }

 private:
  std::string folder_, path_;
};

TEST_F(MachineSourceTest, PagesWithoutEndAreLeftOnceTheyDoNotFit) {
  machine_has(20, 1 << 20);
  Machine machine;
  machine.name = machine.destination = "far";
  auto source = open_machine(machine, {std::chrono::seconds(60), {}});
  ASSERT_TRUE(source) << source.error().message;
  const auto all = (*source)->collect(view_query(wire::View::jobs), 0);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, "too_much");
}

TEST_F(MachineSourceTest, EmptyPagesEndToo) {
  machine_has(300, 0);
  Machine machine;
  machine.name = machine.destination = "far";
  auto source = open_machine(machine, {std::chrono::seconds(60), {}});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->collect(view_query(wire::View::jobs), 0).error().code, "too_much");
}

TEST(FarPages, EachAnswerIsCountedAlone) {
  FarPages pages(1 << 20);
  for (int answer = 0; answer < 3; ++answer) {
    EXPECT_TRUE(pages.add("", 600 << 10));
    EXPECT_TRUE(pages.add("2", 300 << 10));
  }
  EXPECT_FALSE(pages.add("3", 300 << 10));
}

}  // namespace
}  // namespace luzia::test
