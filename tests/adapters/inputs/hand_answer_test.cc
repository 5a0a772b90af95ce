#include "adapters/inputs/hand_answer.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "adapters/inputs/answer_file.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class HandAnswerFileTest : public ScratchTest {
 protected:
  std::string path() const { return scratch_ + '/' + kResponseFile; }
  void write(const std::string& content) const { std::ofstream(path(), std::ios::binary) << content; }
  /// The code of the refusal; "taken", or "none" if there is no answer.
  std::string read(std::uint32_t owner = ::geteuid()) const {
    const auto answer = read_hand_answer(scratch_, kResponseFile, owner);
    if (!answer) return answer.error().code;
    return !*answer ? "none" : (*answer)->unfinished ? "unfinished" : "taken";
  }
};

TEST_F(HandAnswerFileTest, OnlyARegularFileIsAnAnswer) {
  EXPECT_EQ(read(), "none");
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(read(), "none") << "it does not block";
  fs::remove(path());
  std::ofstream(scratch_ + "/kept") << R"({"choice":"yes"})";
  fs::create_symlink("kept", path());
  EXPECT_EQ(read(), "bad_answer_file");
  fs::remove(path());
  write(R"({"choice":"yes"})");
  EXPECT_EQ(read(), "taken");
}

TEST_F(HandAnswerFileTest, OwnerMayLinkTheFile) {
  write(R"({"choice":"yes"})");
  fs::create_hard_link(path(), scratch_ + "/other");
  EXPECT_EQ(read(), "taken");
}

TEST_F(HandAnswerFileTest, LinkedFileOfRootIsNoAnswer) {
  if (::geteuid() != 0) return;  // needs a file of root
  constexpr std::uint32_t kAda = 12'345;
  write(R"({"choice":"yes"})");
  EXPECT_EQ(read(kAda), "taken");
  fs::create_hard_link(path(), scratch_ + "/other");
  EXPECT_EQ(read(kAda), "answer_is_linked");
}

TEST_F(HandAnswerFileTest, LackOfDescriptorsSaysNothingAboutTheFile) {
  write(R"({"choice":"yes"})");
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string lacking = read();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(lacking, kUnreadableAnswer);
  EXPECT_EQ(read(), "taken");
}

TEST_F(HandAnswerFileTest, TextsWithNulAndLargeFilesAreNoAnswers) {
  write(R"({"choice":"a\u0000b"})");
  EXPECT_EQ(read(), "bad_answer_file");
  write(R"({"choice":")" + std::string(64 * 1024, 'x') + R"("})");
  EXPECT_EQ(read(), "bad_answer_file");
  write(std::string(60'000, '['));
  EXPECT_EQ(read(), "unfinished");
  write("");
  EXPECT_EQ(read(), "unfinished");
}

TEST(HandAnswer, ValueMayHaveSeveralNames) {
  for (const char* json : {R"({"choice":"yes"})", R"({"answer":"yes"})", R"({"text":"yes"})",
                           R"({"response":"yes"})", R"({"confirmed":true})", R"({"choices":["yes"]})"}) {
    const auto answer = parse_response_file(json);
    ASSERT_TRUE(answer && *answer) << json;
    EXPECT_EQ((*answer)->value, "yes") << json;
  }
  EXPECT_EQ((*parse_response_file(R"({"choices":["a","b"],"question_id":"q-1"})"))->value, "a, b");
  EXPECT_EQ((*parse_response_file(R"({"choice":3,"question_id":"q-1"})"))->id, "q-1");
}

TEST(HandAnswer, DecisionMayBeSignedOnly) {
  EXPECT_TRUE((*parse_decision_file(R"({"approved":true})"))->approve);
  EXPECT_FALSE((*parse_decision_file(R"({"approved":false,"approved_by":"ana"})"))->approve);
  EXPECT_FALSE((*parse_decision_file(R"({"decision":"Denied"})"))->approve);
  EXPECT_TRUE((*parse_decision_file(R"({"approved_by":"ana","gate":"deploy"})"))->approve);
}

TEST(HandAnswer, UnclearContentIsNoAnswer) {
  EXPECT_FALSE(parse_response_file("{}"));
  EXPECT_FALSE(parse_response_file("[]"));
  EXPECT_FALSE(parse_decision_file("{}"));
  EXPECT_FALSE(parse_decision_file(R"({"approved":"perhaps","approved_by":"ana"})"));
  EXPECT_FALSE(parse_response_file(R"({"choice":)")->has_value()) << "perhaps unfinished";
}

}  // namespace
}  // namespace luzia
