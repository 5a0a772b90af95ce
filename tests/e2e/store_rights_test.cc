// A store is named by its path, and a path may be mistyped: what stands there keeps its rights.
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using StoreRightsTest = DaemonTest;
using std::filesystem::perms;

TEST_F(StoreRightsTest, WhatIsNoStoreIsRefusedAndKeepsItsRights) {
  const std::string file = path("precious");
  constexpr perms kRights = perms::owner_read | perms::owner_write | perms::group_read | perms::others_read;
  write_text(file, "precious");
  std::filesystem::permissions(file, kRights);
  const Finished refused = run_to_end({kLuziad, "--store", file}, environment());
  EXPECT_EQ(refused.code, 5) << refused.err;
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  EXPECT_EQ(std::filesystem::status(file).permissions(), kRights);
  EXPECT_EQ(read_text(file), "precious");
}

TEST_F(StoreRightsTest, AFolderOfItsOwnIsForItsUserOnly) {
  start_daemon();
  EXPECT_EQ(std::filesystem::status(store()).permissions(), perms::owner_all);
}

}  // namespace
}  // namespace luzia
