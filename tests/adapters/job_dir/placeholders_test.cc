#include "adapters/job_dir/job_dir.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

const std::vector<std::pair<std::string, std::string>> kValues = {
    {"task", "say \"{job_id}\" {{ \xe2\x82\xac"}, {"job_id", "j1"}, {"session_id", ""}};

std::string filled(const std::string& part) {
  const auto result = fill_placeholders({part}, kValues);
  return result ? result->front() : "error " + result.error().code;
}

TEST(FillPlaceholders, EachIsReplacedEverywhere) {
  const auto argv = fill_placeholders({"agent", "--id={job_id}", "{task}", "{job_id}{job_id}"}, kValues);
  ASSERT_TRUE(argv);
  EXPECT_THAT(*argv, ElementsAre("agent", "--id=j1", "say \"{job_id}\" {{ \xe2\x82\xac", "j1j1"));
}

TEST(FillPlaceholders, ValuesAreNotExpandedAgain) {
  EXPECT_EQ(filled("{task}"), "say \"{job_id}\" {{ \xe2\x82\xac");
}

TEST(FillPlaceholders, EmptyValueMakesAnEmptyArgument) {
  EXPECT_EQ(filled("{session_id}"), "");
  EXPECT_EQ(filled(""), "");
  EXPECT_TRUE(fill_placeholders({}, kValues)->empty());
}

TEST(FillPlaceholders, DoubledBraceIsABrace) {
  EXPECT_EQ(filled("{{task}"), "{task}");
  EXPECT_EQ(filled("{{{job_id}"), "{j1");
  EXPECT_EQ(filled("{{{{"), "{{");
  EXPECT_EQ(filled("${{HOME}"), "${HOME}");
}

TEST(FillPlaceholders, OtherBracesStay) {
  for (const char* text :
       {"{", "}", "{}", "a}b", "{print $1}", "{1}", "{\"a\":1}", "{task", "{ task }", "\xc3\xa4{\xc3\xa4}"}) {
    EXPECT_EQ(filled(text), text);
  }
}

TEST(FillPlaceholders, UnknownNameIsAnErrorListingKnownOnes) {
  EXPECT_EQ(filled("{Task}"), "error unknown_placeholder");
  EXPECT_EQ(filled("${HOME}"), "error unknown_placeholder");
  const auto result = fill_placeholders({"ok", "--x={tsak}"}, kValues);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_THAT(result.error().message, HasSubstr("{tsak} in the command part '--x={tsak}'"));
  EXPECT_THAT(result.error().hint, HasSubstr("{task} {job_id} {session_id}"));
}

}  // namespace
}  // namespace luzia
