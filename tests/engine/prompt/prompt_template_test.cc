// Prompt templates: their results, and what is refused.
#include "engine/prompt/prompt_template.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

std::string rendered(const std::string& text, const std::map<std::string, std::string, std::less<>>& with) {
  const auto parsed = PromptTemplate::parse(text, "t");
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? parsed->render(with) : "";
}

std::string refusal(const std::string& text) {
  const auto parsed = PromptTemplate::parse(text, "t");
  EXPECT_FALSE(parsed) << text;
  return parsed ? "" : parsed.error().message;
}

TEST(PromptTemplate, NamesAreReplacedOnce) {
  EXPECT_EQ(rendered("Do {{task}} in {{ project }}!", {{"task", "{{tools}} & <b>"}, {"project", "web"}}),
            "Do {{tools}} & <b> in web!");
  EXPECT_EQ(rendered("{{task}}{{tools}}", {{"task", "x"}}), "x");
}

TEST(PromptTemplate, EmptySectionsAreOmitted) {
  const std::string text =
      "{{task}}\n{{#tools}}\n## Tools\n{{tools}}\n{{/tools}}\n{{^tools}}\nnone\n{{/tools}}\nend\n";
  EXPECT_EQ(rendered(text, {{"task", "x"}, {"tools", "- a"}}), "x\n## Tools\n- a\nend\n");
  EXPECT_EQ(rendered(text, {{"task", "x"}}), "x\nnone\nend\n");
  EXPECT_EQ(rendered("{{task}}{{#tools}} with {{tools}}{{#focus}} and {{focus}}{{/focus}}{{/tools}}.",
                     {{"task", "x"}, {"tools", "t"}}),
            "x with t.");
}

TEST(PromptTemplate, TagOnlyLinesLeaveNoEmptyLine) {
  EXPECT_EQ(rendered("a\n  {{! a word }}  \nb {{! in between }} c\n{{task}}", {{"task", "x"}}), "a\nb  c\nx");
  EXPECT_EQ(rendered("{{#task}}\r\n{{task}}\r\n{{/task}}\r\n", {{"task", "x"}}), "x\r\n");
  EXPECT_EQ(rendered("{{#task}}{{task}}{{/task}}\n", {{"task", "x"}}), "x\n");
}

TEST(PromptTemplate, MistakesNameTheirLine) {
  EXPECT_THAT(refusal("{{task}}\n\n{{taks}}"), HasSubstr("line 3: there is no section 'taks'"));
  EXPECT_THAT(refusal("{{task}} {{"), HasSubstr("not closed"));
  EXPECT_THAT(refusal("{{task}}\n{{#tools}}"), HasSubstr("{{#tools}} is not closed"));
  EXPECT_THAT(refusal("{{task}}{{/tools}}"), HasSubstr("closes nothing"));
  EXPECT_THAT(refusal("{{task}}{{#tools}}{{/focus}}{{/tools}}"), HasSubstr("open is tools"));
  EXPECT_THAT(refusal("tell it all"), HasSubstr("{{task}}"));
  EXPECT_THAT(refusal("{{#task}}x{{/task}}"), HasSubstr("{{task}}"));
  EXPECT_THAT(refusal("{{}}{{task}}"), HasSubstr("no section ''"));
  EXPECT_THAT(refusal("{{task}}" + std::string(kMaxTemplateBytes, 'x')), HasSubstr("256 KiB"));
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "{{#task}}";
  EXPECT_THAT(refusal(deep), HasSubstr("nested deeper"));
  EXPECT_THAT(refusal("{{task}}{{\x01\xff}}"), HasSubstr("there is no section"));
}

}  // namespace
}  // namespace luzia
