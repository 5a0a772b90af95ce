// Rows of all sites, from a real server, with the filters of a daemon.
#include "tools/luzia-fleet/site_rows.h"

#include "tests/tools/luzia_fleet/fleet_database.h"
#include "tests/tools/read/rows_of_machines.h"
#include "tools/luzia-fleet/stored_values.h"
#include "tools/luzia-fleet/tables.h"

namespace luzia::test {
namespace {

constexpr TimeUs kNow = 1'800'000'000 * kSecondUs;

class SiteRowsTest : public FleetDatabaseTest {
 protected:
  SiteRowsTest() { init({machine_role("a"), machine_role("b")}); }

  void add_job(const std::string& site, view::JobT job) {
    job.queued_us = job.queued_us == 0 ? kNow : job.queued_us;
    add("jobs", site, row_bytes(job));
  }
  void add(std::string_view table, const std::string& site, const std::string& bytes) {
    const ExportTable& of = *find_export_table(table);
    std::vector<ExportRow> made;
    ASSERT_TRUE(of.append(as_bytes(bytes), 0, made));
    make_storable(of, made.front());
    ReadRows rows;
    TableRows& of_table = rows.tables[of.name];
    of_table.owners = {"nobody"};
    of_table.rows[key_of(of, made.front())] = FleetRow{made.front(), 1, bytes};
    Postgres database = connected();
    ASSERT_TRUE(database.run("SELECT luzia.enter_site(" + pg_text(site) + ", 'host', '1')"));
    const Status written = write_rows(database, site, rows);
    ASSERT_TRUE(written) << written.error().message;
  }
  static view::JobT job(const std::string& id, const std::string& project = "web",
                        schema::JobState state = schema::JobState::running) {
    view::JobT made;
    made.id = id;
    made.project = project;
    made.agent = "shell";
    made.state = state;
    return made;
  }

  /// The answer in words, "a: 0002 0001; b: no_such_job"; "more" ends a list that is cut.
  std::string answer_to(wire::QueryT query, Postgres database) const {
    wire::FleetQuestionT question;
    question.query = std::make_unique<wire::QueryT>(std::move(query));
    std::string words;
    bool is_last = false;
    const auto take = [&](const wire::FleetAnswerT& answer) -> Status {
      is_last = answer.last;
      for (const auto& site : answer.sites) words += words_of(*site);
      return {};
    };
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(wire::FleetQuestion::Pack(builder, &question));
    const Status done = answer_question(
        database, *flatbuffers::GetRoot<wire::FleetQuestion>(builder.GetBufferPointer()), kNow, take);
    if (!done) return done.error().code;
    EXPECT_TRUE(is_last);
    return words;
  }
  std::string jobs(wire::FilterT filter = {}, std::uint32_t limit = 0) const {
    wire::QueryT query = view_query(wire::View::jobs, std::make_unique<wire::FilterT>(std::move(filter)));
    query.limit = limit;
    return answer_to(std::move(query), connected());
  }
  static std::string words_of(const wire::FleetSiteT& site) {
    std::string words = site.name + ":";
    if (site.refused) return words + " " + site.refused->code + ";";
    for (const auto& row : site.rows->rows) {
      const Bytes bytes{row->data.data(), row->data.size()};
      if (site.rows->type == wire::RowType::issue) {
        words += " " + std::string(text(verified_row<view::Issue>(bytes)->fingerprint()));
        continue;
      }
      const auto* job = verified_row<view::Job>(bytes);
      words += " " + (job == nullptr ? "?" : std::string(text(job->id())).substr(9));
    }
    return words + (site.rows->next.empty() ? ";" : " more;");
  }
  static wire::FilterT of_jobs(std::vector<std::string> ids) {
    wire::FilterT filter;
    filter.jobs = std::move(ids);
    return filter;
  }
};

TEST_F(SiteRowsTest, FiltersMeanWhatTheyMeanToADaemon) {
  using enum schema::JobState;
  view::JobT old = job("k000000000001", "web", failed);
  old.queued_us = kNow - kDayUs;
  old.tags = {"night", "x"};
  old.model = "m1";
  add_job("a", std::move(old));
  add_job("a", job("k000000000002", "o'\"{,}\\brien"));
  view::JobT proved = job("k000000000003", "web", completed);
  proved.verified = true;
  proved.step = "build";
  add_job("b", std::move(proved));
  EXPECT_EQ(jobs(), "a: 0002 0001;b: 0003;");
  const auto with = [&](const std::function<void(wire::FilterT&)>& change) {
    wire::FilterT filter;
    change(filter);
    return jobs(std::move(filter));
  };
  EXPECT_EQ(with([](auto& filter) { filter.projects = {"o'\"{,}\\brien"}; }), "a: 0002;b:;");
  EXPECT_EQ(with([](auto& filter) { filter.ended = false; }), "a: 0002;b:;");
  EXPECT_EQ(with([](auto& filter) { filter.states = {failed}; }), "a: 0001;b:;");
  EXPECT_EQ(with([](auto& filter) { filter.states = {failed}, filter.proved = true; }), "a: 0001;b: 0003;");
  EXPECT_EQ(with([](auto& filter) { filter.tags = {"x", "night"}; }), "a: 0001;b:;");
  EXPECT_EQ(with([](auto& filter) { filter.tags = {"x,night"}; }), "a:;b:;");
  EXPECT_EQ(with([](auto& filter) { filter.models = {"unknown"}; }), "a: 0002;b: 0003;");
  EXPECT_EQ(with([](auto& filter) { filter.steps = {"build"}; }), "a:;b: 0003;");
  EXPECT_EQ(with([](auto& filter) { filter.since_us = kNow; }), "a: 0002;b: 0003;");
  EXPECT_EQ(with([](auto& filter) { filter.until_us = kNow; }), "a: 0001;b:;");
  EXPECT_EQ(with([](auto& filter) { filter.agents = {"claude"}; }), "a:;b:;");
  EXPECT_EQ(jobs({}, 1), "a: 0002 more;b: 0003;");
}

TEST_F(SiteRowsTest, JobsByTheTimeOfTheirEndLastEndFirst) {
  using enum schema::JobState;
  const auto add_ended = [this](const std::string& id, TimeUs ended) {
    view::JobT made = job(id, "web", completed);
    made.ended_us = ended;
    add_job("a", std::move(made));
  };
  add_ended("k000000000001", kNow + 9);
  add_ended("k000000000002", kNow + 7);
  add_ended("k000000000003", kNow + 8);
  add_job("a", job("k000000000004"));
  const auto between = [this](TimeUs since, TimeUs before, std::uint32_t limit = 0) {
    wire::FilterT filter;
    filter.ended_since_us = since;
    filter.ended_before_us = before;
    return jobs(std::move(filter), limit);
  };
  EXPECT_EQ(between(kNow, 0), "a: 0001 0003 0002;");
  EXPECT_EQ(between(kNow, 0, 1), "a: 0001 more;");
  EXPECT_EQ(between(kNow + 8, 0), "a: 0001 0003;");
  EXPECT_EQ(between(0, kNow + 8), "a: 0002;");
  EXPECT_EQ(between(kNow + 10, 0), "a:;");
}

TEST_F(SiteRowsTest, NamedJobsAreLookedForOnEachSite) {
  add_job("a", job("k000000000001"));
  add_job("a", job("k000000000002"));
  add_job("b", job("k000000000003"));
  EXPECT_EQ(jobs(of_jobs({"k000000000003"})), "a: no_such_job;b: 0003;");
  EXPECT_EQ(jobs(of_jobs({"k000000000001", "k000000000003"})), "a: 0001;b: 0003;");
  EXPECT_EQ(jobs(of_jobs({"k0000"})), "a: ambiguous_job;b: 0003;");
  EXPECT_EQ(jobs(of_jobs({"@last"})), "a: 0002;b: 0003;");
  EXPECT_EQ(jobs(of_jobs({"'; DROP TABLE luzia.jobs; --"})), "a: no_such_job;b: no_such_job;");
}

TEST_F(SiteRowsTest, RowsWithoutTheWholeRowAreNotLeftOutSilently) {
  add_job("a", job("k000000000001"));
  add_job("b", job("k000000000002"));
  Postgres database = connected();
  ASSERT_TRUE(database.run("UPDATE luzia.jobs SET view_row = NULL WHERE site = 'a'"));
  EXPECT_EQ(jobs(), "a: older_rows;b: 0002;");
}

TEST_F(SiteRowsTest, OpenQuestionsOfNamedAgentsOldestFirst) {
  add_job("a", job("k000000000001"));
  for (const auto& [id, state, asked] : {std::tuple("q2", view::QuestionState::open, kNow + 2),
                                         {"q1", view::QuestionState::open, kNow + 1},
                                         {"q3", view::QuestionState::answered, kNow + 3}}) {
    view::QuestionT question;
    question.id = id;
    question.job = "k000000000001";
    question.project = "web";
    question.state = state;
    question.asked_us = asked;
    add("questions", "a", row_bytes(question));
  }
  const auto ids = [&](bool ended, const std::string& agent) {
    wire::QueryT query = view_query(wire::View::questions);
    query.filter->ended = ended;
    query.filter->agents = {agent};
    wire::FleetQuestionT question;
    question.query = std::make_unique<wire::QueryT>(std::move(query));
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(wire::FleetQuestion::Pack(builder, &question));
    std::string found;
    Postgres database = connected();
    const Status done = answer_question(
        database, *flatbuffers::GetRoot<wire::FleetQuestion>(builder.GetBufferPointer()), kNow,
        [&](const wire::FleetAnswerT& answer) -> Status {
          for (const auto& site : answer.sites) {
            for (const auto& row : site->rows->rows)
              found += text(verified_row<view::Question>({row->data.data(), row->data.size()})->id());
          }
          return {};
        });
    return done ? found : done.error().code;
  };
  EXPECT_EQ(ids(true, "shell"), "q1q2q3");
  EXPECT_EQ(ids(false, "shell"), "q1q2");
  EXPECT_EQ(ids(true, "claude"), "");
}

TEST_F(SiteRowsTest, FoldedIssuesAreLeftOutUnlessAskedFor) {
  add_job("a", job("k000000000001"));
  for (int i = 0; i < 40; ++i) {
    view::IssueT issue;
    issue.job = "k000000000001";
    issue.project = "web";
    issue.pattern = "p";
    issue.fingerprint = "i" + std::to_string(10 + i);
    issue.folded = i != 0 && i != 1 && i != 38;
    add("issues", "a", row_bytes(issue));
  }
  const auto issues = [this](bool without_folded, std::uint32_t limit) {
    wire::QueryT query = view_query(wire::View::issues);
    query.without_folded = without_folded;
    query.limit = limit;
    return answer_to(std::move(query), connected());
  };
  EXPECT_EQ(issues(false, 2), "a: i49 i48 more;");
  EXPECT_EQ(issues(true, 0), "a: i48 i11 i10;");
  EXPECT_EQ(issues(true, 5), "a: i48 i11 i10;");
  EXPECT_EQ(issues(true, 2), "a: i48 more;") << "it says that there may be more than what was read";
}

TEST_F(SiteRowsTest, SilentSiteIsUnreachableSinceItWasSeen) {
  add_job("a", job("k000000000001"));
  add_job("b", job("k000000000002"));
  Postgres database = connected();
  ASSERT_TRUE(
      database.run("UPDATE luzia.sites SET last_seen = now() - interval '3 minutes' WHERE site = 'b'"));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::CreateFleetQuestion(builder));
  std::map<std::string, std::pair<bool, TimeUs>> seen;
  const auto take = [&](const wire::FleetAnswerT& answer) -> Status {
    for (const auto& site : answer.sites) seen[site->name] = {site->unreachable, kNow - site->as_of_us};
    return {};
  };
  ASSERT_TRUE(answer_question(
      database, *flatbuffers::GetRoot<wire::FleetQuestion>(builder.GetBufferPointer()), kNow, take));
  EXPECT_FALSE(seen["a"].first);
  EXPECT_LT(seen["a"].second, 60 * kSecondUs);
  EXPECT_TRUE(seen["b"].first);
  EXPECT_GE(seen["b"].second, 180 * kSecondUs);
}

TEST_F(SiteRowsTest, OnlyReadersReadOtherSites) {
  add_job("a", job("k000000000001", "web"));
  add_job("b", job("k000000000002", "shop"));
  const auto may = [&](const std::string& role) {
    Postgres database = connected_as(role);
    const Status done = check_reader(database);
    return done ? "" : done.error().code;
  };
  EXPECT_EQ(may("luzia-a"), "not_a_reader");
  init({{.role = "luzia-a", .projects = {"shop"}}});
  EXPECT_EQ(may("luzia-a"), "");
  EXPECT_EQ(may("postgres"), "");
  init({{.role = "ana-" + name_, .projects = {"shop"}}});
  EXPECT_EQ(answer_to(view_query(wire::View::jobs), connected_as("ana-" + name_)), "a:;b: 0002;");
  Postgres machine = connected_as("luzia-a");
  ASSERT_TRUE(machine.run("UPDATE luzia.jobs SET position = 9"));
  EXPECT_EQ(value("SELECT position FROM luzia.jobs WHERE site = 'b'"), "1")
      << "who reads it does not write it";
}

TEST_F(SiteRowsTest, MachineWithTooMuchHoldsUpNoOther) {
  add_job("a", job("k000000000001"));
  add_job("b", job("k000000000002"));
  Postgres machine = connected_as("luzia-b");
  ASSERT_TRUE(machine.run("UPDATE luzia.jobs SET view_row = convert_to(repeat('x', 40000000), 'UTF8')"));
  EXPECT_EQ(jobs(), "a: 0001;b: too_much;");
  EXPECT_EQ(jobs({}, 10), "a: 0001;b: too_much;");
  ASSERT_TRUE(machine.run("UPDATE luzia.jobs SET view_row = ''"));
  ASSERT_TRUE(
      machine.run("INSERT INTO luzia.jobs (site, id, position, view_row) "
                  "SELECT 'b', 'k' || lpad(i::text, 12, '0'), 1, '' FROM generate_series(10, 300000) i"));
  EXPECT_EQ(jobs(), "a: 0001;b: too_much;");
}

TEST_F(SiteRowsTest, WhatTheTablesLackIsRefused) {
  add_job("a", job("k000000000001"));
  const auto refusal = [&](wire::View view, const std::function<void(wire::QueryT&)>& change) {
    wire::QueryT query = view_query(view);
    change(query);
    return answer_to(std::move(query), connected());
  };
  const auto same = [](auto&) {};
  EXPECT_EQ(refusal(wire::View::totals, same), "not_in_fleet");
  EXPECT_EQ(refusal(wire::View::events, same), "not_in_fleet");
  EXPECT_EQ(refusal(wire::View::jobs, [](auto& query) { query.at_position = 1; }), "not_in_fleet");
  EXPECT_EQ(refusal(wire::View::jobs, [](auto& query) { query.cursor = "x"; }), "not_in_fleet");
  EXPECT_EQ(refusal(wire::View::jobs, [](auto& query) { query.text = "words"; }), "not_in_fleet");
  EXPECT_EQ(refusal(wire::View::queue, same), "a:;") << "lists look at it beside their rows";
}

}  // namespace
}  // namespace luzia::test
