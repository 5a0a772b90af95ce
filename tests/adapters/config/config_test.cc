#include "adapters/config/config.h"

#include "tests/adapters/config/parsed_config.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(Config, EmptyFileMeansTheShippedDefaults) {
  const Config config = config_of("");
  EXPECT_EQ(config.retry.max, 0u);
  EXPECT_EQ(config.status_updates.progress_update_threshold_percent, 25);
  EXPECT_EQ(config.jobs.kill_grace_ms, 10'000u);
  EXPECT_EQ(config.defaults.agent, "shell");
  EXPECT_EQ(config.agents.size(), known_agents().size() + 1);
}

TEST(Config, ValuesOfEachTypeAreTaken) {
  const Config config = config_of(R"([status_updates]
verbosity = "quiet"
show_task_started = false
[queue]
max_running = 7
max_load = 3
[retry]
backoff = "2h30m"
jitter = 0.25
[budgets]
time = 90
[projects.web]
path = "/srv/web"
users = ["alice", "bob"]
priority = 8
knowledge = { language = "C++" }
)");
  EXPECT_EQ(config.status_updates.verbosity, "quiet");
  EXPECT_FALSE(config.status_updates.show_task_started);
  EXPECT_EQ(config.queue.max_running, 7u);
  EXPECT_DOUBLE_EQ(config.queue.max_load, 3.0);
  EXPECT_EQ(config.retry.backoff_ms, 9'000'000u);
  EXPECT_DOUBLE_EQ(config.retry.jitter, 0.25);
  EXPECT_EQ(config.budgets.time_ms, 90'000u);
  const ProjectConfig& web = config.projects.at("web");
  EXPECT_EQ(web.path, "/srv/web");
  EXPECT_THAT(web.users, ElementsAre("alice", "bob"));
  EXPECT_EQ(web.priority, 8);
  EXPECT_EQ(web.language, "C++");
}

TEST(Config, WordsIgnoreCase) {
  const Config config = config_of(R"([status_updates]
verbosity = "Quiet"
[logging]
log_level = "INFO"
[monitor]
when_silent = "KILL"
[git]
snapshot_max_file = "10mib"
[projects.web.gates]
deploy = "Always"
migrate = "AUTO-AFTER 30M"
[agents.mine]
command = ["run"]
stdin = "Null"
output = "Claude-Stream-JSON"
exit_codes = { 7 = "Retriable" }
[notifications]
quiet_hours = "NONE"
quiet_except = ["Question_Asked"]
[[hooks]]
name = "Bell"
command = ["bell"]
on = ["JOB_FAILED"]
[[webhooks]]
name = "chat"
url = "HTTPS://chat.example/x"
format = "Slack"
on = ["job_failed"]
)");
  EXPECT_EQ(config.status_updates.verbosity, "quiet");
  EXPECT_EQ(config.logging.log_level, "info");
  EXPECT_EQ(when_silent(config, "web", "mine"), WhenSilent::kill);
  EXPECT_EQ(config.git.snapshot_max_file, 10U << 20);
  EXPECT_EQ(config.projects.at("web").gates.at("deploy").word, GatePolicy::Word::always);
  EXPECT_EQ(config.projects.at("web").gates.at("migrate").auto_after_ms, 1'800'000U);
  EXPECT_FALSE(config.agents.at("mine").stdin_prompt);
  EXPECT_EQ(config.agents.at("mine").output, "claude-stream-json");
  EXPECT_EQ(config.agents.at("mine").exit_codes.at(7), schema::ExitMeaning::retriable_failure);
  EXPECT_EQ(config.notifications.quiet_hours, "none");
  EXPECT_THAT(config.notifications.quiet_except, ElementsAre("question_asked"));
  EXPECT_THAT(config.hooks.at("Bell").on, ElementsAre("job_failed"));
  EXPECT_EQ(config.webhooks.at("chat").format, "slack");
  EXPECT_EQ(config.webhooks.at("chat").url, "HTTPS://chat.example/x");
}

TEST(Config, UnknownKeyNamesPlaceAndNearestKey) {
  const Error error = config_error_of("[queue]\n  max_runing = 3\n");
  EXPECT_EQ(error.code, "config_unknown_key");
  EXPECT_EQ(error.kind, ErrorKind::usage);
  EXPECT_EQ(error.message, "reading luzia.toml:2:3: unknown key 'max_runing' in [queue]");
  EXPECT_EQ(error.hint, "did you mean max_running?");
  EXPECT_EQ(config_error_of("[qeue]\n").hint, "did you mean queue?");
  EXPECT_EQ(config_error_of("[agents.claude]\ncomand = [\"x\"]\n").hint, "did you mean command?");
  EXPECT_EQ(config_error_of("[projects.p.knowledge]\nlangauge = \"x\"\n").hint, "did you mean language?");
}

TEST(Config, UnknownKeyWithoutNeighborListsKnownKeys) {
  EXPECT_EQ(config_error_of("[store]\nzzzzzz = 1\n").hint,
            "known here: path, group, site, scrub, seal_every, seal_to");
}

TEST(Config, WrongTypeNamesPlaceAndBothTypes) {
  const Error error = config_error_of("[queue]\nmax_running = \"many\"\n");
  EXPECT_EQ(error.code, "config_type");
  EXPECT_EQ(error.message,
            "reading luzia.toml:2:15: queue.max_running is a string, it must be a whole number");
  EXPECT_EQ(config_error_of("queue = 3\n").code, "config_type");
  EXPECT_EQ(config_error_of("[projects]\nweb = \"x\"\n").code, "config_type");
  EXPECT_EQ(config_error_of("[projects.web]\nusers = [1]\n").code, "config_type");
  EXPECT_EQ(config_error_of("[retry]\nbackoff = 1.5\n").code, "config_type");
  EXPECT_EQ(config_error_of("[agents.claude.env]\nA = 1\n").code, "config_type");
}

TEST(Config, ValuesOutOfRangeAreRefused) {
  for (const char* toml : {"[status_updates]\nprogress_update_threshold_percent = 101\n",
                           "[queue]\nmax_running = -1\n",
                           "[retry]\njitter = 2.0\n",
                           "[retry]\njitter = nan\n",
                           "[retry]\nbackoff = \"soon\"\n",
                           "[retry]\nbackoff = -5\n",
                           "[status_updates]\nverbosity = \"loud\"\n",
                           "[store]\npath = \"relative\"\n",
                           "[projects.\"a/b\"]\n",
                           "[projects.\"\"]\n",
                           "[projects.\"-x\"]\n",
                           "[agents.claude.exit_codes]\n300 = \"failed\"\n",
                           "[agents.claude.exit_codes]\n3 = \"fine\"\n",
                           "[agents.claude.env]\n\"A=B\" = \"x\"\n",
                           "[issues]\nfiles = [\"relative.json\"]\n",
                           "[defaults]\npriority = 10\n",
                           "[jobs]\nkill_grace = \"366d\"\n",
                           "[jobs]\npreflight_timeout = \"366d\"\n",
                           "[jobs]\nverify_timeout = \"0s\"\n",
                           "[retry]\nbackoff = \"366d\"\n",
                           "[questions]\ndefault_timeout = \"3651d\"\n"}) {
    EXPECT_EQ(config_error_of(toml).code, "config_range") << toml;
  }
}

TEST(Config, BrokenTomlNamesThePlace) {
  const Error error = config_error_of("[queue]\nmax_running = \n");
  EXPECT_EQ(error.code, "config_syntax");
  EXPECT_THAT(error.message, StartsWith("reading luzia.toml:2:"));
}

TEST(Config, ErrorIsOneLine) {
  for (const char* toml : {"[defaults]\nagent = \"a\\nb\"\n", "a = i\n", "\"a\\nb\" = 1\n", "[[.a.\n"}) {
    const auto config = parse_config(toml, "luzia.toml");
    ASSERT_FALSE(config) << toml;
    EXPECT_EQ(config.error().message.find('\n'), std::string::npos) << config.error().message;
  }
}

TEST(Config, SeveralErrorsAreCounted) {
  EXPECT_THAT(config_error_of("[queue]\na = 1\nb = 2\nc = 3\n").message, HasSubstr("(and 2 more"));
}

TEST(Config, UnknownAgentIsRefusedWithItsPlace) {
  const Error error = config_error_of("[projects.web]\nagent = \"cluade\"\n");
  EXPECT_EQ(error.message, "reading luzia.toml:2:9: projects.web.agent is 'cluade', which is not an agent");
  EXPECT_EQ(error.hint, "did you mean claude?");
  EXPECT_EQ(config_error_of("[agents.mine]\noutput = \"text\"\n").message,
            "reading luzia.toml:1:9: agent 'mine' has no command");
}

TEST(Config, ResumeFollowsFromCommandUnlessItIsGiven) {
  const Config config = config_of(
      "[agents.claude]\ncommand = [\"claude\", \"-p\", \"--model\", \"m\"]\n"
      "[agents.codex]\ncommand = [\"codex\", \"exec\", \"-\"]\nresume = [\"mine\"]\n"
      "[agents.fast]\ncommand = [\"/opt/gemini\"]\n[agents.tool]\ncommand = [\"tool\"]\n");
  EXPECT_EQ(config.agents.at("claude").resume,
            (std::vector<std::string>{"claude", "-p", "--model", "m", "--resume", "{session_id}"}));
  EXPECT_EQ(config.agents.at("codex").resume, std::vector<std::string>{"mine"});
  EXPECT_EQ(config.agents.at("fast").resume,
            (std::vector<std::string>{"/opt/gemini", "--resume", "{session_id}"}));
  EXPECT_TRUE(config.agents.at("tool").resume.empty());
}

TEST(Config, PermissionsAreFourWordsForKnownPrograms) {
  const Config config =
      config_of("[projects.web]\npermissions = \"Plan\"\n[agents.claude]\npermissions = \"bypass\"\n");
  EXPECT_EQ(config.projects.at("web").permissions, "plan");
  EXPECT_EQ(configured_permissions({}, config.agents.at("claude")), "bypass");
  EXPECT_EQ(config_error_of("[agents.claude]\npermissions = \"all\"\n").code, "config_range");
  EXPECT_EQ(config_error_of("[agents.tool]\ncommand = [\"tool\"]\npermissions = \"plan\"\n").code,
            "config_range");
}

TEST(Config, SandboxOfTheProjectWinsAndPathsAddUp) {
  const Config config = config_of(
      "[jobs]\nsandbox = \"project\"\nsandbox_hide = [\"/srv\"]\n[agents.claude]\nsandbox = \"off\"\n"
      "sandbox_network = \"none\"\n[projects.web]\nsandbox = \"Strict\"\nsandbox_hide = [\"~/private\"]\n");
  const SandboxConfig web = configured_sandbox(config, config.projects.at("web"), config.agents.at("claude"));
  EXPECT_EQ(web.kind, "strict");
  EXPECT_EQ(web.network, "none");
  EXPECT_EQ(web.hide, (std::vector<std::string>{"/srv", "~/private"}));
  EXPECT_EQ(configured_sandbox(config, {}, config.agents.at("claude")).kind, "off");
  EXPECT_EQ(configured_sandbox(config, {}, config.agents.at("shell")).kind, "project");
  EXPECT_EQ(configured_sandbox(config_of(""), {}, {}).kind, "off");
  EXPECT_EQ(config_of(show_config(config)).projects.at("web").sandbox.hide,
            std::vector<std::string>{"~/private"});
}

TEST(Config, NetworkOfASandboxIsAWordOrAList) {
  const Config config = config_of(
      "[jobs]\nsandbox_network = [\"Example.org\", \"*.github.com:443\"]\n[agents.claude]\n"
      "sandbox_network = \"None\"\n[projects.web]\nsandbox_network = [\"10.0.0.5:80\"]\n");
  const auto network = [&config](const ProjectConfig& project, const char* agent) {
    return configured_sandbox(config, project, config.agents.at(agent));
  };
  EXPECT_EQ(network({}, "shell").network, "hosts");
  EXPECT_EQ(network({}, "shell").hosts, (std::vector<std::string>{"example.org", "*.github.com:443"}));
  EXPECT_EQ(network({}, "claude").network, "none");
  EXPECT_TRUE(network({}, "claude").hosts.empty()) << "the nearest word counts, and lists do not add up";
  EXPECT_EQ(network(config.projects.at("web"), "claude").hosts, std::vector<std::string>{"10.0.0.5:80"});
  const Config again = config_of(show_config(config));
  EXPECT_EQ(again.jobs.sandbox.hosts, config.jobs.sandbox.hosts);
  EXPECT_EQ(again.agents.at("claude").sandbox.network, "none");
}

TEST(Config, BadSandboxesAreRefused) {
  for (const char* line :
       {"sandbox = \"tight\"", "sandbox_network = \"example.org\"", "sandbox_network = []",
        "sandbox_network = 1", "sandbox_when = \"night\"", "sandbox_network = [\"example.org\", 1]",
        "sandbox_network = [\"https://example.org\"]", "sandbox_write = [\"cache\"]", "sandbox_hide = [\"\"]",
        "sandbox_read = \"/srv\""}) {
    EXPECT_NE(config_error_of(std::string("[jobs]\n") + line + "\n").code, "") << line;
  }
}

TEST(Config, OnlyNamesOfVariablesArePassed) {
  EXPECT_EQ(config_of("[agents.claude]\npass_env = [\"MY_KEY\"]\n").agents.at("claude").pass_env,
            std::vector<std::string>{"MY_KEY"});
  for (const char* name : {"A=1", "LUZIA_JOB_ID", "1A"}) {
    const std::string file = std::string("[agents.claude]\npass_env = [\"") + name + "\"]\n";
    EXPECT_EQ(config_error_of(file).code, "config_range") << name;
  }
}

TEST(Config, OnlyMisspeltPlaceholdersAreRefused) {
  EXPECT_THAT(config_error_of("[agents.mine]\ncommand = [\"x\", \"{promt_file}\"]\n").message,
              HasSubstr("{promt_file}, did you mean {prompt_file}?"));
  EXPECT_THAT(config_of("[agents.mine]\ncommand = [\"awk\", \"{print $1}\", \"{}\", \"{task}\"]\n")
                  .agents.at("mine")
                  .command,
              ElementsAre("awk", "{print $1}", "{}", "{task}"));
}

TEST(Config, AgentsAreMergedKeyByKey) {
  const Config config =
      config_of("[agents.claude]\ncommand = [\"my-claude\"]\n[agents.claude.exit_codes]\n1 = \"failed\"\n");
  const AgentProfile& claude = config.agents.at("claude");
  EXPECT_THAT(claude.command, ElementsAre("my-claude"));
  EXPECT_EQ(claude.output, "claude-stream-json") << "unmentioned keys keep the shipped value";
  EXPECT_EQ(claude.exit_codes.at(1), schema::ExitMeaning::final_failure);
  EXPECT_EQ(claude.exit_codes.at(100), schema::ExitMeaning::needs_clarification);
}

TEST(Config, ShellTaskReadsNothingAndIsNeverRetried) {
  const AgentProfile shell = config_of("").agents.at("shell");
  EXPECT_THAT(shell.command, ElementsAre("/bin/sh", "{task_file}"));
  EXPECT_FALSE(shell.stdin_prompt);
  for (const auto& [code, meaning] : shell.exit_codes) {
    EXPECT_NE(meaning, schema::ExitMeaning::retriable_failure) << code;
  }
}

TEST(Config, AgentsRetryOnCodeOneAndCanResume) {
  const Config config = config_of("");
  for (const char* name : {"claude", "codex", "gemini", "opencode"}) {
    const AgentProfile& agent = config.agents.at(name);
    EXPECT_EQ(agent.exit_codes.at(1), schema::ExitMeaning::retriable_failure) << name;
    EXPECT_EQ(agent.exit_codes.at(2), schema::ExitMeaning::final_failure) << name;
    EXPECT_TRUE(agent.stdin_prompt) << name;
    EXPECT_THAT(agent.resume, ::testing::Contains("{session_id}")) << name;
    ASSERT_FALSE(agent.interactive.empty()) << name;
    EXPECT_EQ(agent.interactive.front(), agent.command.front());
    EXPECT_EQ(agent.interactive.back(), "{task}");
  }
}

TEST(Config, ShippedAgentsPrintTheirConfiguredFormat) {
  const auto agents = config_of("").agents;
  EXPECT_THAT(agents.at("claude").command,
              ElementsAre("claude", "-p", "--output-format", "stream-json", "--verbose", "{permissions}"));
  EXPECT_EQ(agents.at("claude").output, "claude-stream-json");
  EXPECT_THAT(agents.at("codex").command,
              ElementsAre("codex", "exec", "--skip-git-repo-check", "{permissions}", "--json", "-"));
  EXPECT_EQ(agents.at("codex").output, "codex-json");
  EXPECT_THAT(agents.at("gemini").command,
              ElementsAre("gemini", "--output-format", "stream-json", "{permissions}"));
  EXPECT_EQ(agents.at("gemini").output, "gemini-stream-json");
  EXPECT_EQ(agents.at("gemini").env.at("GEMINI_CLI_NO_RELAUNCH"), "true");
  EXPECT_EQ(agents.at("gemini").env.at("GEMINI_CLI_TRUST_WORKSPACE"), "true");
  EXPECT_THAT(agents.at("opencode").command,
              ElementsAre("opencode", "run", "--format", "json", "{permissions}"));
  EXPECT_EQ(agents.at("opencode").output, "opencode-json");
  EXPECT_EQ(agents.at("shell").output, "text");
}

TEST(Config, UnknownOutputIsRefusedWithTheNearest) {
  const Error error = config_error_of("[agents.mine]\ncommand = [\"x\"]\noutput = \"claude-json\"\n");
  EXPECT_THAT(error.message, HasSubstr("agents.mine.output is 'claude-json', it must be one of text, "));
  EXPECT_EQ(config_error_of("[agents.mine]\ncommand = [\"x\"]\noutput = \"opencode-jsn\"\n").hint,
            "did you mean opencode-json?");
  EXPECT_EQ(config_of("[agents.mine]\ncommand = [\"x\"]\noutput = \"auto\"\n").agents.at("mine").output,
            "auto");
}

TEST(Config, ShownConfigurationReadsBack) {
  const std::string toml = R"([display]
use_emojis = false
[retry]
backoff = "1500ms"
jitter = 1
[store]
site = "a\"b\\c\n\u0001"
[issues]
files = ["/a b", "/c"]
[projects."odd name"]
preflight = ["test -f 'x'", ""]
priority = 0
knowledge = { language = "C++", build_system = "ninja" }
[agents.mine]
command = ["run", "{task}"]
stdin = "null"
interactive = ["run", "--ask", "{task}"]
env = { A = "1", odd_key = "two\twords" }
limit_resumes = 3
costs = { input = 3, output = 15.5 }
exit_codes = { 7 = "retriable" }
)";
  const std::string shown = show_config(config_of(toml));
  const Config again = config_of(shown);
  EXPECT_EQ(show_config(again), [&] {
    Config copy = config_of(toml);
    copy.files = again.files;
    return show_config(copy);
  }());
  EXPECT_EQ(again.store.site, "a\"b\\c\n\x01");
  EXPECT_EQ(again.retry.backoff_ms, 1500u);
  EXPECT_EQ(again.projects.at("odd name").priority, 0);
  EXPECT_EQ(again.projects.at("odd name").build_system, "ninja");
  EXPECT_EQ(again.agents.at("mine").env.at("odd_key"), "two\twords");
  EXPECT_EQ(again.agents.at("mine").limit_resumes, 3u);
  EXPECT_THAT(again.agents.at("mine").interactive, ElementsAre("run", "--ask", "{task}"));
  EXPECT_DOUBLE_EQ(again.agents.at("mine").costs.at("output"), 15.5);
  EXPECT_FALSE(again.agents.at("mine").stdin_prompt);
}

TEST(Config, ProjectsUserCannotBeRoot) {
  const auto set = parse_config("[projects.web]\nuser = \"svc\"\n", "luzia.toml");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->projects.at("web").user, "svc");
  const auto back = parse_config(show_config(*set), "luzia.toml");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->projects.at("web").user, "svc");
  const auto root = parse_config("[projects.web]\nuser = \"root\"\n", "luzia.toml");
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code, "config_range");
  EXPECT_NE(root.error().message.find("luzia.toml:2:"), std::string::npos) << root.error().message;
  EXPECT_NE(root.error().hint.find("--user root"), std::string::npos) << root.error().hint;
}

}  // namespace
}  // namespace luzia
