// Options are found however they are written, and all other words stay in order.
#include "tools/cli/typed_words.h"

#include <gmock/gmock.h>

namespace luzia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr Option kOptions[] = {{"-n,--lines", ValueKind::number, "N", "so many lines"},
                               {"--tag", ValueKind::list, "TAG", "with this tag"},
                               {"-f,--follow", ValueKind::flag, "", "go on"}};
constexpr Option kCommon[] = {{"--json", ValueKind::flag, "", "as JSON"}};
constexpr Command kCommand = {"logs", "Look", "JOB", "show output", "", "", kOptions, {0, -1}};

TypedWords typed(const std::vector<std::string>& words) {
  Program program;
  program.name = "luzia";
  program.common = kCommon;
  const auto found = typed_words(program, kCommand, words);
  EXPECT_TRUE(found);
  return found.value_or(TypedWords());
}

TEST(TypedWords, EachWayToWriteAnOptionMeansTheSame) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--lines=5", "--follow", "--json"},
                                                {"--lines", "5", "-f", "--json"},
                                                {"-n5", "--json", "--follow"},
                                                {"--json", "-n", "5", "-f"},
                                                {"--follow", "--json", "--lines=5"}}) {
    const TypedWords given = typed(words);
    EXPECT_THAT(given.values,
                ElementsAre(Pair("follow", ElementsAre("true")), Pair("json", ElementsAre("true")),
                            Pair("lines", ElementsAre("5"))));
    EXPECT_THAT(given.others, IsEmpty());
  }
}

TEST(TypedWords, OtherWordsStayInOrder) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--json"}, {"-f"}, {"--tag=a"}, {"--tag", "a"}}) {
    std::vector<std::string> words{"first", "- do this", "-", ""};
    words.insert(words.begin() + 1, options.begin(), options.end());
    EXPECT_THAT(typed(words).others, ElementsAre("first", "- do this", "-", ""));
  }
}

TEST(TypedWords, ValuesOfAnOptionAreCollectedAsTheyStand) {
  EXPECT_THAT(typed({"--tag=a=b", "--tag=x,y", "--tag=[z]"}).values,
              ElementsAre(Pair("tag", ElementsAre("a=b", "x,y", "[z]"))));
  EXPECT_THAT(typed({"--json", "--json"}).values, ElementsAre(Pair("json", ElementsAre("true"))));
}

TEST(TypedWords, AValueThatLooksLikeAnEmptyListIsAValue) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--tag={}"}, {"--tag", "{}"}})
    EXPECT_THAT(typed(words).values, ElementsAre(Pair("tag", ElementsAre("{}"))));
}

TEST(TypedWords, UnknownOptionsAreOtherWords) {
  EXPECT_THAT(typed({"--json", "--colour", "first"}).others, ElementsAre("--colour", "first"));
  EXPECT_THAT(typed({"--colour=red"}).others, ElementsAre("--colour=red"));
  EXPECT_THAT(typed({"--lin=5"}).others, ElementsAre("--lin=5")) << "part of a name is none";
}

}  // namespace
}  // namespace luzia
