// A job that goes to another agent and back: what each of them hears of the other, which messages the first
// has missed, whose secrets count, and what a purge forgets.
#include <gtest/gtest.h>

#include "engine/job/job_rerouting.h"
#include "engine/job/told_state.h"
#include "tests/scenarios/world.h"

namespace luzia {
namespace {

class Takeover : public testing::Test {
 protected:
  Takeover() {
    QueueJob job = simple_job("a");
    job.spec.agent = "claude";
    job.spec.command = {"claude"};
    job.spec.resume_command = {"claude", "{session_id}"};
    job.spec.tags = {"night"};
    job.spec.secrets.push_back(secret("CLAUDE_KEY"));
    for (const char* name : {"codex", "gemini"}) {
      auto other = std::make_unique<schema::JobSpecT>(job.spec);
      other->fallbacks.clear();
      other->secrets.clear();
      other->agent = name;
      if (other->agent == "gemini") other->secrets.push_back(secret("GEMINI_KEY"));
      job.spec.fallbacks.push_back(std::move(other));
    }
    job.prompt = Blob{0, std::string(16, 's'), "do it"};
    EXPECT_TRUE(world_.order("a", std::move(job)));
  }
  static std::unique_ptr<schema::SecretSourceT> secret(const char* name) {
    auto source = std::make_unique<schema::SecretSourceT>();
    source->name = name;
    source->source = {"/keys/" + std::string(name)};
    return source;
  }
  const JobState& job() { return *world_.engine().find_live("a"); }
  void start() { ASSERT_TRUE(world_.order("a", ReportStarted{job().attempt, 100, 101, 7, 8})); }
  /// The agent says which session it has, and what a limit stopped it with.
  void reach_limit(const std::string& session, TimeUs resets) {
    RecordOutput output{job().attempt, 0, 0, {}, {}, {}};
    output.appended.emplace();
    output.appended->attempt = job().attempt;
    output.appended->to = 10;
    output.appended->checkpoint = std::make_unique<schema::CheckpointT>();
    output.appended->checkpoint->scanned_to = 10;
    schema::SessionIdentifiedT identified;
    identified.session_id = session;
    add<schema::ReportFactUnion>(output, std::move(identified));
    schema::LimitReachedT limit;
    limit.attempt = job().attempt;
    limit.limit = "five_hour";
    limit.resets_us = resets;
    add<schema::UsageFactUnion>(output, std::move(limit));
    ASSERT_TRUE(world_.order("a", std::move(output)));
    end(1);
  }
  template <class Union, class Fact>
  static void add(RecordOutput& output, Fact fact) {
    Union domain;
    domain.Set(std::move(fact));
    RecordOutput::Finding finding;
    finding.fact = std::move(domain);
    finding.evidence.kind = schema::EvidenceKind::inferred;
    output.findings.push_back(std::move(finding));
  }
  void end(int code) {
    RecordExit exit;
    exit.end.attempt = job().attempt;
    exit.end.exit_code = code;
    ASSERT_TRUE(world_.order("a", std::move(exit)));
  }
  void tell(const std::string& id) {
    TellJob tell;
    tell.id = id;
    tell.text = {0, std::string(16, 's'), "mind the gap"};
    ASSERT_TRUE(world_.order("a", std::move(tell)));
  }
  void read(const std::string& id) {
    ReadTold read;
    read.attempt = job().attempt;
    read.messages = {id};
    ASSERT_TRUE(world_.order("a", std::move(read)));
  }
  void let_go_on(const std::string& agent) {
    ASSERT_TRUE(world_.submit({}, ToQueue{"", false, "bought more", agent}));
  }
  bool is_news(const std::string& id) {
    for (const auto& told : job().told) {
      if (told->id == id) return is_news_for(job(), *told);
    }
    return false;
  }

  World world_;
};

TEST_F(Takeover, FirstAgentHearsInItsSessionWhatTheOtherWasTold) {
  start();
  tell("m1");
  read("m1");
  reach_limit("s-1", kHourUs);
  ASSERT_EQ(job().spec->agent, "codex");
  start();
  tell("m2");
  read("m2");
  let_go_on("claude");
  reach_limit("s-2", kHourUs);
  ASSERT_EQ(job().spec->agent, "claude");
  ASSERT_EQ(job().session_id, "s-1");
  EXPECT_FALSE(is_news("m1")) << "its session has heard that";
  EXPECT_TRUE(is_news("m2"));
  end(1);  // before its start is known, and that is no start error
  ASSERT_TRUE(world_.order("a", RetryJob{}));
  EXPECT_FALSE(is_news("m2")) << "once is enough";
}

TEST_F(Takeover, WhatTheOtherReadStaysForTheFirstAlsoIfTheOtherCompletes) {
  start();
  reach_limit("s-1", kHourUs);
  start();
  tell("m1");
  read("m1");
  end(0);
  ASSERT_TRUE(is_terminal(job().state));
  let_go_on("claude");
  ASSERT_TRUE(world_.order("a", RetryJob{}));
  ASSERT_EQ(job().spec->agent, "claude");
  EXPECT_TRUE(is_news("m1"));
  world_.restart();
  EXPECT_TRUE(is_news("m1"));
  start();
  EXPECT_FALSE(is_news("m1"));
}

TEST_F(Takeover, OnlyAnAgentThatWorkedHandsOver) {
  start();
  reach_limit("s-1", kHourUs);
  EXPECT_EQ(job().handed_over_by, "claude");
  EXPECT_FALSE(job().worked) << "so its first prompt says it";
  start();
  EXPECT_TRUE(job().worked) << "and no further one in that session";
  world_.capacity.max_running = 0;
  reach_limit("s-2", kHourUs);
  ASSERT_EQ(job().spec->agent, "gemini");
  EXPECT_EQ(job().handed_over_by, "codex");
  let_go_on("codex");
  ASSERT_EQ(job().spec->agent, "codex");
  EXPECT_EQ(job().handed_over_by, "codex") << "gemini never worked; codex did, in another session";
  let_go_on("claude");
  ASSERT_EQ(job().spec->agent, "claude");
  EXPECT_EQ(job().handed_over_by, "codex");
}

TEST_F(Takeover, NobodyHandsOverToTheSessionThatWorkedLast) {
  start();
  world_.capacity.max_running = 0;
  reach_limit("s-1", kHourUs);
  ASSERT_EQ(job().spec->agent, "codex");
  let_go_on("claude");
  ASSERT_EQ(job().spec->agent, "claude");
  EXPECT_EQ(job().handed_over_by, "");
}

TEST_F(Takeover, SecretsOfThoseThatRanCountAndNoOthers) {
  const auto names = [this] {
    std::vector<std::string> found;
    for (const auto& each : spec_with_all_secrets(job()).secrets) found.push_back(each->name);
    return found;
  };
  EXPECT_EQ(names(), std::vector<std::string>{"CLAUDE_KEY"});
  start();
  reach_limit("s-1", kHourUs);
  ASSERT_EQ(job().spec->agent, "codex");
  EXPECT_TRUE(job().spec->secrets.empty());
  EXPECT_TRUE(has_secrets(job())) << "codex may print what claude left";
  EXPECT_EQ(names(), std::vector<std::string>{"CLAUDE_KEY"});
  start();
  reach_limit("s-2", kHourUs);
  ASSERT_EQ(job().spec->agent, "gemini");
  EXPECT_EQ(names(), (std::vector<std::string>{"GEMINI_KEY", "CLAUDE_KEY"}));
}

TEST_F(Takeover, RowWithoutSecretsTellsSoPacked) {
  const auto may_have = [](const JobState& state) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(view::LiveJob::Pack(builder, &state));
    return may_have_secrets(*flatbuffers::GetRoot<view::LiveJob>(builder.GetBufferPointer()));
  };
  JobState plain;
  EXPECT_FALSE(may_have(plain));
  plain.spec = std::make_unique<schema::JobSpecT>();
  EXPECT_FALSE(may_have(plain));
  EXPECT_TRUE(may_have(job()));
  start();
  reach_limit("s-1", kHourUs);
  ASSERT_TRUE(job().spec->secrets.empty());
  EXPECT_TRUE(may_have(job())) << "those of the agent that ran before";
}

TEST_F(Takeover, PurgeForgetsTheWordsOfAllItsAgents) {
  start();
  reach_limit("s-1", kHourUs);
  start();
  end(0);
  RemoveJob remove;
  remove.purge = true;
  remove.seen_version = job().version;
  ASSERT_TRUE(world_.order("a", std::move(remove)));
  const schema::JobSpecT& own = dispatched_spec(job());
  EXPECT_TRUE(own.tags.empty());
  EXPECT_TRUE(job().spec->tags.empty());
  ASSERT_EQ(own.fallbacks.size(), 2U);
  for (const auto& other : own.fallbacks) EXPECT_TRUE(other->tags.empty());
  EXPECT_EQ(job().handover, "");
}

}  // namespace
}  // namespace luzia
