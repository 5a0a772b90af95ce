// Reading untrusted request files: whatever is at the path is read, refused or reported missing; nothing
// blocks.
#include "adapters/inputs/request_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/base/hash.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;
using State = RequestFile::State;

constexpr auto kWhole = R"({"question":"a?"})";

class RequestFileTest : public ScratchTest {
 protected:
  std::string path() const { return scratch_ + '/' + kQuestionFile; }
  void write(const std::string& content) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << content;
  }
  RequestFile read(std::uint32_t owner = getuid()) const {
    return read_request_file(scratch_, kQuestionFile, owner);
  }
  void expect_refused(const char* code, const char* why) const {
    const RequestFile file = read();
    EXPECT_EQ(file.state, State::refused);
    EXPECT_EQ(file.error.code, code);
    EXPECT_THAT(file.error.message, HasSubstr(path()));
    EXPECT_THAT(file.error.message, HasSubstr(why));
    EXPECT_EQ(file.error.message.find('\n'), std::string::npos) << "one line";
  }
};

TEST_F(RequestFileTest, QuestionIsReadWithTheHashOfItsBytes) {
  write(kWhole);
  const RequestFile file = read();
  ASSERT_EQ(file.state, State::whole);
  EXPECT_EQ(std::get<QuestionFile>(file.content).question, "a?");
  EXPECT_EQ(file.hash, as_text(blake2b({as_bytes(kWhole)})));
}

TEST_F(RequestFileTest, SecretsAreBlackedOutAndTheHashStays) {
  const std::string text = R"({"question":"is 0123\"6789abcd right?","options":["yes","0123\"6789abcd"]})";
  write(text);
  const Redactor redactor(std::vector<SecretValue>{{"T", "0123\"6789abcd"}});
  const RequestFile file = read_request_file(scratch_, kQuestionFile, getuid(), &redactor);
  ASSERT_EQ(file.state, State::whole);
  const auto& question = std::get<QuestionFile>(file.content);
  EXPECT_EQ(question.question, "is [secret T]*** right?");
  EXPECT_EQ(question.options.back(), "[secret T]***");
  EXPECT_EQ(file.hash, as_text(blake2b({as_bytes(text)})));
}

TEST_F(RequestFileTest, SecretsWithNeedlessEscapesAreBlackedOut) {
  write(R"({"question":"is \u0030123456789abcd right?","options":["yes","0\u003123456789abcd"]})");
  const Redactor redactor(std::vector<SecretValue>{{"T", "0123456789abcd"}});
  const RequestFile file = read_request_file(scratch_, kQuestionFile, getuid(), &redactor);
  ASSERT_EQ(file.state, State::whole);
  const auto& question = std::get<QuestionFile>(file.content);
  EXPECT_EQ(question.question, "is [secret T]**** right?");
  EXPECT_EQ(question.options.back(), "[secret T]****");
}

TEST_F(RequestFileTest, NothingIsReadWhileSecretsAreUnknown) {
  write(kWhole);
  const Redactor blind = Redactor::blind();
  const RequestFile file = read_request_file(scratch_, kQuestionFile, getuid(), &blind);
  EXPECT_EQ(file.state, State::unreadable);
  EXPECT_EQ(file.error.code, "secret_unavailable");
}

TEST_F(RequestFileTest, GateIsReadFromItsOwnFile) {
  std::ofstream(scratch_ + '/' + kGateFile) << R"({"gate":"g"})";
  EXPECT_EQ(read().state, State::missing);
  const RequestFile file = read_request_file(scratch_, kGateFile, getuid());
  ASSERT_EQ(file.state, State::whole);
  EXPECT_EQ(std::get<GateFile>(file.content).gate, "g");
}

TEST_F(RequestFileTest, RewrittenFileKeepsItsHashButDiffers) {
  write(kWhole);
  const RequestFile first = read();
  EXPECT_EQ(read().written, first.written);
  std::ofstream(scratch_ + "/other") << kWhole;
  fs::rename(scratch_ + "/other", path());
  const RequestFile second = read();
  EXPECT_EQ(second.hash, first.hash);
  EXPECT_NE(second.written, first.written);
}

TEST_F(RequestFileTest, AbsentFileIsMissing) {
  EXPECT_EQ(read().state, State::missing);
}

TEST_F(RequestFileTest, MissingFolderSaysNothingAboutTheFile) {
  write(kWhole);
  EXPECT_EQ(read_request_file(scratch_ + "/gone", kQuestionFile, getuid()).state, State::unreadable);
  fs::create_directory_symlink(scratch_, scratch_ + "/link");
  EXPECT_EQ(read_request_file(scratch_ + "/link", kQuestionFile, getuid()).state, State::unreadable);
}

TEST_F(RequestFileTest, PartialFileIsUnfinishedWithTheReason) {
  write(R"({"question":)");
  EXPECT_EQ(read().state, State::unfinished);
  EXPECT_THAT(read().error.message, HasSubstr("not JSON"));
  write("");
  EXPECT_EQ(read().state, State::unfinished);
  EXPECT_THAT(read().error.message, HasSubstr("empty"));
}

TEST_F(RequestFileTest, InvalidQuestionIsRefusedWithItsHash) {
  write("{}");
  expect_refused("bad_question_file", "no \"question\"");
  EXPECT_EQ(read().hash, as_text(blake2b({as_bytes("{}")})));
}

TEST_F(RequestFileTest, LinkIsAlwaysRefused) {
  std::ofstream(scratch_ + "/real") << kWhole;
  fs::create_symlink(scratch_ + "/real", path());
  expect_refused("request_is_symlink", "symbolic link");
}

TEST_F(RequestFileTest, PipeIsRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  expect_refused("request_not_a_file", "not a regular file");
}

TEST_F(RequestFileTest, SocketAndFolderAreRefused) {
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_refused("request_not_a_file", "not a regular file");
  close(listener);
  fs::remove(path());
  fs::create_directory(path());
  expect_refused("request_not_a_file", "not a regular file");
}

TEST_F(RequestFileTest, FileOfAnotherUserIsRefused) {
  write(kWhole);
  const RequestFile file = read(getuid() + 1);
  EXPECT_EQ(file.state, State::refused);
  EXPECT_EQ(file.error.code, "request_not_owned");
}

TEST_F(RequestFileTest, FilesBeyond64KibibytesAreRefused) {
  const std::string head = R"({"question":")", tail = "\"}";
  write(head + std::string(kMaxRequestFile - head.size() - tail.size(), 'x') + tail);
  EXPECT_EQ(read().state, State::whole);
  write(head + std::string(kMaxRequestFile - head.size() - tail.size() + 1, 'x') + tail);
  expect_refused("request_too_large", "larger than 64 KiB");
}

TEST_F(RequestFileTest, TenMebibytesAreRefusedUnread) {
  write(kWhole);
  fs::resize_file(path(), 10 << 20);
  expect_refused("request_too_large", "larger than 64 KiB");
  EXPECT_EQ(read().hash, "");
}

}  // namespace
}  // namespace luzia
