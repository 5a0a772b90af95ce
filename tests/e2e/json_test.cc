// The JSON that scripts read: every reading command's output parses and has the documented fields.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

constexpr const char* kJobFields =
    "id project task agent user state a2a_state attempt attempts priority tags exit_code signal reason "
    "retriable queued_at started_at ended_at elapsed_seconds queue_wait_seconds human_wait_seconds pid "
    "progress last_line output warnings issues questions_open session_id model tokens cost_usd verdict flow "
    "step parent_job dir limits_reached";
constexpr const char* kEventFields =
    "position stream version time time_us type actor cause evidence command_id site data";

class JsonTest : public DaemonTest {
 protected:
  void SetUp() override {
    id_ = dispatch("printf '\\033]9;4;1;50\\007\\n'; echo '::warning::odd'; echo done; exit 3",
                   {"--tag", "night", "--priority", "high"});
    ended(id_);
  }

  static void expect_fields(const Json& object, const std::string& fields) {
    std::istringstream names(fields);
    for (std::string name; names >> name;) EXPECT_TRUE(object.contains(name)) << name << " in " << object;
  }

  static void expect_list(const Json& answer, const char* plural) {
    ASSERT_TRUE(answer.contains(plural)) << answer;
    EXPECT_TRUE(answer[plural].is_array());
    EXPECT_TRUE(answer["position"].is_number_unsigned()) << answer;
    EXPECT_TRUE(answer.contains("next"));
  }

  std::string id_;
};

TEST_F(JsonTest, RunningJobShowsItsMemory) {
  constexpr std::uint64_t kKib = 30'000;
  const std::string hungry = dispatch("x=$(head -c 31000000 /dev/zero | tr '\\0' a); echo full; sleep 600");
  const auto shown = [&](const Json& row) { return row.value("resident_kib", std::uint64_t{0}); };
  EXPECT_TRUE(wait_until([&] { return shown(job(hungry)) > kKib; }));
  EXPECT_LT(shown(job(hungry)), 20 * kKib);
  const Json list = luzia_json({"jobs"})["jobs"];
  ASSERT_EQ(list.size(), 1U);
  EXPECT_GT(shown(list[0]), kKib);
  EXPECT_THAT(luzia({"job", hungry}).out, testing::ContainsRegex("memory +[0-9]+ MiB now"));
  const std::uint64_t then = position();
  EXPECT_FALSE(luzia_json({"job", hungry, "--at", std::to_string(then)}).contains("resident_kib"));
  ASSERT_EQ(luzia({"cancel", hungry, "--grace", "0"}).code, 0);
  EXPECT_FALSE(ended(hungry).contains("resident_kib"));
}

TEST_F(JsonTest, JobHasThePromisedFieldsEverywhere) {
  for (const Json& row :
       {luzia_json({"job", id_}), query_json({"job", id_}), query_json({"job", id_, "--offline"}),
        luzia_json({"jobs", "--all"})["jobs"].at(0), query_json({"jobs", "--all"})["jobs"].at(0)}) {
    expect_fields(row, kJobFields);
    expect_fields(row["output"], "bytes lines");
    expect_fields(row["progress"], "percent current_step total_steps step_name");
    expect_fields(row["tokens"], "input output cache_read cache_write");
    EXPECT_EQ(row["id"], id_);
    EXPECT_EQ(row["state"], "failed");
    EXPECT_EQ(row["exit_code"], 3);
    EXPECT_EQ(row["priority"], 8);
    EXPECT_EQ(row["warnings"], 1);
    EXPECT_EQ(row["last_line"], "done");
    EXPECT_EQ(row["progress"]["percent"], 50);
    EXPECT_EQ(row["tags"], Json::array({"night"}));
  }
}

TEST_F(JsonTest, TimesAreInOrder) {
  const Json row = job(id_);
  for (const char* field : {"queued_at", "started_at", "ended_at"})
    EXPECT_THAT(row[field].get<std::string>(), testing::MatchesRegex("....-..-..T..:..:..[.]......Z"));
  EXPECT_LE(row["queued_at"], row["started_at"]);
  EXPECT_LE(row["started_at"], row["ended_at"]) << row;
}

TEST_F(JsonTest, ListsHavePluralPositionAndNext) {
  expect_list(luzia_json({"jobs", "--all"}), "jobs");
  expect_list(query_json({"jobs", "--all"}), "jobs");
  expect_list(query_json({"queue"}), "queue");
  for (const Words& words : {Words{"status"}, Words{"status", id_}, Words{"why", id_}, Words{"doctor"},
                             Words{"config", "show"}, Words{"config", "path"}}) {
    const Finished shown = luzia([&] {
      Words with = words;
      with.emplace_back("--json");
      return with;
    }());
    EXPECT_FALSE(Json::parse(shown.out, nullptr, false).is_discarded())
        << testing::PrintToString(words) << shown.out << shown.err;
  }
  for (const Words& words : {Words{"status"}, Words{"stats"}, Words{"why", id_}, Words{"verify"}})
    query_json(words);
}

TEST_F(JsonTest, EventsHaveThePromisedFieldsAndGaplessPositions) {
  std::uint64_t position = 0;
  for (const Json& event : events()) {
    expect_fields(event, kEventFields);
    expect_fields(event["evidence"], "kind log_from log_to rule");
    EXPECT_EQ(event["position"], ++position);
  }
  const Finished followed = luzia({"follow", "--once", "--job", id_});
  for (const std::string& line : lines_of(followed.out)) expect_fields(Json::parse(line), kEventFields);
}

TEST_F(JsonTest, PagesJoinToTheWholeListWithoutRepeat) {
  for (int i = 0; i < 6; ++i) ended(dispatch("true"));
  Words paged, whole;
  const Json all = luzia_json({"jobs", "--all"});
  for (const Json& row : all["jobs"]) whole.push_back(row["id"]);
  ASSERT_EQ(whole.size(), 7u);
  std::string cursor;
  do {
    Words words = {"jobs", "--all", "--limit", "3"};
    if (!cursor.empty()) words.insert(words.end(), {"--cursor", cursor});
    const Json page = luzia_json(words);
    ASSERT_LE(page["jobs"].size(), 3u);
    for (const Json& row : page["jobs"]) paged.push_back(row["id"]);
    cursor = page["next"].is_null() ? std::string() : page["next"].get<std::string>();
  } while (!cursor.empty() && paged.size() < 20);
  EXPECT_EQ(paged, whole);
}

TEST_F(JsonTest, PastIsShownAsItWas) {
  const auto starting = events_of(id_, "AttemptStarting");
  ASSERT_EQ(starting.size(), 1u);
  const std::string then = std::to_string(starting[0]["position"].get<std::uint64_t>());
  EXPECT_EQ(query_json({"job", id_, "--at", then})["state"], "starting");
  EXPECT_EQ(query_json({"job", id_, "--at", then, "--offline"})["state"], "starting");
  EXPECT_EQ(query({"job", id_, "--at", "1"}).code, 3);
}

}  // namespace
}  // namespace luzia
