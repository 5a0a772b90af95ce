#include "adapters/older_tool/older_queue.h"

#include <filesystem>
#include <fstream>

#include "tests/scratch.h"

namespace luzia {
namespace {

OlderEntry some_entry() {
  OlderEntry entry;
  entry.id = "1qfar2zr00c6x";
  entry.project = "my web/shop";
  entry.priority = "9";
  entry.prompt = "Fix \"it\"\nnow";
  entry.enqueued_us = 1'795'185'022LL * kSecondUs + 250'000;
  entry.skill_match = "python";
  entry.enqueued_by = "ana";
  entry.status = "pending";
  return entry;
}

TEST(OlderQueue, FileHasTheOlderToolsFormat) {
  EXPECT_EQ(older_entry_json(some_entry()), R"({
  "id": "1qfar2zr00c6x",
  "project": "my web/shop",
  "priority": 9,
  "prompt": "Fix \"it\"\nnow",
  "skill_match": "python",
  "enqueued_at": "2026-11-20T14:30:22.250000Z",
  "enqueued_by": "ana",
  "status": "pending"
}
)");
  EXPECT_EQ(older_entry_name(1, some_entry()), "1_20261120T143022250000_my-web-shop_1qfar2zr00c6x.json");
}

TEST(OlderQueue, NamesCannotLeaveTheFolder) {
  OlderEntry entry = some_entry();
  entry.project = "../../etc/passwd\n";
  entry.id = std::string(5'000, '/');
  const std::string name = older_entry_name(1, entry);
  EXPECT_EQ(name.find('/'), std::string::npos);
  EXPECT_EQ(name.find('\n'), std::string::npos);
  EXPECT_LT(name.size(), 255U);
}

TEST(OlderQueue, WrittenEntryReadsBack) {
  const auto read = parse_older_entry(older_entry_json(some_entry()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id, some_entry().id);
  EXPECT_EQ(read->project, some_entry().project);
  EXPECT_EQ(read->prompt, some_entry().prompt);
  EXPECT_EQ(read->enqueued_us, some_entry().enqueued_us);
  EXPECT_EQ(read->enqueued_by, "ana");
  EXPECT_EQ(read->priority, "9");
  EXPECT_EQ(read->skill_match, "python");
  EXPECT_EQ(older_entry_json(*read), older_entry_json(some_entry()));
}

TEST(OlderQueue, InvalidEntryIsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "it is no JSON object"},
      {R"({"prompt":"x"})", "it names no project"},
      {R"({"project":"p","prompt":" "})", "its prompt is empty"},
      {R"({"project":"p","prompt":[7.5]})", "\"prompt\" is not a string"},
      {R"({"project":"p","prompt":"x","status":"running"})",
       "it does not wait any more: its status is 'running'"}};
  for (const auto& [json, why] : cases) {
    const auto read = parse_older_entry(json);
    ASSERT_FALSE(read) << json;
    EXPECT_EQ(read.error().message, why);
  }
}

TEST(OlderQueue, OnlyProjectAndPromptAreRequired) {
  const auto read = parse_older_entry(
      R"({"id":7,"project":"p","prompt":"x","status":"Pending","enqueued_at":"soon","enqueued_by":["ana"]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id, "7");
  EXPECT_EQ(read->enqueued_us, 0);
  EXPECT_EQ(read->notes, (std::vector<std::string>{"\"enqueued_by\" is not a string",
                                                   "\"enqueued_at\" is no time that can be read"}));
}

TEST(OlderQueue, PriorityAgreesWithItsFolder) {
  EXPECT_EQ(older_priority("9", true), 9);
  EXPECT_EQ(older_priority("6", true), 6);
  EXPECT_EQ(older_priority("1", true), 8) << "the first of ten in the older tool";
  EXPECT_EQ(older_priority("3", false), 3);
  EXPECT_EQ(older_priority("9", false), 5);
  EXPECT_EQ(older_priority("", true), 8);
  EXPECT_EQ(older_priority("High", true), 8);
  EXPECT_EQ(older_priority("normal", false), 5);
  EXPECT_EQ(older_priority("low", false), 2);
}

TEST(OlderQueue, QueueFolderItselfIsRead) {
  const ScratchFolder scratch;
  const std::string& dir = scratch.path();
  std::filesystem::create_directories(dir + "/pending/high");
  std::ofstream(dir + "/pending/high/1_a.json") << R"({"project":"web","prompt":"a"})";
  const auto pending = read_older_queue(dir);
  ASSERT_EQ(pending.size(), 1U);
  EXPECT_EQ(pending[0].path, "pending/high/1_a.json");
}

TEST(OlderQueue, HighPriorityComesFirstThenNameOrder) {
  const ScratchFolder scratch;
  const std::string& dir = scratch.path();
  EXPECT_TRUE(read_older_queue(dir).empty());
  const auto write = [&](const std::string& group, const std::string& file, const std::string& content) {
    std::filesystem::create_directories(dir + "/queue/pending/" + group);
    std::ofstream(dir + "/queue/pending/" + group + "/" + file) << content;
  };
  write("normal", "5_2_web_c.json", R"({"project":"web","prompt":"c"})");
  write("normal", "5_1_web_b.json", R"({"project":"web","prompt":"b"})");
  write("high", "1_9_web_a.json", R"({"project":"web","prompt":"a"})");
  write("high", "notes.txt", "nothing");
  write("high", "2_broken.json", "{");
  const auto pending = read_older_queue(dir);
  ASSERT_EQ(pending.size(), 4U);
  EXPECT_EQ(pending[0].entry->prompt, "a");
  EXPECT_TRUE(pending[0].high);
  EXPECT_EQ(pending[1].path, "queue/pending/high/2_broken.json");
  EXPECT_FALSE(pending[1].entry);
  EXPECT_EQ(pending[2].entry->prompt, "b");
  EXPECT_EQ(pending[3].entry->prompt, "c");
  EXPECT_FALSE(pending[3].high);
}

TEST(OlderCapacity, LimitsBecomeQueueKeys) {
  const auto capacity = parse_older_capacity(
      R"({"max_concurrent_agents":4,"max_memory_percent":85,"max_load":2.5,"last_check":"x"})");
  ASSERT_TRUE(capacity);
  EXPECT_EQ(capacity->limits.at("max_running"), "4");
  EXPECT_EQ(capacity->limits.at("min_free_memory_percent"), "15");
  EXPECT_EQ(capacity->limits.at("max_load"), "2.5");
  EXPECT_EQ(capacity->left, std::vector<std::string>{"last_check"});
  EXPECT_EQ(parse_older_capacity(R"({"max_running":"4"})")->limits.at("max_running"), "4");
  EXPECT_FALSE(parse_older_capacity("[]"));
  EXPECT_FALSE(parse_older_capacity(R"({"max_running":"many"})"));
  EXPECT_FALSE(parse_older_capacity(R"({"max_running":1e300})"));
}

TEST(OlderConfig, ProjectsBecomeTables) {
  const auto toml = older_config_as_toml(
      R"({"projects":{"web":{"path":"/srv/web","tools":["npm","git"],"colour":"red",)"
      R"("focus":"payments","knowledge":{"language":"Type\"Script","tests":["jest","tsc"],"age":3}},"a b":{"path":"/srv/a\nb"}},"version":2})");
  ASSERT_TRUE(toml) << toml.error().message;
  EXPECT_EQ(*toml, R"([projects."a b"]
path = "/srv/a\u000Ab"

[projects."web"]
knowledge = { language = "Type\"Script" }
path = "/srv/web"
tools = ["npm", "git"]
focus = "payments; tests: jest, tsc"
# "colour" has no counterpart and is left out
# "knowledge.age" has no counterpart and is left out

# "version" has no counterpart and is left out
)");
  EXPECT_FALSE(older_config_as_toml("{}"));
  EXPECT_FALSE(older_config_as_toml(R"({"projects":[]})"));
  EXPECT_FALSE(older_config_as_toml(R"({"projects":{"web":1}})"));
}

}  // namespace
}  // namespace luzia
