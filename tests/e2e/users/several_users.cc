#include "tests/e2e/users/several_users.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "tests/e2e/own_mounts.h"

namespace luzia {
namespace {

constexpr unsigned kGroup = 4400;
const std::map<std::string, unsigned> kUids = {{"root", 0},   {"alice", 4401},   {"bob", 4402},
                                               {"eve", 4403}, {"mallory", 4404}, {"svc", 4405}};

bool is_in_group(const std::string& user) {
  return user == "alice" || user == "bob" || user == "eve";
}

bool mount_over(const std::string& file, const char* place) {
  return ::mount(file.c_str(), place, nullptr, MS_BIND, nullptr) == 0;
}

}  // namespace

unsigned SeveralUsersTest::uid_of(const std::string& user) {
  return kUids.at(user);
}

SeveralUsersTest::~SeveralUsersTest() {
  if (mounted_passwd_) ::umount2("/etc/passwd", MNT_DETACH);
  if (mounted_group_) ::umount2("/etc/group", MNT_DETACH);
}

bool SeveralUsersTest::make(const std::string& more) {
  if (::geteuid() != 0) return false;
  std::string passwd, members;
  for (const auto& [name, uid] : kUids) {
    const std::string number = std::to_string(uid), house = path("of-" + name);
    std::filesystem::create_directories(house);
    EXPECT_EQ(::chown(house.c_str(), uid, uid), 0);
    passwd += name + ":x:" + number + ":" + number + "::" + (uid == 0 ? home() : house) + ":/bin/sh\n";
    if (is_in_group(name)) members += (members.empty() ? "" : ",") + name;
  }
  write_text(path("passwd"), passwd);
  write_text(path("group"), "root:x:0:\nluzia:x:" + std::to_string(kGroup) + ":" + members + "\n");
  if (!enter_own_mounts()) return false;
  mounted_passwd_ = mount_over(path("passwd"), "/etc/passwd");
  mounted_group_ = mount_over(path("group"), "/etc/group");
  EXPECT_TRUE(mounted_passwd_ && mounted_group_);
  std::filesystem::create_directories(common());
  ::chmod(common().c_str(), 0777);
  std::filesystem::copy_file(kLuzia, client());
  const std::string project = "path = \"" + common() + "\"\nusers = [\"alice\", \"bob\"]\n";
  configure("[store]\ngroup = \"luzia\"\n" + more + "[projects.team]\n" + project + "[projects.served]\n" +
            project + "user = \"svc\"\n");
  start_daemon();
  return true;
}

Finished SeveralUsersTest::run_as(const std::string& user, const Words& words,
                                  const Words& environment) const {
  Words all = {client()};
  all.insert(all.end(), words.begin(), words.end());
  const unsigned uid = uid_of(user);
  BesideProgram program(all, environment, path("said-to-" + user), [uid, in_group = is_in_group(user)] {
    const gid_t group = kGroup;
    if (::setgroups(in_group ? 1 : 0, &group) != 0 || ::setgid(uid) != 0 || ::setuid(uid) != 0) ::_exit(99);
  });
  const int code = program.end();
  return {code, program.output(), {}};
}

Finished SeveralUsersTest::as(const std::string& user, const Words& words) const {
  return run_as(user, words,
                {"LUZIA_SOCKET=" + store() + "/socket", "HOME=" + path("of-" + user), "PATH=/usr/bin:/bin"});
}

std::string SeveralUsersTest::dispatch_as(const std::string& user, const Words& words) const {
  Words all = {"--quiet"};
  all.insert(all.end(), words.begin(), words.end());
  const Finished sent = as(user, all);
  EXPECT_EQ(sent.code, 0) << user << ": " << sent.out;
  const Words lines = lines_of(sent.out);
  EXPECT_EQ(lines.size(), 1U) << sent.out;
  return lines.empty() ? std::string() : lines.front();
}

Finished SeveralUsersTest::with_environment(const std::string& user, const std::string& file,
                                            const Words& words) const {
  Words environment;
  const std::string all = read_text(file);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    environment.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return run_as(user, words, environment);
}

std::string SeveralUsersTest::output(const std::string& job) const {
  return luzia({"logs", job}).out;
}

}  // namespace luzia
