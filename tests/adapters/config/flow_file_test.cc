#include "adapters/config/flow_file.h"

#include "tests/scratch.h"

namespace luzia {
namespace {

std::string wrong(const std::string& toml) {
  const FlowFile file = parse_flow_file(toml, "f.toml", "/nowhere");
  std::string all;
  for (const Error& error : file.errors) all += error.code + " " + error.message + "\n";
  return all;
}

TEST(FlowFile, ListsStepsAndDependencies) {
  const FlowFile file = parse_flow_file(
      "description = 'Release'\nproject = 'web'\ntags = ['a', 'b']\nmax_running = 2\nkeep_going = true\n"
      "agent = 'claude'\n"
      "[[steps]]\nname = 'build'\nprompt = 'make'\nagent = 'shell'\nretries = 3\ntimeout = '30m'\npriority = "
      "7\n"
      "[[steps]]\nname = 'ship'\nneeds = ['build']\ngate = 'deploy'\ndescription = 'out'\ntags = ['t']\n"
      "[[follow_ups]]\nafter = 'build'\nwhen = 'Failed'\ntext = 'look'\n",
      "f.toml", ".");
  ASSERT_TRUE(file.errors.empty()) << file.errors.front().message;
  const auto& flow = file.flow;
  EXPECT_EQ(flow.description, "Release");
  EXPECT_EQ(flow.project, "web");
  EXPECT_EQ(flow.tags, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(flow.max_running, 2U);
  EXPECT_TRUE(flow.keep_going);
  EXPECT_TRUE(flow.runs);
  ASSERT_EQ(flow.steps.size(), 2U);
  EXPECT_EQ(flow.steps[0]->prompt, "make");
  EXPECT_EQ(flow.steps[0]->agent, "shell");
  EXPECT_EQ(flow.steps[0]->retries, 3U);
  EXPECT_EQ(flow.steps[0]->timeout_ms, 1'800'000U);
  EXPECT_EQ(flow.steps[0]->priority, 7);
  EXPECT_EQ(flow.steps[1]->needs, std::vector<std::string>{"build"});
  EXPECT_EQ(flow.steps[1]->agent, "claude");
  EXPECT_EQ(flow.steps[1]->gate, "deploy");
  EXPECT_EQ(flow.steps[1]->prompt, "");
  EXPECT_EQ(flow.steps[1]->priority, 255);
  EXPECT_EQ(flow.follow_ups[0]->when, schema::StepState::failed);
}

TEST(FlowFile, PromptMayBeInASeparateFile) {
  const ScratchFolder folder;
  folder.write("p.md", "do it\n");
  const FlowFile file = parse_flow_file("[[steps]]\nname='a'\nprompt_file='p.md'\n", "f.toml", folder.path());
  ASSERT_TRUE(file.errors.empty());
  EXPECT_EQ(file.flow.steps[0]->prompt, "do it\n");
}

TEST(FlowFile, EveryMistakeHasItsPlace) {
  EXPECT_EQ(wrong("[[steps]]\nname = 1\nneed = []\n"),
            "wrong_type f.toml:2:8: 'name' must be a string, not a whole number\n"
            "unknown_key f.toml:3:1: a step has no key 'need'\n"
            "bad_step f.toml:1:1: the step has no name\n");
  EXPECT_EQ(wrong("[[steps]]\nname='a'\nprompt='x'\nprompt_file='y'\n"),
            "two_prompts f.toml:4:1: the step has both prompt and prompt_file\n");
  EXPECT_EQ(wrong("[[steps]]\nname='a'\nprompt_file='y'\n"),
            "bad_prompt_file f.toml:3:13: '/nowhere/y' cannot be read, is empty or over 4 MiB\n");
  EXPECT_EQ(wrong("[[steps]]\nname='a'\ntimeout='soon'\nretries=-1\n"),
            "bad_value f.toml:3:9: 'soon' is not a duration\nout_of_range f.toml:4:9: 'retries' is -1\n");
  EXPECT_EQ(wrong("[[follow_ups]]\nwhen='later'\n[[steps]]\nname='a'\n"),
            "bad_value f.toml:1:1: when is 'later'\nbad_value f.toml:1:1: the follow-up has no text\n");
  EXPECT_EQ(wrong("steps = 3\n"), "wrong_type f.toml:1:9: 'steps' must be a list, not a whole number\n");
}

TEST(FlowFile, EmptyFileHasNoSteps) {
  EXPECT_TRUE(wrong("").starts_with("no_steps "));
  EXPECT_TRUE(wrong("[[").starts_with("config_syntax "));
}

}  // namespace
}  // namespace luzia
