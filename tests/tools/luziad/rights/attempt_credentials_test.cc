// The store's key, and the credentials made with it.
#include "tools/luziad/rights/attempt_credentials.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/scratch.h"

namespace luzia {
namespace {

class AttemptCredentialsTest : public ScratchTest {
 protected:
  std::string key() const { return scratch_ + "/attempt.key"; }
  std::string code() const {
    const auto opened = AttemptCredentials::open(scratch_);
    return opened ? "" : opened.error().code;
  }
  void write_key(const std::string& bytes, mode_t mode) const {
    std::ofstream(key()) << bytes;
    ::chmod(key().c_str(), mode);
  }
};

TEST_F(AttemptCredentialsTest, AreStablePerStore) {
  const auto first = AttemptCredentials::open(scratch_), second = AttemptCredentials::open(scratch_);
  ASSERT_TRUE(first && second);
  const std::string credential = first->of("job", 1);
  EXPECT_TRUE(second->proves(credential, "job", 1));
  std::filesystem::remove(key());
  const auto other = AttemptCredentials::open(scratch_);
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->proves(credential, "job", 1));
}

TEST_F(AttemptCredentialsTest, ProveOnlyTheirOwnAttempt) {
  const auto credentials = AttemptCredentials::open(scratch_);
  ASSERT_TRUE(credentials);
  std::set<std::string> all;
  for (const char* job : {"a", "b", "1/a", "/a", ""}) {
    for (const std::uint32_t attempt : {0U, 1U, 2U, 11U}) all.insert(credentials->of(job, attempt));
  }
  EXPECT_EQ(all.size(), 20U);
  const std::string credential = credentials->of("a", 1);
  for (std::size_t i = 0; i < credential.size(); ++i) {
    std::string forged = credential;
    forged[i] = forged[i] == '0' ? '1' : '0';
    EXPECT_FALSE(credentials->proves(forged, "a", 1)) << i;
  }
  EXPECT_FALSE(credentials->proves("", "a", 1));
  EXPECT_FALSE(credentials->proves(credential + "0", "a", 1));
  EXPECT_FALSE(credentials->proves(credential, "a", 2));
  EXPECT_FALSE(credentials->proves(credential, "b", 1));
}

TEST_F(AttemptCredentialsTest, KeyReadableByOthersIsRefused) {
  const std::string bytes(32, 'k');
  write_key(bytes, 0600);
  EXPECT_EQ(code(), "");
  for (const mode_t mode : {0640, 0604, 0660}) {
    write_key(bytes, mode);
    EXPECT_EQ(code(), "unsafe_key") << mode;
  }
  write_key(bytes.substr(1), 0600);
  EXPECT_EQ(code(), "unsafe_key") << "too short";
  write_key(bytes + "k", 0600);
  EXPECT_EQ(code(), "unsafe_key") << "too long";
  std::filesystem::rename(key(), scratch_ + "/elsewhere");
  std::filesystem::create_symlink("elsewhere", key());
  EXPECT_EQ(code(), "unsafe_key") << "a link";
  std::filesystem::remove(key());
  ASSERT_EQ(::mkfifo(key().c_str(), 0600), 0);
  EXPECT_EQ(code(), "unsafe_key") << "and it does not hang";
}

}  // namespace
}  // namespace luzia
