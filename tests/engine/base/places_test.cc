// The default locations for root and for other users. Each case runs in a child process, which changes its
// user and environment.
#include "engine/base/places.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include "tests/scratch.h"

namespace luzia {
namespace {

constexpr uid_t kNobody = 65534;

class Places : public ScratchTest {
 protected:
  using Variables = std::vector<std::pair<const char*, std::string>>;
  /// What `asked` returns for this user. Unless the test runs as root, it can only ask for its own user.
  static std::string as(uid_t user, const Variables& variables, const std::function<std::string()>& asked) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::clearenv();
      for (const auto& [name, value] : variables) ::setenv(name, value.c_str(), 1);
      if (::geteuid() != user && ::setuid(user) != 0) ::_exit(1);
      const std::string answer = asked();
      ::_exit(::write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string answer(4096, '\0');
    const ssize_t count = ::read(ends[0], answer.data(), answer.size());
    answer.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return answer;
  }
  static uid_t somebody() { return ::geteuid() == 0 ? kNobody : ::geteuid(); }
  void make_log(uid_t owner) const {
    const std::string log = scratch_ + "/.local/state/luzia/store/log";
    std::filesystem::create_directories(log);
    EXPECT_EQ(::lchown(log.c_str(), owner, static_cast<gid_t>(-1)), 0);
  }
};

TEST_F(Places, RootUsesTheSystemsStore) {
  if (::geteuid() != 0) return;  // BareEnvironmentTest covers a root of its own
  for (const Variables& variables :
       {Variables{}, {{"HOME", "/root"}}, {{"HOME", "/home/ana"}}, {{"XDG_STATE_HOME", "relative"}}}) {
    EXPECT_EQ(as(0, variables, store_by_surroundings), kSystemStore);
  }
}

TEST_F(Places, OtherUsersStoreIsBelowTheirHome) {
  EXPECT_EQ(as(somebody(), {{"HOME", "/home/ana"}}, store_by_surroundings),
            "/home/ana/.local/state/luzia/store");
  const passwd* entry = ::getpwuid(somebody());
  ASSERT_NE(entry, nullptr);
  for (const Variables& variables : {Variables{}, {{"HOME", ""}, {"XDG_STATE_HOME", "state"}}}) {
    EXPECT_EQ(as(somebody(), variables, store_by_surroundings),
              std::string(entry->pw_dir) + "/.local/state/luzia/store");
  }
}

TEST_F(Places, ExplicitStateDirectoryAppliesToEverybody) {
  for (const uid_t user : {somebody(), ::geteuid()}) {
    EXPECT_EQ(as(user, {{"HOME", "/h"}, {"XDG_STATE_HOME", "/x"}}, store_by_surroundings), "/x/luzia/store");
  }
}

TEST_F(Places, EarlierStoreOfRootHasALog) {
  if (::geteuid() != 0) return;
  const Variables variables = {{"HOME", scratch_}};
  EXPECT_EQ(as(0, variables, earlier_store_of_root), "");
  make_log(kNobody);
  EXPECT_EQ(as(0, variables, earlier_store_of_root), "")
      << "a store of another user, whose HOME sudo -E kept";
  make_log(0);
  EXPECT_EQ(as(0, variables, earlier_store_of_root), scratch_ + "/.local/state/luzia/store");
  EXPECT_EQ(as(kNobody, variables, earlier_store_of_root), "");
}

}  // namespace
}  // namespace luzia
