#include <cstdlib>

#include "tests/matchers.h"
#include "tools/luzia/run/dispatch.h"
#include "tools/luzia/text_file.h"

namespace luzia {
namespace {

Error refused(const std::string& text) {
  const auto jobs = jobs_from_batch(text, "b.jsonl", {});
  EXPECT_FALSE(jobs.has_value()) << text;
  return jobs ? Error() : jobs.error();
}

TEST(Batch, EachLineIsAJobOverTheDefaults) {
  wire::DispatchJobT defaults;
  defaults.agent = "claude";
  defaults.tags = {"night"};
  const auto jobs = jobs_from_batch(
      "{\"project\":\"a\",\"task\":\"one\",\"priority\":\"High\",\"after\":[\"x\",\"y\"],\"timeout\":\"10m\"}"
      "\n\n"
      "{\"project\":\"b\",\"task\":\"two\\nlines\",\"agent\":\"shell\",\"env\":{\"K\":\"v=1\"},\"tags\":\"p,"
      "q\","
      "\"retries\":2,\"budget-cost\":1.5,\"flow\":\"f/s\",\"timeout\":90}\r\n",
      "b.jsonl", defaults);
  ASSERT_TRUE(jobs.has_value()) << jobs.error().message;
  ASSERT_EQ(jobs->size(), 2u);
  const auto& one = (*jobs)[0];
  EXPECT_EQ(one.agent, "claude");
  EXPECT_EQ(one.priority, 8);
  EXPECT_THAT(one.after, ElementsAre("x", "y"));
  EXPECT_EQ(one.timeout_ms, 600'000u);
  EXPECT_THAT(one.tags, ElementsAre("night"));
  const auto& two = (*jobs)[1];
  EXPECT_EQ(two.task, "two\nlines");
  EXPECT_THAT(two.env, ElementsAre("K=v=1"));
  EXPECT_THAT(two.tags, ElementsAre("p", "q"));
  EXPECT_EQ(two.retries, 2u);
  EXPECT_DOUBLE_EQ(two.budget_cost_usd, 1.5);
  EXPECT_EQ(two.flow, "f");
  EXPECT_EQ(two.step, "s");
  EXPECT_EQ(two.timeout_ms, 90'000u);
}

TEST(Batch, MistakesNameTheLine) {
  EXPECT_THAT(refused("{\"project\":\"a\",\"task\":\"t\"}\n{oops\n").message,
              "reading b.jsonl:2: not a JSON object; nothing was queued");
  EXPECT_THAT(refused("[1]").message, HasSubstr("b.jsonl:1: not a JSON object"));
  EXPECT_EQ(refused("{\"project\":\"a\",\"tsk\":\"t\"}").hint, "did you mean task?");
  EXPECT_THAT(refused("{\"project\":\"a\"}").message, HasSubstr("task is missing"));
  EXPECT_THAT(refused("{\"task\":\"a\"}").message, HasSubstr("project is missing"));
  EXPECT_THAT(refused("\n  \n").message, HasSubstr("no job"));
  EXPECT_THAT(refused("{\"project\":\"a\",\"task\":\"t\",\"a\\nb\":1}").message,
              HasSubstr("unknown key 'a b';"));
}

TEST(Batch, RefusalsOfTheDaemonNameTheLine) {
  const std::string text = "\n{\"project\":\"a\"}\n\n{\"project\":\"b\"}\n";
  const Error second{ErrorKind::refused, "step_busy",
                     "job 2 of the batch: step 's' of flow f is being done by job 1 of the batch", ""};
  EXPECT_EQ(with_batch_lines(second, text, "b.jsonl").message,
            "b.jsonl:4: step 's' of flow f is being done by line 2; nothing was queued");
  const Error whole{ErrorKind::usage, "command_too_large", "the command is too large", ""};
  EXPECT_EQ(with_batch_lines(whole, text, "b.jsonl").message, "the command is too large; nothing was queued");
  const Error alone{ErrorKind::usage, "empty_task", "the task is empty", ""};
  EXPECT_EQ(with_batch_lines(alone, "{}\n", "b.jsonl").message,
            "b.jsonl:1: the task is empty; nothing was queued");
  const Error trouble{ErrorKind::trouble, "connection_lost", "gone", ""};
  EXPECT_EQ(with_batch_lines(trouble, text, "b.jsonl").message, "gone")
      << "the daemon may have accepted them";
}

TEST(Batch, ValuesOfTheWrongKindAreRefused) {
  for (const char* pair :
       {"\"task\":1", "\"priority\":11", "\"priority\":\"urgent\"", "\"after\":[1]", "\"timeout\":\"x\"",
        "\"retries\":-1", "\"retries\":4294967296", "\"env\":{\"A=B\":\"c\"}", "\"env\":{\"A\":1}",
        "\"budget_cost\":-1", "\"tags\":{}"}) {
    const Error error = refused(std::string("{\"project\":\"a\",\"task\":\"t\",") + pair + "}");
    EXPECT_EQ(error.code, "bad_batch") << pair;
    EXPECT_EQ(error.kind, ErrorKind::usage);
  }
}

TEST(Batch, DeepNestingIsRefusedNotFollowed) {
  std::string deep = "{\"project\":\"a\",\"task\":";
  deep += std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(refused(deep).code, "bad_batch");
}

TEST(Environment, KeyAlonePassesTheCurrentValue) {
  ::setenv("LUZIA_TEST_VARIABLE", "mine", 1);
  EXPECT_EQ(environment_entry("LUZIA_TEST_VARIABLE").value(), "LUZIA_TEST_VARIABLE=mine");
  ::unsetenv("LUZIA_TEST_VARIABLE");
  EXPECT_EQ(environment_entry("LUZIA_TEST_VARIABLE").error().code, "bad_env");
  EXPECT_EQ(environment_entry("A=").value(), "A=");
  EXPECT_FALSE(environment_entry("=x").has_value());
  EXPECT_FALSE(environment_entry("").has_value());
}

TEST(ReadText, NamesUnreadableFiles) {
  EXPECT_THAT(read_text("/nonexistent/file").error().message, HasSubstr("/nonexistent/file"));
  EXPECT_EQ(read_text("/").error().code, "unreadable");
}

TEST(Batch, LimitsAreSizesAndPercentages) {
  const auto jobs = jobs_from_batch(
      R"({"project":"p","task":"a","memory":"4G","cpu":"200%","processes":500,"disk":1048576})"
      "\n"
      R"({"project":"p","task":"b","cpu":50})",
      "b.jsonl", {});
  ASSERT_TRUE(jobs) << jobs.error().message;
  EXPECT_EQ((*jobs)[0].memory_bytes, 4ULL << 30);
  EXPECT_EQ((*jobs)[0].cpu_percent, 200u);
  EXPECT_EQ((*jobs)[0].most_processes, 500u);
  EXPECT_EQ((*jobs)[0].disk_bytes, 1u << 20);
  EXPECT_EQ((*jobs)[1].cpu_percent, 50u);
  for (const char* bad : {R"("memory":"much")", R"("memory":-1)", R"("cpu":"two")", R"("cpu":1.5)",
                          R"("processes":"many")", R"("disk":true)"}) {
    const auto job = jobs_from_batch(R"({"project":"p","task":"a",)" + std::string(bad) + "}", "b.jsonl", {});
    EXPECT_FALSE(job) << bad;
  }
}

}  // namespace
}  // namespace luzia
