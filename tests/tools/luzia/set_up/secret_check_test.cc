// luzia doctor finds secrets where none belong, and shows none.
#include "tools/luzia/set_up/secret_check.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/scratch.h"

namespace luzia {
namespace {

std::string found_in(const std::string& text) {
  std::string found;
  for (const FoundSecret& secret : secrets_in_text(text, "f"))
    found += std::to_string(secret.line) + ":" + secret.what + ";";
  return found;
}

TEST(SecretCheck, TokensOfKnownFormsAreFoundByLine) {
  EXPECT_EQ(found_in("a\ncurl -H 'x: ghp_" + std::string(36, 'a') + "'\n"), "2:a GitHub token;");
  EXPECT_EQ(found_in("# sk-ant-" + std::string(20, 'b')), "1:an Anthropic key;");
  EXPECT_EQ(found_in("AKIA0123456789ABCDEF"), "1:an AWS access key;");
  EXPECT_EQ(found_in("-----BEGIN OPENSSH PRIVATE KEY-----\nxyz\n"), "1:a private key;");
}

TEST(SecretCheck, WordsThatOnlyBeginAlikeAreNone) {
  EXPECT_EQ(found_in("ghp_short"), "");
  EXPECT_EQ(found_in("the task-" + std::string(40, 'x')), "");
  EXPECT_EQ(found_in("-----BEGIN CERTIFICATE-----"), "");
}

TEST(SecretCheck, LiteralValuesOfTellingNamesAreFound) {
  EXPECT_EQ(found_in("env = { MY_TOKEN = \"abc\" }"), "1:the value of MY_TOKEN;");
  EXPECT_EQ(found_in("A=b\nexport DB_PASSWORD='x y'\n"), "2:the value of DB_PASSWORD;");
  EXPECT_EQ(found_in("API_KEY=abc"), "1:the value of API_KEY;");
}

TEST(SecretCheck, PlacesOfSecretsAreNone) {
  EXPECT_EQ(found_in("TOKEN = { file = \"~/.token\" }\nA_TOKEN = { env = \"B_TOKEN\" }\n"), "");
  EXPECT_EQ(found_in("tls_key = \"/etc/key.pem\"\npass_env = [\"MY_TOKEN\"]\n"), "");
  EXPECT_EQ(found_in("# MY_TOKEN = \"abc\"\nMY_TOKEN = \"\"\nMY_TOKEN=$OTHER\n"), "");
}

TEST(SecretCheck, HostileLinesTakeNoLongerThanOthers) {
  constexpr std::size_t kHalf = 1 << 19;
  const std::string blanks(kHalf, ' '), signs(kHalf, '=');
  for (const std::string& line : {blanks + signs, signs + blanks, blanks + signs + blanks})
    EXPECT_EQ(found_in(line), "");  // each sign against each blank would take minutes
}

TEST(SecretCheck, JobDirectoriesAreSearchedWhoeverOwnsThem) {
  const ScratchFolder scratch;
  const std::string& root = scratch.path();
  std::filesystem::create_directories(root + "/job1");
  std::filesystem::create_directories(root + "/job2");
  std::ofstream(root + "/job1/prompt.txt") << "use\nglpat-" << std::string(20, 'c') << "\n";
  std::ofstream(root + "/job1/notes.txt") << "glpat-" << std::string(20, 'c') << "\n";
  ::mkfifo((root + "/job2/run.sh").c_str(), 0600);
  std::filesystem::create_symlink(root + "/job1/prompt.txt", root + "/job2/prompt.txt");
  const auto found = secrets_in_jobs(root);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].file, root + "/job1/prompt.txt");
  EXPECT_EQ(found[0].line, 2U);
  EXPECT_THAT(found[0].what, Not(testing::HasSubstr("ccc")));
  EXPECT_THAT(secrets_in_jobs(root + "/none"), IsEmpty());
}

}  // namespace
}  // namespace luzia
