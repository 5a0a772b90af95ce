// Unusual words, unexpected sizes, and output faster than it can be read.
#include <unistd.h>

#include <charconv>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using HostileInputTest = DaemonTest;

TEST_F(HostileInputTest, TaskArrivesUnchangedAndIsShownSanitized) {
  const std::string nasty =
      "# \x1b]0;title\x07\x1b[2J \xe2\x80\xae r\xc3\xb6\xc3\xb6t \xff\xfe '\"$(touch pwned)`\nprintf done";
  const Finished sent = luzia({"demo", "-", "-q"}, nasty);
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = lines_of(sent.out).at(0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(read_text(job_dir(id) + "/prompt.txt"), nasty);
  for (const Words& words : {Words{"job", id}, Words{"jobs", "--all"}, Words{"status"}, Words{"why", id}}) {
    const Finished shown = luzia(words);
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_THAT(shown.out, Not(HasSubstr("\x1b"))) << testing::PrintToString(words);
    EXPECT_THAT(shown.out, Not(HasSubstr("\xe2\x80\xae"))) << "text direction is not turned";
  }
  EXPECT_NE(::access((project() + "/pwned").c_str(), F_OK), 0);
}

TEST_F(HostileInputTest, OutputIsSanitizedUnlessRawIsRequested) {
  const std::string id = dispatch("printf '\\033[31mred\\033[0m \\007\\n'");
  ended(id);
  EXPECT_THAT(luzia({"logs", id}).out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(luzia({"logs", id, "--raw"}).out, "\x1b[31mred\x1b[0m \x07\n");
}

TEST_F(HostileInputTest, EnvironmentAndTagsAreKeptAsGiven) {
  const std::string id = dispatch("printf '%s' \"$ODD\"", {"--env", "ODD=a=b; \"c\" $(d)\ne\xc3\xa9", "--tag",
                                                           "\xc3\xa9t\xc3\xa9", "--tag", "a/b:c"});
  ended(id);
  EXPECT_EQ(luzia({"logs", id, "--raw"}).out, "a=b; \"c\" $(d)\ne\xc3\xa9");
  EXPECT_EQ(job(id)["tags"], Json::array({"\xc3\xa9t\xc3\xa9", "a/b:c"}));
  EXPECT_EQ(luzia_json({"jobs", "--all", "--tag", "a/b:c"})["jobs"].size(), 1u);
}

TEST_F(HostileInputTest, NineMegabytePromptIsRefused) {
  configure("[agents.reader]\ncommand = [\"wc\", \"-c\"]\nstdin = \"prompt\"\n");
  const Finished sent = luzia({"demo", "-", "-q", "--agent", "reader"}, std::string(1'000'000, 'p'));
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = lines_of(sent.out).at(0);
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(luzia({"logs", id}).out, "1000000\n");
  const auto before = position();
  const Finished refused = luzia({"demo", "-"}, std::string(9'000'000, 'p'));
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err.substr(0, 1000);
  EXPECT_EQ(position(), before);
}

TEST_F(HostileInputTest, OutputBurstIsCountedInBoundedMemory) {
  const std::string id = dispatch("yes \"$(printf %099d 7)\" | head -c 200000000; : > written");
  const pid_t daemon = daemon_pid();
  std::size_t answers = 0;
  EXPECT_TRUE(wait_until([&] {
    answers += luzia({"jobs"}).code == 0 ? 1 : 0;
    return job(id)["ended_us"] != 0;
  }));
  EXPECT_GT(answers, 1u);
  const Json row = job(id);
  EXPECT_EQ(row["state"], "completed") << row;
  EXPECT_EQ(row["output"]["lines"], 2'000'000) << row;
  EXPECT_EQ(row["output"]["bytes"], 200'000'000) << row;
  const std::string status = read_text("/proc/" + std::to_string(daemon) + "/status");
  const std::size_t at = status.find("VmHWM:");
  ASSERT_NE(at, std::string::npos);
  const std::size_t digits = status.find_first_of("0123456789", at);
  std::size_t peak_kib = 0;
  std::from_chars(status.data() + digits, status.data() + status.size(), peak_kib);
  EXPECT_GT(peak_kib, 0u);
  EXPECT_LT(peak_kib, 256u * 1024) << "the daemon's memory grows with the output";
}

TEST_F(HostileInputTest, EndlessLineTakesBoundedMemory) {
  const std::string id = dispatch("head -c 50000000 /dev/zero; echo; echo after");
  const Json row = ended(id);
  EXPECT_EQ(row["output"]["lines"], 2) << row;
  EXPECT_EQ(luzia({"logs", id, "-n", "1"}).out, "after\n");
}

}  // namespace
}  // namespace luzia
