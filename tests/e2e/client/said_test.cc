// Whether the messages of the command line help.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class SaidTest : public DaemonTest {
 protected:
  /// Runs the script in place of luziad.
  Finished with_daemon(const std::string& script_text) const {
    script("luziad", script_text);
    return luzia({"daemon", "start"}, {}, {"LUZIA_DAEMON=" + project() + "/luziad", "LUZIA_JOB_ID="});
  }
};

TEST_F(SaidTest, ExitingDaemonAlwaysReportsItsReason) {
  const Finished unwritable = with_daemon(
      "#!/bin/sh\necho 'luziad: writing the log: No space left on device'\necho '  hint: free space'\nexit "
      "5\n");
  EXPECT_EQ(unwritable.code, 5);
  EXPECT_THAT(unwritable.err, AllOf(HasSubstr("ended with code 5: luziad: writing the log: No space left"),
                                    HasSubstr("hint: free space"), Not(HasSubstr("said nothing"))));
  const Finished logged = with_daemon(
      "#!/bin/sh\necho '2026-11-24T10:00:00.000000+0000 error the watermark cannot be written' >> "
      "\"$2/luziad.log\"\n"
      "exit 5\n");
  EXPECT_THAT(logged.err, HasSubstr("ended with code 5: the watermark cannot be written"));
  EXPECT_THAT(with_daemon("#!/bin/sh\nexit 5\n").err, HasSubstr("said nothing"));
}

TEST_F(SaidTest, DaemonWithoutStandardErrorUsesStandardOutput) {
  write_text(path("no-store"), "");
  const Finished refused = run_to_end(
      {"/bin/sh", "-c", "exec " + kLuziad + " --store " + path("no-store") + " 2>/dev/full"}, environment());
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.out, StartsWith("luziad: "));
}

TEST_F(SaidTest, WordsAfterTwoDashesAreNoOptions) {
  start_daemon();
  for (const Words& words : std::vector<Words>{{"job", "--", "nope"}, {"job", "--", "--json"}}) {
    EXPECT_THAT(luzia(words).err, StartsWith("luzia: ")) << testing::PrintToString(words);
  }
  EXPECT_THAT(luzia({"job", "--json", "--", "nope"}).err, StartsWith("{"));
  EXPECT_THAT(query({"job", "--", "--json"}).err, StartsWith("luzia-query: "));
  EXPECT_THAT(query({"job", "--", "--help"}).err, StartsWith("luzia-query: "));
}

TEST_F(SaidTest, EachNamedJobIsHandledOrReported) {
  start_daemon();
  const std::string over = dispatch("true"), first = dispatch("sleep 1000"), second = dispatch("sleep 1000");
  ended(over);
  ASSERT_TRUE(becomes(first, "running"));
  ASSERT_TRUE(becomes(second, "running"));
  const Finished some =
      luzia({"cancel", first, over, second, "0000000000000", "--grace", "0", "--command-id", "c"});
  EXPECT_EQ(some.code, 4);
  EXPECT_EQ(error_lines(some.err), 2u) << some.err;
  EXPECT_THAT(some.err, AllOf(HasSubstr("cancelling " + first + " " + second), HasSubstr(over),
                              HasSubstr("0000000000000")));
  EXPECT_EQ(ended(first)["state"], "killed");
  EXPECT_EQ(ended(second)["state"], "killed");
  const Finished retried = luzia({"retry", first, second, "--command-id", "r", "--json"});
  EXPECT_EQ(retried.code, 0) << retried.err;
  ASSERT_TRUE(becomes(first, "running"));
  const Json again = Json::parse(luzia({"retry", second, first, "--command-id", "r", "--json"}).out);
  EXPECT_EQ(again["repeated"], true) << again;
  EXPECT_EQ(job(first)["attempts"], 2) << "repeating it has no further effect";
  EXPECT_EQ(luzia({"hold", "0000000000000", "0000000000001"}).code, 3);
}

TEST_F(SaidTest, DryRunReportsAMissingAgentProgram) {
  configure(
      "[agents.gone]\ncommand = [\"no-such-agent\", \"{task}\"]\n"
      "[agents.named]\ncommand = [\"env\", \"{task}\"]\n"
      "[agents.own]\ncommand = [\"./agent.sh\", \"{task}\"]\n");
  start_daemon();
  const Finished missing = luzia({"demo", "x", "--agent", "gone", "--dry-run"});
  EXPECT_EQ(missing.code, 4);
  EXPECT_THAT(missing.err, HasSubstr("there is no program 'no-such-agent'"));
  EXPECT_THAT(missing.out, HasSubstr("no-such-agent")) << "the command is shown nevertheless";
  const Finished json = luzia({"demo", "x", "--agent", "gone", "--dry-run", "--json"});
  EXPECT_EQ(Json::parse(json.out)["jobs"][0]["problems"].size(), 1u);
  EXPECT_EQ(luzia({"demo", "x", "--agent", "own", "--dry-run"}).code, 4);
  write_text(project() + "/agent.sh", "#!/bin/sh\n");
  EXPECT_EQ(luzia({"demo", "x", "--agent", "own", "--dry-run"}).code, 4) << "it is not executable";
  script("agent.sh", "#!/bin/sh\n");
  EXPECT_EQ(luzia({"demo", "x", "--agent", "own", "--dry-run"}).code, 0);
  EXPECT_EQ(luzia({"demo", "x", "--agent", "named", "--dry-run", "--env", "PATH=/nowhere"}).code, 4)
      << "PATH is the job's";
  EXPECT_EQ(luzia({"demo", "x", "--agent", "named", "--dry-run"}).code, 0);
}

TEST_F(SaidTest, MissingAgentIsRefusedWithInstalledOnes) {
  configure(
      "[agents.gone]\ncommand = [\"no-such-agent\", \"{task}\"]\n"
      "[agents.there]\ncommand = [\"env\", \"{task}\"]\n");
  start_daemon();
  const Finished refused = luzia({"demo", "x", "--agent", "gone"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("agent 'gone' is not installed"), HasSubstr("'no-such-agent'"),
                                 HasSubstr("shell, there")));
  EXPECT_EQ(luzia({"demo", "x", "--agent", "there", "--env", "PATH=/nowhere"}).code, 4)
      << "PATH is the job's";
  EXPECT_EQ(luzia({"demo", "x", "--agent", "there"}).code, 0);
  EXPECT_THAT(luzia({"status", "--json"}).out, Not(HasSubstr("no-such-agent"))) << "nothing was queued";
}

TEST_F(SaidTest, InvalidVariableNameIsRefusedWithItsPlace) {
  start_daemon();
  for (const char* entry : {"A B=1", "A-B=1", "1A=1", " =1"}) {
    const Finished refused = luzia({"demo", "true", "--env", entry});
    EXPECT_EQ(refused.code, 2) << entry;
    EXPECT_THAT(refused.err, HasSubstr("is not a valid variable name")) << entry;
  }
  EXPECT_EQ(luzia({"demo", "true", "--env", "_a1=x y=z"}).code, 0);
  configure("[agents.odd]\ncommand = [\"env\"]\nenv = { \"A B\" = \"1\" }\n");
  EXPECT_THAT(luzia({"config", "check"}).err, HasSubstr("'A B' cannot be a variable"));
}

TEST_F(SaidTest, LastLinesOfAHugeLineComeAtOnce) {
  const std::string id = dispatch("head -c 80000000 /dev/zero | tr '\\0' x; echo END; echo two");
  ended(id);
  const Finished last = luzia({"logs", id, "-n", "2"});
  EXPECT_EQ(last.code, 0);
  EXPECT_THAT(last.out, StartsWith("(... more than "));
  EXPECT_TRUE(last.out.ends_with("xEND\ntwo\n"));
  EXPECT_LT(last.out.size(), 2u << 20);
  EXPECT_EQ(luzia({"logs", id, "-n", "1"}).out, "two\n");
}

TEST_F(SaidTest, PeopleUseLocalTimes) {
  const Words here = {"TZ=XST-5:30"};
  const Finished sent = luzia({"demo", "true", "-q", "--not-before", "2099-01-01 12:00"}, {}, here);
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = sent.out.substr(0, sent.out.find('\n'));
  EXPECT_EQ(job(id)["not_before"], "2099-01-01T06:30:00.000000Z") << "programs read UTC";
  EXPECT_THAT(luzia({"why", id}, {}, here).err + luzia({"why", id}, {}, here).out,
              HasSubstr("until 2099-01-01 12:00 XST"));
  EXPECT_THAT(luzia({"job", id}, {}, here).out, HasSubstr("+05:30"));
  EXPECT_THAT(luzia({"jobs", "--timing"}, {}, here).out, HasSubstr("+05:30"));
  EXPECT_THAT(luzia({"pause", "--all"}, {}, here).err, HasSubstr("paused"));
  EXPECT_THAT(luzia({"status"}, {}, here).out, HasSubstr("+05:30"));
  const Words utc = {"TZ=UTC0"};
  EXPECT_THAT(luzia({"jobs", "--timing"}, {}, utc).out, Not(HasSubstr("+05:30")));
  EXPECT_EQ(Json::parse(luzia({"job", id, "--json"}, {}, here).out)["queued_at"], job(id)["queued_at"]);
}

}  // namespace
}  // namespace luzia
