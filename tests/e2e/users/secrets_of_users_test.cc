// Secrets with a daemon of root: read with the rights of the job's user, never root's.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/users/several_users.h"

namespace luzia {
namespace {

class SecretsOfUsersTest : public SeveralUsersTest {
 protected:
  bool make_with(const std::string& source) {
    return make("[projects.served.secrets]\nTOKEN = { " + source + " }\n");
  }
  void keep(const std::string& file, const std::string& value, const std::string& owner) const {
    write_text(file, value + "\n");
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    ASSERT_EQ(::chown(file.c_str(), uid_of(owner), uid_of(owner)), 0);
  }
};

TEST_F(SecretsOfUsersTest, FileOfTheJobsUserIsRead) {
  if (!make_with("file = \"~/token\"")) return;
  keep(path("of-svc") + "/token", "value-of-svc-0123456789", "svc");
  const std::string id = dispatch_as("alice", {"served", "echo \"it is $TOKEN\""});
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(output(id), AllOf(HasSubstr("it is [secret TOKEN]"), Not(HasSubstr("value-of-svc"))));
}

TEST_F(SecretsOfUsersTest, FileThatOnlyRootMayReadIsNotGiven) {
  if (!make_with("file = \"" + path("roots-token") + "\"")) return;
  keep(path("roots-token"), "value-of-root-0123456789", "root");
  const std::string id = dispatch_as("alice", {"served", "true"});
  const Json job = ended_as(id, "failed", "secret_unavailable");
  EXPECT_THAT(job["reason_text"].get<std::string>(),
              AllOf(HasSubstr("as svc: it is missing, or that user may not read it"),
                    Not(HasSubstr("value-of-root"))));
}

TEST_F(SecretsOfUsersTest, CommandRunsAsTheJobsUser) {
  if (!make_with("command = [\"sh\", \"-c\", \"echo user-$(id -u)-of-the-command\"]")) return;
  const std::string id = dispatch_as(
      "alice", {"served", "[ \"$TOKEN\" = user-" + std::to_string(uid_of("svc")) + "-of-the-command ]"});
  EXPECT_EQ(ended(id)["state"], "completed");
}

}  // namespace
}  // namespace luzia
