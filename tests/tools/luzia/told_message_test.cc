// What luzia tell says: words, files and comments on lines.
#include "tools/luzia/ask/told_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/job/told.h"

namespace luzia {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class ToldMessageTest : public testing::Test {
 protected:
  ToldMessageTest()
      : folder_(std::filesystem::temp_directory_path() / ("luzia-told-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ToldMessageTest() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  static std::string code(const Result<ToldMessage>& message) {
    return message ? std::string() : message.error().code;
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ToldMessageTest, FilesAndCommentsAreQuoted) {
  const std::string code = write("a:b.cc", "one\ntwo\r\nthree");
  const std::string notes = write("notes.md", "# Notes\n");
  const auto message =
      compose_message("Look here.", {notes}, {code + ":2:why: not?", code + ":1-3:all of it"});
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(message->text, "Look here.\n\n" + code + ", line 2:\n> two\n\nwhy: not?\n\n" + code +
                               ", lines 1 to 3:\n> one\n> two\n> three\n\nall of it\n\nFile " + notes +
                               ":\n> # Notes\n");
  EXPECT_THAT(message->files, ElementsAre(code, notes));
}

TEST_F(ToldMessageTest, LongQuotesAreCut) {
  std::string lines;
  for (int i = 1; i <= 100; ++i) lines += "line " + std::to_string(i) + "\n";
  const auto message = compose_message("", {}, {write("long", lines) + ":11-100:too long"});
  ASSERT_TRUE(message);
  EXPECT_THAT(message->text, HasSubstr("> line 40\n> (60 more lines)\n"));
  EXPECT_THAT(message->text, EndsWith("\n\ntoo long\n"));
}

TEST_F(ToldMessageTest, MistakesAreRefused) {
  const std::string three = write("three", "1\n2\n3\n");
  EXPECT_EQ(code(compose_message(" \n", {}, {})), "no_message");
  EXPECT_EQ(code(compose_message("", {write("nul", std::string("a\0b", 3))}, {})), "not_text");
  EXPECT_EQ(code(compose_message("", {write("latin", "caf\xe9")}, {})), "not_text");
  EXPECT_EQ(code(compose_message("", {three + ".none"}, {})), "unreadable");
  EXPECT_EQ(code(compose_message("", {write("big", std::string(kMostToldBytes, 'x'))}, {})),
            "message_too_long");
  for (const char* comment : {":4:no such line", ":0:lines begin with 1", ":3-2:backward", ":x:no number",
                              ":1:", ":1: \n", ":1", "", ":-1:x", ":1-:x", ":99999999999999999999:x"}) {
    EXPECT_EQ(code(compose_message("", {}, {three + comment})), "bad_comment") << comment;
  }
  EXPECT_EQ(code(compose_message("", {}, {":1:no file"})), "bad_comment");
}

TEST_F(ToldMessageTest, MessageMayFillItsLimit) {
  const auto message = compose_message(std::string(kMostToldBytes, 'x'), {}, {});
  ASSERT_TRUE(message);
  EXPECT_EQ(message->text.size(), kMostToldBytes);
  EXPECT_EQ(code(compose_message(std::string(kMostToldBytes + 1, 'x'), {}, {})), "message_too_long");
}

}  // namespace
}  // namespace luzia
