#include "adapters/config/gate_policy.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/adapters/config/parsed_config.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

using ::testing::MatchesRegex;
using Word = GatePolicy::Word;

std::map<std::string, GatePolicy> gates_of(const std::string& lines) {
  const auto config = parse_config("[projects.web.gates]\n" + lines, "luzia.toml");
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config ? config->projects.at("web").gates : std::map<std::string, GatePolicy>();
}

GateRequest bash(const std::string& command) {
  return {"Bash", "Bash", nlohmann::json{{"command", command}, {"description", "x"}}.dump()};
}

GateRequest edit(const std::string& file) {
  return {"Edit", "Edit", nlohmann::json{{"file_path", file}, {"old_string", "a"}}.dump()};
}

constexpr const char* kRules =
    "\"Bash(git push*)\" = \"always\"\n\"Bash(git push --force*)\" = \"never\"\n\"Bash(make*)\" = "
    "\"always\"\n"
    "\"Bash(rm *)\" = \"never\"\n\"Bash(echo*)\" = \"auto-after 10m\"\nBash = \"ask\"\n"
    "\"Edit(/srv/web/*)\" = \"always\"\ndeploy = \"ask\"\n\"deploy_*\" = \"always\"\n\"*\" = \"never\"\n";

Word word(const GateRequest& request, const std::string& rules = kRules) {
  return judge_gate(gates_of(rules), request).policy.word;
}

TEST(GatePolicy, WithoutRulesAPersonIsAsked) {
  EXPECT_EQ(word({"deploy"}, ""), Word::ask);
  EXPECT_EQ(judge_gate({}, bash("rm -rf /")).key, "");
}

TEST(GatePolicy, ExactNameThenLongestPatternThenStarDecides) {
  EXPECT_EQ(word({"deploy"}), Word::ask);
  EXPECT_EQ(word({"deploy_staging"}), Word::always);
  EXPECT_EQ(word({"database"}), Word::never);
  EXPECT_EQ(word(bash("git push origin main")), Word::always);
  EXPECT_EQ(word(bash("git push --force origin")), Word::never);
  EXPECT_EQ(word(bash("ls")), Word::ask);
  EXPECT_EQ(word(edit("/srv/web/a.cc")), Word::always);
  EXPECT_EQ(word(edit("/etc/passwd")), Word::never);
  const GateRuling ruling = judge_gate(gates_of(kRules), bash("echo hello"));
  EXPECT_EQ(ruling.key, "Bash(echo*)");
  EXPECT_EQ(ruling.policy.auto_after_ms, 600'000u);
}

TEST(GatePolicy, EquallyLongPatternsUseTheStricter) {
  EXPECT_EQ(word({"deploy"}, "\"deplo*\" = \"always\"\n\"*eploy\" = \"never\"\n"), Word::never);
  EXPECT_EQ(word({"deploy"}, "\"deplo*\" = \"ask\"\n\"*eploy\" = \"always\"\n"), Word::ask);
}

TEST(GatePolicy, EveryPartOfACommandMustBeAllowed) {
  EXPECT_EQ(word(bash("make && git push")), Word::always);
  EXPECT_EQ(word(bash("make 2>&1")), Word::always);
  EXPECT_EQ(word(bash("make && curl x")), Word::ask);
  EXPECT_EQ(word(bash("make; rm -rf /")), Word::never);
  EXPECT_EQ(word(bash("make\nrm -rf /")), Word::never);
  EXPECT_EQ(word(bash("make | rm  -rf /")), Word::never);
  EXPECT_EQ(word(bash("make $(rm -rf /)")), Word::never);
  EXPECT_EQ(word(bash("make `rm -rf /`")), Word::never);
  EXPECT_EQ(word(bash("make & sudo A=1 rm -rf /")), Word::never);
  EXPECT_EQ(word(bash("/usr/bin/env A=1 /usr/bin/sudo rm -rf /")), Word::never);
  EXPECT_EQ(word(bash("if true; then rm x; fi")), Word::never);
}

TEST(GatePolicy, CommandBehindAnotherIsHeldBack) {
  const char* rules = "\"Bash(rm *)\" = \"never\"\nBash = \"always\"\n";
  for (const char* line : {"sudo -n rm x",
                           "sudo -nu root rm x",
                           "sudo -u root -- rm x",
                           "sudo --user root rm x",
                           "sudo -uroot A=1 rm x",
                           "doas -u root rm x",
                           "env -i -u HOME A=1 rm x",
                           "env -S 'rm x'",
                           "env --split-string='sudo -n rm x'",
                           "nice -n 10 rm x",
                           "nice -10 rm x",
                           "timeout 5 rm x",
                           "timeout -s KILL --kill-after 3 5 /bin/rm x",
                           "timeout --foreground 5 sudo -n nice rm x",
                           "stdbuf -oL -e 0 rm x",
                           "flock /tmp/lock rm x",
                           "flock /tmp/lock -c 'rm x'",
                           "su root -c 'rm x'",
                           "bash -lc 'rm x'",
                           "ls | xargs -n 1 rm x",
                           "exec -a name rm x",
                           "command -p rm x",
                           "function f { rm x; }",
                           "/bin/rm x",
                           "'rm' x",
                           "\\rm x",
                           "A='b c' rm x",
                           "A='b;c' rm x",
                           "</dev/null rm x",
                           "> out rm x",
                           "eval \"rm x\"",
                           "$'rm' x",
                           "$\"rm\" x",
                           "sh -c $'rm x'",
                           "rm>out x",
                           "a[0]=1 rm x",
                           "trap 'rm x' EXIT",
                           "coproc NAME { rm x; }",
                           "script -qec 'rm x' /dev/null",
                           "strace -f -o out rm x",
                           "systemd-run --user rm x",
                           "setarch linux64 rm x",
                           "nsenter -t 1 -m rm x",
                           "parallel rm ::: x"}) {
    EXPECT_EQ(word(bash(line), rules), Word::never) << line;
  }
  for (const char* line :
       {"sudo -n git rm x", "timeout -s KILL 5 git rm x", "nice -n 10 git rm x", "stdbuf -oL git rm x",
        "env A=1 git rm x", "echo rm x", "echo 'rm x'", "su root -c 'git rm x'", "git rm x"}) {
    EXPECT_EQ(word(bash(line), rules), Word::always) << line;
  }
}

TEST(GatePolicy, CommandBehindAnotherAllowsNothing) {
  const char* rules = "\"Bash(ls*)\" = \"always\"\n\"Bash(timeout 5 *)\" = \"always\"\n";
  for (const char* line : {"sudo -n ls", "nice -n 10 ls", "env -i ls", "timeout 6 ls", "/bin/ls", "'ls' x"}) {
    EXPECT_EQ(word(bash(line), rules), Word::ask) << line;
  }
  EXPECT_EQ(word(bash("timeout 5 make"), rules), Word::always) << "the whole line is allowed";
  const char* all = "\"Bash(*)\" = \"ask\"\n\"Bash(timeout 5 *)\" = \"always\"\n";
  EXPECT_EQ(word(bash("timeout 5 make"), all), Word::always) << "a longer pattern decides, as before";
}

TEST(GatePolicy, CommandMadeToTakeLongIsAskedAbout) {
  const char* rules = "\"Bash(rm *)\" = \"never\"\nBash = \"always\"\n";
  std::string wrappers, options;
  for (int i = 0; i < 30; ++i) wrappers += "env -q ";
  for (int i = 0; i < 20'000; ++i) options += "-q ";
  EXPECT_EQ(word(bash(wrappers + options + "ls"), rules), Word::ask);
  EXPECT_EQ(word(bash("env -q'" + wrappers + options + "'"), rules), Word::ask);
  EXPECT_EQ(word(bash("env -" + std::string(60'000, 'q') + " ls"), rules), Word::ask);
  EXPECT_EQ(word(bash("sudo -n echo " + options), rules), Word::always) << "long, but plain";
}

TEST(GatePolicy, TooManyCommandsBehindAnotherAreAskedAbout) {
  std::string line;
  for (int i = 0; i < 200; ++i) line += "nice ";
  const char* rules = "\"Bash(rm *)\" = \"never\"\nBash = \"always\"\n";
  EXPECT_EQ(word(bash(line + "make"), rules), Word::ask);
  EXPECT_EQ(word(bash(line + "make"), "Bash = \"always\"\n"), Word::always);
}

TEST(GatePolicy, CommandPatternDoesNotAllowFileRedirection) {
  EXPECT_EQ(word(bash("make > /etc/passwd")), Word::ask);
  EXPECT_EQ(word(bash("make > /dev/null 2>&1")), Word::always);
  EXPECT_EQ(word(bash("make > out"), "\"Bash(make > out)\" = \"always\"\n"), Word::always);
  for (const char* line :
       {"make >& /tmp/f", "make >&/tmp/f", "make &> /tmp/f", "make >/dev/nullx", "make >&1x", "make >&$F",
        "make >|f", "make 2>&1>f", "make >>f", "make >/dev/null/../f"}) {
    EXPECT_EQ(word(bash(line)), Word::ask) << line;
  }
  for (const char* line : {"make >&2", "make 2>&-", "make &>/dev/null", "make >>/dev/null 2>&1; make >&2"}) {
    EXPECT_EQ(word(bash(line)), Word::always) << line;
  }
}

GateRequest call(const std::string& tool, const nlohmann::json& input) {
  return {tool, tool, input.dump()};
}

TEST(GatePolicy, PathWithDotDotMatchesNoAllowPattern) {
  const char* rules =
      "\"Write(/a/b/*)\" = \"always\"\n\"Write(/etc/*)\" = \"never\"\n\"Write(/a/b/c/*)\" = \"never\"\n";
  EXPECT_EQ(word(call("Write", {{"file_path", "/a/b/x"}}), rules), Word::always);
  EXPECT_EQ(word(call("Write", {{"file_path", "/a/b/..x"}}), rules), Word::always);
  EXPECT_EQ(word(call("Write", {{"file_path", "/a/b/../../srv/x"}}), rules), Word::ask);
  EXPECT_EQ(word(call("Write", {{"file_path", "/a/b/.."}}), rules), Word::ask);
  EXPECT_EQ(word(call("Write", {{"file_path", "/a/b/../../etc/passwd"}}), rules), Word::never);
  EXPECT_EQ(word(call("Write", {{"file_path", "/a/b//./c/x"}}), rules), Word::never);
  EXPECT_EQ(word(call("Write", {{"file_path", "/x/../y"}}), "Write = \"always\"\n"), Word::always);
}

GateRequest from(GateRequest request, const std::string& cwd = "/home/ada/web") {
  request.place = {cwd, "/home/ada", "/home/ada/web"};
  return request;
}

TEST(GatePolicy, RelativePathIsResolvedFromTheAgentsFolder) {
  const char* rules =
      "\"Read(/home/ada/.ssh/*)\" = \"never\"\n\"Grep(/home/ada/.ssh/*)\" = \"never\"\n"
      "\"Glob(/home/ada/.ssh/*)\" = \"never\"\n\"Write(src/*)\" = \"always\"\n"
      "\"Edit(/home/ada/web/*)\" = \"always\"\nWrite = \"ask\"\n\"*\" = \"always\"\n";
  const auto of = [&](const char* tool, const char* key, const char* path,
                      const char* cwd = "/home/ada/web") {
    return word(from(call(tool, {{key, path}}), cwd), rules);
  };
  for (const char* path :
       {"../.ssh/id_rsa", "~/.ssh/id_rsa", "src/../../.ssh/x", "./.././.ssh/x", "//home/ada/.ssh/x"}) {
    EXPECT_EQ(of("Read", "file_path", path), Word::never) << path;
    EXPECT_EQ(of("Grep", "path", path), Word::never) << path;
  }
  EXPECT_EQ(of("Read", "file_path", "id_rsa", "/home/ada/.ssh"), Word::never);
  EXPECT_EQ(of("Grep", "path", "/home/ada/.ssh"), Word::never) << "the search reads what is below the folder";
  EXPECT_EQ(of("Glob", "pattern", "../.ssh/*"), Word::never);
  EXPECT_EQ(word(from(call("Glob", {{"path", "~"}, {"pattern", ".ssh/*"}})), rules), Word::never);
  EXPECT_EQ(of("Read", "file_path", "src/a.cc"), Word::always);
  EXPECT_EQ(of("Write", "file_path", "src/a.cc"), Word::always);
  EXPECT_EQ(of("Write", "file_path", "/home/ada/web/src/a.cc"), Word::always) << "the same file";
  EXPECT_EQ(of("Write", "file_path", "src/../../x"), Word::ask);
  EXPECT_EQ(of("Write", "file_path", "src/../x"), Word::ask);
  EXPECT_EQ(of("Write", "file_path", "src/a.cc", "/home/ada/other"), Word::ask) << "not the job's folder";
  EXPECT_EQ(of("Write", "file_path", "a.cc", "/home/ada/web/src"), Word::always);
  EXPECT_EQ(of("Edit", "file_path", "src/a.cc"), Word::always);
  EXPECT_EQ(of("Edit", "file_path", "../x"), Word::always) << "by \"*\": no key over its input refuses";
}

TEST(GatePolicy, SearchObeysRulesAboutPathsInsideItsFolder) {
  const char* rules =
      "\"Grep(secret/*)\" = \"never\"\n\"Glob(secret/*)\" = \"never\"\n\"LS(secret/*)\" = \"never\"\n"
      "\"Grep(doc/plans/*)\" = \"ask\"\n\"Grep(x)\" = \"always\"\n"
      "Grep = \"always\"\n\"*\" = \"always\"\n";
  const struct {
    const char *tool, *input, *cwd;
    Word word;
  } rows[] = {
      {"Grep", R"({"pattern":"x"})", "/home/ada/web", Word::never},
      {"Grep", R"({"pattern":"x"})", "/home/ada", Word::never},
      {"Grep", R"({"pattern":"x"})", "/home/ada/web/secret", Word::never},
      {"Grep", R"({"pattern":"x"})", "/home/ada/web/secret/a", Word::never},
      {"Grep", R"({"pattern":"x","glob":"secret/**"})", "/home/ada/web", Word::never},
      {"Grep", R"({"pattern":"x","path":"/home/ada/web"})", "/home/ada/web", Word::never},
      {"Grep", R"({"pattern":"x","path":"."})", "/home/ada/web", Word::never},
      {"Grep", R"({"pattern":"x","path":"/"})", "/home/ada/web/src", Word::never},
      {"Grep", R"({"pattern":"x","path":"///"})", "/home/ada/web/src", Word::never},
      {"Grep", R"({"pattern":"x","path":"src/.."})", "/home/ada/web", Word::never},
      {"Grep", R"({"pattern":"x","path":"secret"})", "/home/ada/web", Word::never},
      {"Grep", R"({"pattern":"x","path":"doc"})", "/home/ada/web", Word::ask},
      {"Grep", R"({"pattern":"x"})", "/home/ada/web/doc", Word::ask},
      {"Grep", R"({"pattern":"x"})", "here", Word::ask},
      {"Grep", R"({"pattern":"x"})", "/home/ada/web/src", Word::always},
      {"Grep", R"({"pattern":"x","path":"secrets"})", "/home/ada/web", Word::always},
      {"Grep", R"({"pattern":"x","path":"../other"})", "/home/ada/web", Word::always},
      {"Glob", R"({"pattern":"**/*"})", "/home/ada/web", Word::never},
      {"Glob", R"({"pattern":"{src,secret}/*"})", "/home/ada/web", Word::never},
      {"Glob", R"({"pattern":"*","path":"/home/ada"})", "/home/ada/web/src", Word::never},
      {"Glob", R"({"pattern":"src/**/*.cc"})", "/home/ada/web", Word::always},
      {"LS", "{}", "/home/ada/web", Word::never},
      {"LS", R"({"path":"/home/ada/web"})", "/home/ada/web", Word::never},
      {"LS", R"({"path":"src"})", "/home/ada/web", Word::always},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(word(from({row.tool, row.tool, row.input}, row.cwd), rules), row.word)
        << row.tool << row.input << row.cwd;
  }
  const auto gates = gates_of(rules);
  const auto rule = [&](const std::string& cwd) {
    const GateRequest request = from(call("Grep", {{"pattern", "x"}}), cwd);
    return rule_under(judge_gate(gates, request), request);
  };
  EXPECT_THAT(rule("/home/ada/web/doc"), MatchesRegex("Grep\\(([^#*]* )?#[0-9a-f]{32}\\)"));
  EXPECT_NE(rule("/home/ada/web/doc"), rule("/home/ada/web/doc/plans"))
      << "the same call in another folder differs";
}

TEST(GatePolicy, AllowRulesDoNotCoverUnnamedOrParentFolders) {
  const char* rules =
      "\"Grep(/home/ada/web/src/*)\" = \"always\"\n\"LS(*)\" = \"ask\"\n"
      "\"LS(/home/ada/web*)\" = \"always\"\n\"Grep(main*)\" = \"always\"\n";
  EXPECT_EQ(word(from(call("Grep", {{"pattern", "x"}}), "/home/ada/web/src"), rules), Word::ask);
  EXPECT_EQ(word(from(call("Grep", {{"pattern", "main"}}), "/home/ada/web/src"), rules), Word::always);
  EXPECT_EQ(word(from(call("LS", nlohmann::json::object())), rules), Word::ask);
  EXPECT_EQ(word(from(call("LS", {{"path", "/home/ada/web"}})), rules), Word::always)
      << "\"LS(*)\" fits the folder itself, and a longer key does";
}

TEST(GatePolicy, UnresolvablePathMatchesNoAllowRule) {
  const char* rules =
      "\"Read(/home/ada/.ssh/*)\" = \"never\"\n\"Write(src/*)\" = \"always\"\n\"Edit(*)\" = \"auto-after "
      "1m\"\n"
      "Glob = \"always\"\n\"*\" = \"ask\"\nRead = \"always\"\n";
  for (const char* path : {"src/a", "~root/a", "~/a", "../a", ""}) {
    EXPECT_EQ(word(call("Write", {{"file_path", path}}), rules), Word::ask) << path;
    EXPECT_EQ(word(call("Edit", {{"file_path", path}}), rules), Word::ask) << path;
    EXPECT_EQ(word(call("Read", {{"file_path", path}}), rules), Word::ask)
        << path << ": it could be that of ssh";
    EXPECT_EQ(word(call("Glob", {{"pattern", path}}), rules), Word::always)
        << path << ": the rule allows all of Glob";
  }
  EXPECT_EQ(word(from(call("Write", {{"file_path", "~root/a"}})), rules), Word::ask);
  EXPECT_EQ(word(from(call("Write", {{"file_path", 7}})), rules), Word::ask);
  EXPECT_EQ(word(from(call("Write", {{"file_path", "src/a"}}), "here"), rules), Word::ask);
  EXPECT_EQ(word(call("Read", {{"file_path", "/srv/a"}}), rules), Word::always);
  const auto rule = [&](const GateRequest& request) {
    return rule_under(judge_gate(gates_of(rules), request), request);
  };
  EXPECT_EQ(rule(call("Read", {{"file_path", "x"}})), "") << "no rule can be remembered for it";
  const GateRuling asks{{Word::ask, 0}, "Read(/home/ada/web/*)"};
  const std::string a = rule_under(asks, from(call("Read", {{"file_path", "a"}})));
  EXPECT_EQ(a, rule_under(asks, from(call("Read", {{"file_path", "/home/ada/web/a"}}))));
  EXPECT_NE(a, rule_under(asks, from(call("Read", {{"file_path", "a"}}), "/home/ada/web/b")));
}

TEST(GatePolicy, EachToolsPathComesFromItsOwnField) {
  const char* rules =
      "\"Write(/ok/*)\" = \"always\"\n\"Bash(ls*)\" = \"always\"\n\"mcp__db(/ok/*)\" = \"always\"\n"
      "\"mcp__db(/etc/*)\" = \"never\"\n\"mcp__all\" = \"always\"\n";
  EXPECT_EQ(word(call("Write", {{"command", "/ok/a"}, {"file_path", "/etc/passwd"}}), rules), Word::ask);
  EXPECT_EQ(word(call("Write", {{"command", "/no/a"}, {"file_path", "/ok/a"}}), rules), Word::always);
  EXPECT_EQ(word(call("Write", {{"path", "/ok/a"}, {"file_path", "/srv/b"}}), rules), Word::ask);
  EXPECT_EQ(word(call("Write", {{"path", 7}, {"file_path", "/ok/a"}}), rules), Word::ask);
  EXPECT_EQ(word(call("Bash", {{"file_path", "ls"}, {"command", "rm x"}}), rules), Word::ask);
  EXPECT_EQ(word(call("mcp__db", {{"path", "/ok/a"}}), rules), Word::always);
  EXPECT_EQ(word(call("mcp__db", {{"query", "/ok/a"}, {"path", "/ok/b"}}), rules), Word::ask);
  EXPECT_EQ(word(call("mcp__db", {{"query", "/ok/a"}, {"path", "/etc/b"}}), rules), Word::never);
  EXPECT_EQ(word(call("mcp__all", {{"query", "a"}, {"path", "b"}}), rules), Word::always);
}

TEST(GatePolicy, AmongWaitingPartsTheLongestTimeThenKeyDecides) {
  const auto gates = gates_of(
      "\"Bash(a*)\" = \"auto-after 1m\"\n\"Bash(b*)\" = \"auto-after 9m\"\n\"Bash(c*)\" = \"ask\"\n"
      "\"Bash(d long*)\" = \"ask\"\n\"*\" = \"ask\"\n");
  EXPECT_EQ(judge_gate(gates, bash("a; b")).key, "Bash(b*)");
  EXPECT_EQ(judge_gate(gates, bash("b; a")).key, "Bash(b*)");
  EXPECT_EQ(judge_gate(gates, bash("c; d long")).key, "Bash(d long*)");
  EXPECT_EQ(judge_gate(gates, bash("(d long)")).key, "Bash(d long*)");
}

TEST(GatePolicy, ToolNameAloneDoesNotOverrideItsPatterns) {
  EXPECT_EQ(word(bash("rm x"), "Bash = \"always\"\n\"Bash(rm *)\" = \"never\"\n"), Word::never);
}

TEST(GatePolicy, InvalidJsonInputMatchesOnlyTheToolName) {
  EXPECT_EQ(word({"Bash", "Bash", "rm -rf /"}, "\"Bash(rm *)\" = \"always\"\n"), Word::ask);
  EXPECT_EQ(word({"Bash", "Bash", "[1"}, "Bash = \"always\"\n"), Word::always);
  EXPECT_EQ(word({"Bash", "Bash", std::string(60'000, '[')}, ""), Word::ask);
  EXPECT_EQ(word({"Bash", "Bash", R"({"command":["rm"]})"}, "\"Bash(rm*)\" = \"always\"\n"), Word::ask);
}

TEST(GatePolicy, RememberedRuleIsTheFirstWordsOfTheCommand) {
  EXPECT_EQ(rule_of(call("Read", {{"file_path", "/x/y"}})), "Read");
  EXPECT_EQ(rule_of(bash("git commit -m x")), "Bash(git commit*)");
  EXPECT_EQ(rule_of(bash("ls -l /tmp")), "Bash(ls*)");
  EXPECT_EQ(rule_of(bash("ls")), "Bash(ls*)");
}

TEST(GatePolicy, RememberedWriteIsThatOfItsFolder) {
  EXPECT_EQ(rule_of(call("Write", {{"file_path", "/home/ada/web/src/a.cc"}})), "Write(/home/ada/web/src/*)");
  EXPECT_EQ(rule_of(call("Write", {{"file_path", "/home/ada/web/src/../doc/b"}})),
            "Write(/home/ada/web/doc/*)");
  EXPECT_EQ(rule_of(from(call("Write", {{"file_path", "src/c"}}))), "Write(/home/ada/web/src/*)");
  EXPECT_EQ(rule_of(call("NotebookEdit", {{"notebook_path", "/n/a.ipynb"}})), "NotebookEdit(/n/*)");
  EXPECT_THAT(rule_of(edit("/x")), StartsWith("Edit(/x #")) << "not everything below the root";
  EXPECT_THAT(rule_of(edit("/a folder/x")), MatchesRegex("Edit\\(#[0-9a-f]{32}\\)"));
  EXPECT_EQ(rule_of(call("Write", {{"file_path", "src/c"}})), "") << "nobody knows where that is";
  EXPECT_EQ(rule_of(call("Write", nlohmann::json::object())), "Write") << "only of calls without a file";
}

TEST(GatePolicy, KeyForAFileOutweighsTheRuleOfItsFolder) {
  const auto gates = gates_of("\"Write(/web/a)\" = \"ask\"\n\"*\" = \"ask\"\n");
  const auto rule = [&](const char* file) {
    const GateRequest request = call("Write", {{"file_path", file}});
    return rule_under(judge_gate(gates, request), request);
  };
  EXPECT_EQ(rule("/web/b"), "Write(/web/*)");
  EXPECT_THAT(rule("/web/a"), StartsWith("Write(/web/a #")) << "\"always\" for b must not write a";
}

TEST(GatePolicy, NamedGateIsNotRememberedAsATool) {
  EXPECT_EQ(rule_of({"deploy"}), "gate deploy");
  EXPECT_EQ(rule_of({"Edit"}), "gate Edit");
  EXPECT_EQ(wider_rule_of({"Edit"}), "Edit") << "rules remembered by an older version still apply";
  EXPECT_EQ(wider_rule_of(edit("/x/y")), "Edit(/x/*)");
  EXPECT_EQ(rule_of({"gate deploy", "gate deploy", "{}"}), "") << "a tool call is not a gate";
}

TEST(GatePolicy, VagueFirstWordsAreRememberedAsAHash) {
  std::set<std::string> rules;
  const std::vector<std::string> commands = {"git push && rm -rf /",
                                             "sudo ls",
                                             "bash -c 'rm x'",
                                             "A=1 make",
                                             "git -C / push",
                                             "ls > /etc/passwd",
                                             "ls $(rm x)",
                                             "echo $HOME",
                                             "ls; " + std::string(2'000, 'x'),
                                             "#0",
                                             "rm; TOKEN=abc",
                                             "TOKEN=abc"};
  for (const std::string& command : commands) {
    const std::string rule = rule_of(bash(command));
    EXPECT_THAT(rule, MatchesRegex("Bash\\(([^#*]* )?#[0-9a-f]{32}\\)")) << command;
    EXPECT_EQ(rule, rule_of(bash(command)));
    rules.insert(rule);
  }
  EXPECT_EQ(rules.size(), commands.size());
  EXPECT_EQ(rule_of({"Bash", "Bash", "{}"}), "");
}

TEST(GatePolicy, InterpreterCommandIsRememberedAsAHash) {
  for (const char* command : {".venv/bin/python -m pytest",
                              "/bin/bash -c ls",
                              "python3.11 x.py",
                              "python3.13t x.py",
                              "Python.exe x",
                              "bash-static -c ls",
                              "/usr/bin/env ls",
                              "/usr/bin/sudo ls",
                              "../sh x",
                              "npx eslint .",
                              "uvx ruff",
                              "bunx x",
                              "deno run x.ts",
                              "bun x.ts",
                              "php8.2 x.php",
                              "awk 1 f",
                              "sed -n 1p f",
                              "busybox ls",
                              "lua5.4 x.lua",
                              "find . -name x",
                              "/usr/bin/find . -exec ls +",
                              "xargs ls",
                              "ssh host ls",
                              "make test",
                              "just build",
                              "node20 x.js",
                              "java -jar x.jar",
                              "poetry run x",
                              "./.. x",
                              "7 x"}) {
    EXPECT_THAT(rule_of(bash(command)), MatchesRegex("Bash\\(([^#*]* )?#[0-9a-f]{32}\\)")) << command;
  }
  for (const char* command : {"/bin/ls -l", "sha256sum f", "shellcheck x.sh", "pytest -q", "base64 f"}) {
    EXPECT_EQ(rule_of(bash(command)), "Bash(" + std::string(command, std::strcspn(command, " ")) + "*)");
  }
}

TEST(GatePolicy, HashedRuleBeginsWithWordsForPeople) {
  EXPECT_THAT(rule_of(bash("make test")), StartsWith("Bash(make test #"));
  EXPECT_THAT(rule_of(bash("python3 x.py sk-secret")), StartsWith("Bash(python3 x.py ... #"));
  EXPECT_THAT(rule_of(bash("bash -c 'rm x'")), StartsWith("Bash(bash -c ... #"));
  EXPECT_THAT(rule_of(bash("sshpass -psecret ssh host")), StartsWith("Bash(sshpass ... #"));
  EXPECT_THAT(rule_of(bash("TOKEN=abc make")), StartsWith("Bash(#"));
}

TEST(GatePolicy, OptionRunningAProgramIsRememberedAsAHash) {
  for (const char* command : {"tar --to-command=x -xf y",
                              "tar --checkpoint-action=exec=x -cf y .",
                              "rsync -e x a b",
                              "rg --pre x y",
                              "psql -c x",
                              "psql15 -c x",
                              "sqlite3 x.db y",
                              "m4 x",
                              "/lib64/ld-linux-x86-64.so.2 /bin/ls",
                              "/lib/ld-musl-x86_64.so.1 /bin/ls",
                              "ld.so /bin/ls",
                              "go build -toolexec=x",
                              "go test -exec x ./y",
                              "cargo build --config x",
                              "cmake . -P x",
                              "g++-12 -wrapper x",
                              "c++ -wrapper x",
                              "sort --compress-program=x y",
                              "ip netns exec x ls",
                              "trap ls EXIT",
                              "apt update -o x",
                              "hg status --config x",
                              "luzia web x",
                              "claude -p x"}) {
    EXPECT_THAT(rule_of(bash(command)), MatchesRegex("Bash\\(([^#*]* )?#[0-9a-f]{32}\\)")) << command;
  }
}

TEST(GatePolicy, SubcommandThatRunsOthersIsRememberedAsAHash) {
  for (const char* command : {"docker run alpine ls",
                              "docker exec web ls",
                              "docker compose run web ls",
                              "kubectl exec web ls",
                              "npm run test",
                              "npm exec x",
                              "yarn dlx x",
                              "cargo run",
                              "go run .",
                              "uv run x",
                              "git bisect run x",
                              "git config user.name x",
                              "git submodule foreach ls",
                              "git rebase main",
                              "gh api x",
                              "git grep --open-files-in-pager=x y",
                              "/usr/bin/git push --receive-pack=x y",
                              "git fetch --upload-pack=x",
                              "git pull --upload-pack=x",
                              "git clone --config a=b y",
                              "git archive --exec=x --remote=y",
                              "helm install x --post-renderer=y",
                              "gh repo clone x -- -u y",
                              "podman unshare ls",
                              "npm create x",
                              "systemctl enable /tmp/x.service"}) {
    EXPECT_THAT(rule_of(bash(command)), MatchesRegex("Bash\\(([^#*]* )?#[0-9a-f]{32}\\)")) << command;
  }
  EXPECT_EQ(rule_of(bash("docker ps -a")), "Bash(docker ps*)");
  EXPECT_EQ(rule_of(bash("pip3.11 list x")), "Bash(pip3.11 list*)");
  EXPECT_EQ(rule_of(bash("npm test -- x")), "Bash(npm test*)");
  EXPECT_EQ(rule_of(bash("docker pull x")), "Bash(docker pull*)") << "must not match as git pull";
  EXPECT_EQ(rule_of(bash("/usr/bin/git commit -a")), "Bash(/usr/bin/git commit*)")
      << "must not allow all of git";
}

TEST(GatePolicy, RememberedRuleHoldsNoSecret) {
  for (const char* command : {"TOKEN=hunter2 make", "TOKEN=hunter2", "make TOKEN=hunter2",
                              "env TOKEN=hunter2 make", "curl -u a:hunter2 x", "git https://a:hunter2@host/",
                              "echo hunter2 | login", "'hunter2'", "a+=hunter2 ls"}) {
    EXPECT_THAT(rule_of(bash(command)), Not(HasSubstr("hunter2"))) << command;
  }
  EXPECT_EQ(rule_of(bash("curl -u a:hunter2 x")), "Bash(curl*)");
}

TEST(GatePolicy, InvalidValuesAreErrorsWithTheirPlace) {
  const Error error = config_error_of("[projects.web.gates]\ndeploy = \"allways\"\n");
  EXPECT_EQ(error.code, "config_range");
  EXPECT_THAT(error.message, HasSubstr("luzia.toml:2:10: projects.web.gates.deploy is 'allways'"));
  EXPECT_EQ(error.hint, "did you mean \"always\"?");
  EXPECT_EQ(config_error_of("[projects.web.gates]\nx = \"auto-after soon\"\n").code, "config_range");
  EXPECT_EQ(config_error_of("[projects.web.gates]\nx = \"auto-after 0s\"\n").code, "config_range");
  for (const char* far : {"200000000d", "3651d", "18446744073709551615ms"}) {
    const Error refused =
        config_error_of("[projects.web.gates]\nx = \"auto-after " + std::string(far) + "\"\n");
    EXPECT_EQ(refused.code, "config_range") << far;
    EXPECT_THAT(refused.message, HasSubstr("x is 'auto-after " + std::string(far) + "', it must be"));
    EXPECT_EQ(refused.hint, "D is a duration up to ten years: \"auto-after 30m\"");
  }
  EXPECT_EQ(gates_of("x = \"auto-after 3650d\"\n").at("x").auto_after_ms, 315'360'000'000u);
  EXPECT_EQ(config_error_of("[projects.web.gates]\nx = true\n").code, "config_type");
  EXPECT_EQ(config_error_of("[projects.web]\ngates = \"ask\"\n").code, "config_type");
  EXPECT_EQ(config_error_of("[projects.web.gates]\n\"\" = \"ask\"\n").code, "config_range");
}

TEST(GatePolicy, ShownRulesReadBack) {
  Config config = *parse_config("[projects.web.gates]\n" + std::string(kRules), "luzia.toml");
  const auto again = parse_config(show_config(config), "shown");
  ASSERT_TRUE(again.has_value()) << again.error().message;
  const auto& gates = again->projects.at("web").gates;
  EXPECT_EQ(gates.size(), 10u);
  EXPECT_EQ(gates.at("Bash(echo*)").auto_after_ms, 600'000u);
  EXPECT_EQ(gates.at("*").word, Word::never);
}

TEST(QuestionsConfig, RemindersAreFractionsOfTheDeadline) {
  EXPECT_EQ(parse_config("", "x")->questions.remind_at, (std::vector<double>{0.5, 0.9}));
  const auto config =
      parse_config("[questions]\nremind_at = [0.9, 0.25, 0.25]\ndefault_timeout = \"1h\"\n", "x");
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->questions.remind_at, (std::vector<double>{0.25, 0.9}));
  EXPECT_EQ(config->questions.default_timeout_ms, 3'600'000u);
  EXPECT_TRUE(parse_config("[questions]\nremind_at = []\n", "x")->questions.remind_at.empty());
  EXPECT_EQ(config_error_of("[questions]\nremind_at = [1.0]\n").code, "config_range");
  EXPECT_EQ(config_error_of("[questions]\nremind_at = [0, 0.5]\n").code, "config_range");
  EXPECT_EQ(config_error_of("[questions]\nremind_at = [\"x\"]\n").code, "config_type");
  EXPECT_EQ(config_error_of("[questions]\nremindat = [0.5]\n").hint, "did you mean remind_at?");
}

}  // namespace
}  // namespace luzia
