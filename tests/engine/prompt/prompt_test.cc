// The prompt around a task: golden files of the shipped prompts, what is cut, and what is recorded.
#include "engine/prompt/prompt.h"

#include <cstdlib>
#include <fstream>

#include "tests/matchers.h"
#include "tests/paths.h"
#include "tests/text_files.h"

namespace luzia {
namespace {

PromptFacts some_facts() {
  PromptFacts facts;
  facts.task = "Fix the login.\nIt fails for names with umlauts.";
  facts.agent = "claude";
  facts.exit_codes = {"0: completed", "100: needs clarification"};
  facts.gates = {"deploy", "drop_table"};
  facts.project = "web";
  facts.path = "/srv/web";
  facts.framework = "django 5";
  facts.language = "python";
  facts.build_system = "make";
  facts.environment = {{"User", "ana"}, {"Attempt", "2"}};
  facts.focus = {"the attempt before this one ended: exit code 1", "UnicodeEncodeError: 'ascii' codec"};
  facts.tools = {{"pytest", "runs the tests", "called 12 times, 1 of them failed"}, {"psql", "", ""}};
  facts.practices = {{"s-1", "UnicodeEncodeError on login", "set PYTHONUTF8=1\nand restart", 0.75}};
  facts.context = "## What was done before\n\n- plan: completed";
  facts.flow = "f-1";
  facts.step = "code";
  facts.web_search = "unicodeencodeerror ascii codec django";
  return facts;
}

BuiltPrompt built(std::string_view text, const PromptFacts& facts, const PromptLimits& limits = {}) {
  const auto parsed = PromptTemplate::parse(text, "t");
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return build_prompt(*parsed, text, "t", facts, limits);
}

std::string golden(const std::string& name) {
  return whole_text(source_path("tests/engine/prompt/golden/") + name);
}

/// LUZIA_WRITE_GOLDEN=1 writes the actual text to the golden file, for review in the diff.
void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("LUZIA_WRITE_GOLDEN") != nullptr) {
    std::ofstream(source_path("tests/engine/prompt/golden/") + name) << text;
  }
  EXPECT_EQ(text, golden(name)) << name;
}

const schema::PromptSectionT* section(const BuiltPrompt& prompt, const std::string& name) {
  for (const auto& each : prompt.record.sections) {
    if (each->name == name) return each.get();
  }
  return nullptr;
}

TEST(Prompt, ShippedTemplatesMatchTheGoldenFiles) {
  for (const std::string_view name : shipped_template_names()) {
    const BuiltPrompt prompt = built(*shipped_template(name), some_facts());
    expect_golden(std::string(name) + ".txt", prompt.text);
    EXPECT_EQ(prompt.record.bytes, prompt.text.size());
    EXPECT_EQ(prompt.record.sections.size(), kPromptSections.size());
  }
  EXPECT_FALSE(shipped_template("none"));
}

TEST(Prompt, PromptNamesTheProjectsFocus) {
  PromptFacts facts = some_facts();
  facts.project_focus = "payments first";
  EXPECT_NE(built(*shipped_template("implementation"), facts).text.find("- Focus: payments first\n"),
            std::string::npos);
}

TEST(Prompt, AgentWithoutANameGetsNeitherRoleNorProtocol) {
  PromptFacts facts = some_facts();
  facts.agent.clear();
  const BuiltPrompt prompt = built(*shipped_template("implementation"), facts);
  EXPECT_THAT(prompt.text, Not(HasSubstr("Your role")));
  EXPECT_THAT(prompt.text, Not(HasSubstr("Decide alone")));
  EXPECT_EQ(section(prompt, "identity")->bytes, 0U);
  facts.agent = "codex";
  facts.gates.clear();
  facts.exit_codes.clear();
  const BuiltPrompt told = built(*shipped_template("implementation"), facts);
  EXPECT_THAT(told.text, HasSubstr("You are codex."));
  EXPECT_THAT(told.text, Not(HasSubstr("luzia gate")));
  EXPECT_THAT(told.text, Not(HasSubstr("exit code says")));
}

TEST(Prompt, UnknownPartsAreOmitted) {
  PromptFacts facts;
  facts.task = "Do it.";
  expect_golden("bare.txt", built(*shipped_template("implementation"), facts).text);
}

TEST(Prompt, ListsAndTextsAreCut) {
  PromptFacts facts;
  facts.task = "t";
  for (int i = 0; i < 7; ++i) facts.tools.push_back({"tool" + std::to_string(i), "", ""});
  for (int i = 0; i < 4; ++i)
    facts.practices.push_back({"s" + std::to_string(i), "p", std::string(600, 'x'), 0.5});
  const BuiltPrompt prompt = built("{{task}}{{tools}}{{practices}}", facts);
  EXPECT_THAT(prompt.text, HasSubstr("tool4"));
  EXPECT_THAT(prompt.text, Not(HasSubstr("tool5")));
  EXPECT_THAT(prompt.text, HasSubstr("solution s2"));
  EXPECT_THAT(prompt.text, Not(HasSubstr("solution s3")));
  EXPECT_THAT(prompt.text, HasSubstr(std::string(500, 'x') + " [...]"));
  EXPECT_THAT(prompt.text, Not(HasSubstr(std::string(501, 'x'))));
  EXPECT_EQ(prompt.record.tools.size(), 5U) << "those that it recommends";
  EXPECT_TRUE(section(prompt, "tools")->cut);
  EXPECT_TRUE(section(prompt, "practices")->cut);
  EXPECT_FALSE(section(prompt, "task")->cut);
}

TEST(Prompt, CutsFallBetweenCharacters) {
  PromptFacts facts;
  facts.task = "t";
  std::string umlauts;
  for (int i = 0; i < 600; ++i) umlauts += "\xc3\xa4";
  facts.focus = {umlauts, "\xff\xfe broken"};
  const BuiltPrompt prompt = built("{{task}}{{focus}}", facts);
  EXPECT_THAT(prompt.text, HasSubstr(umlauts.substr(0, 1000) + " [...]"));
  EXPECT_THAT(prompt.text, HasSubstr("\xef\xbf\xbd\xef\xbf\xbd broken"));
}

TEST(Prompt, OversizedPromptLosesItsEndNeverTheTask) {
  PromptFacts facts = some_facts();
  facts.task = std::string(1000, 't');
  facts.context = std::string(300, 'c');
  PromptLimits limits;
  limits.bytes = 400;
  const BuiltPrompt prompt = built(*shipped_template("implementation"), facts, limits);
  EXPECT_THAT(prompt.text, HasSubstr(facts.task));
  EXPECT_FALSE(section(prompt, "focus")->cut);
  EXPECT_TRUE(section(prompt, "output")->cut);
  EXPECT_EQ(section(prompt, "output")->bytes, 0U);
  std::uint64_t bytes = 0;
  for (const auto& each : prompt.record.sections) bytes += each->name == "task" ? 0 : each->bytes;
  EXPECT_LE(bytes, 400U);
}

TEST(Prompt, HashesDistinguishPrompts) {
  PromptFacts facts = some_facts();
  const BuiltPrompt one = built("{{task}} {{project}}", facts), same = built("{{task}} {{project}}", facts);
  EXPECT_EQ(section(one, "task")->hash, section(same, "task")->hash);
  facts.language = "c++";
  const BuiltPrompt other = built("{{task}}  {{project}}", facts);
  EXPECT_EQ(section(one, "task")->hash, section(other, "task")->hash);
  EXPECT_NE(section(one, "project")->hash, section(other, "project")->hash);
  EXPECT_NE(one.record.template_hash, other.record.template_hash);
  EXPECT_EQ(section(one, "tools"), nullptr);
}

}  // namespace
}  // namespace luzia
