// A store is given by its path, which may be mistyped: an existing folder keeps its permissions.
#include <grp.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using StoreRightsTest = DaemonTest;
using std::filesystem::perms;

TEST_F(StoreRightsTest, ForeignFolderIsRefusedAndUnchanged) {
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

TEST_F(StoreRightsTest, OwnFolderIsPrivate) {
  start_daemon();
  EXPECT_EQ(std::filesystem::status(store()).permissions(), perms::owner_all);
}

/// Needs two users. As root a member of the group tries; otherwise only the permissions are checked.
TEST_F(StoreRightsTest, GroupReachesOnlyTheSocket) {
  const bool root = ::geteuid() == 0;
  const ::group* const own = ::getgrgid(::getegid());
  ASSERT_NE(own, nullptr);
  const std::string group = root ? "nogroup" : own->gr_name;
  configure("[store]\ngroup = \"" + group + "\"\n[projects.shared]\npath = \"" + project() +
            "\"\nusers = [\"nobody\"]\n");
  start_daemon();
  EXPECT_EQ(std::filesystem::status(store()).permissions(), perms(0710));
  EXPECT_EQ(std::filesystem::status(store() + "/socket").permissions(), perms(0660));
  const std::string id = dispatch("umask > mask; touch made");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(project() + "/mask"), "0022\n") << "an agent's own files are as ever";
  const auto all_shut = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(store())) {
      if (entry.is_socket()) continue;
      const auto found = entry.symlink_status();
      if (!std::filesystem::exists(found)) continue;  // a file being written has been renamed meanwhile
      EXPECT_EQ(found.permissions() & perms(0077), perms::none) << entry.path();
    }
  };
  all_shut();
  EXPECT_EQ(luzia({"daemon", "restart"}).code, 0);
  all_shut();
  if (!root) return;
  const std::string program = path("luzia");
  std::filesystem::copy_file(kLuzia, program);
  const auto as_nobody = [&](gid_t gid, const Words& words) {
    Words all = {program};
    all.insert(all.end(), words.begin(), words.end());
    BesideProgram person(all, {"LUZIA_SOCKET=" + store() + "/socket", "HOME=/"}, path("nobody"), [gid] {
      constexpr unsigned kNobody = 65534;
      if (::setgroups(0, nullptr) != 0 || ::setgid(gid) != 0 || ::setuid(kNobody) != 0) ::_exit(99);
    });
    return person.end();
  };
  const ::group* const member = ::getgrnam("nogroup");
  ASSERT_NE(member, nullptr);
  EXPECT_EQ(as_nobody(member->gr_gid, {"jobs", "--all"}), 0);
  EXPECT_EQ(as_nobody(member->gr_gid + 12'345, {"jobs", "--all"}), 4) << "others stay out";
  expect_verified();
}

}  // namespace
}  // namespace luzia
