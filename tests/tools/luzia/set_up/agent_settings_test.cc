// Adds Luzia to agents' settings once, beside the user's own settings, and removes it without a trace.
#include "tools/luzia/set_up/agent_settings.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/scratch.h"
#include "tests/text_files.h"
#include "tools/luzia/set_up/line_diff.h"

namespace luzia::init {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kAgents[] = {"claude", "codex", "gemini", "opencode", "qwen", "copilot"};

class AgentSettings : public ScratchTest {
 protected:
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(path(file)).parent_path());
    std::ofstream(path(file)) << text;
  }
  std::string read(const std::string& file) const { return whole_text(path(file)); }
  Json json(const std::string& file) const { return Json::parse(read(file)); }
  std::vector<FileChange> changes(const std::string& agent, bool undo = false,
                                  const std::string& program = "luzia") const {
    const auto found = changes_of({find_agent(agent), scratch_, program, undo});
    EXPECT_TRUE(found.has_value()) << found.error().message;
    return found.value_or(std::vector<FileChange>());
  }
  void apply(const std::string& agent, bool undo = false, const std::string& program = "luzia") const {
    const Status written = write_changes(changes(agent, undo, program));
    EXPECT_TRUE(written.has_value()) << written.error().message;
  }
  std::string refusal(const std::string& agent) const {
    const auto found = changes_of({find_agent(agent), scratch_, "luzia", false});
    return found ? "no refusal" : found.error().code + " " + found.error().message;
  }
};

constexpr const char* kClaudeSettings = R"json({
    "model": "opus",
    "permissions": {
        "allow": ["Bash(make *)"],
        "deny": []
}
, "hooks" : {
  "PreToolUse" : [ {"matcher" : "Bash", "hooks" : [ {"type" : "command", "command" : "./check.sh hook"} ]} ]
}
}
)json";

TEST_F(AgentSettings, ClaudeGetsServerHooksAndPermission) {
  apply("claude");
  EXPECT_EQ(json(".mcp.json"), Json::parse(R"({"mcpServers":{"luzia":{"command":"luzia","args":["mcp"]}}})"));
  const Json settings = json(".claude/settings.json");
  EXPECT_EQ(settings["enabledMcpjsonServers"], Json::parse(R"(["luzia"])"));
  EXPECT_EQ(settings["permissions"]["allow"], Json::parse(R"(["mcp__luzia"])"));
  const Json& before = settings["hooks"]["PreToolUse"][0];
  EXPECT_EQ(before["matcher"], "*");
  EXPECT_EQ(before["hooks"][0]["command"], "luzia hook");
  EXPECT_EQ(before["hooks"][0]["timeout"], 86'400);
  EXPECT_EQ(settings["hooks"]["Notification"][0]["hooks"][0]["command"], "luzia hook");
}

// Gemini CLI passes on no variable with such a name that is not entered; in a sandbox nothing else proves the
// job.
TEST_F(AgentSettings, ServersOfGeminiAndQwenGetTheCredential) {
  for (const std::string agent : {"gemini", "qwen"}) {
    apply(agent);
    const Json server = json("." + agent + "/settings.json")["mcpServers"]["luzia"];
    EXPECT_EQ(server["env"], Json::parse(R"({"LUZIA_CREDENTIAL":"$LUZIA_CREDENTIAL"})")) << agent;
    EXPECT_EQ(server["trust"], true) << agent;
  }
}

TEST_F(AgentSettings, EntriesAreAddedOnce) {
  write(".claude/settings.json", kClaudeSettings);
  for (const std::string agent : kAgents) {
    EXPECT_THAT(changes(agent), SizeIs(find_agent(agent)->settings.size()));
    apply(agent);
    EXPECT_THAT(changes(agent), IsEmpty());
  }
}

TEST_F(AgentSettings, UndoRestoresEachFileExactly) {
  const std::string mcp = "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}",
                    toml = "model = \"o\"\n\n[a] # b\nc=1";
  const std::string gemini = "{\n\t\"mcpServers\": {\n\t\t\"other\": {}\n\t}\n}";
  write(".mcp.json", mcp);
  write(".claude/settings.json", kClaudeSettings);
  write(".codex/config.toml", toml + "\n");
  write(".gemini/settings.json", gemini);
  const std::string hooks = R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./x"}]}]}})";
  write(".codex/hooks.json", hooks);
  write(".qwen/settings.json", hooks);
  write(".github/hooks/luzia.json", R"({"version": 1, "mine": 2})");
  for (const std::string agent : kAgents) apply(agent);
  EXPECT_NE(read(".claude/settings.json"), kClaudeSettings);
  for (const std::string agent : kAgents) apply(agent, true);
  EXPECT_EQ(read(".codex/hooks.json"), hooks);
  EXPECT_EQ(read(".qwen/settings.json"), hooks);
  EXPECT_EQ(read(".github/hooks/luzia.json"), R"({"version": 1, "mine": 2})");
  EXPECT_EQ(read(".mcp.json"), mcp);
  EXPECT_EQ(read(".claude/settings.json"), kClaudeSettings);
  EXPECT_EQ(read(".codex/config.toml"), toml + "\n");
  EXPECT_EQ(read(".gemini/settings.json"), gemini);
}

TEST_F(AgentSettings, UndoRemovesEmptyFiles) {
  for (const std::string agent : kAgents) {
    apply(agent);
    apply(agent, true);
    EXPECT_THAT(changes(agent, true), IsEmpty());
    for (const SettingsFile& file : find_agent(agent)->settings) {
      EXPECT_FALSE(fs::exists(path(file.path))) << file.path;
    }
  }
}

TEST_F(AgentSettings, UndoLeavesOtherAgentsAlone) {
  for (const std::string agent : kAgents) apply(agent);
  for (const std::string agent : kAgents) {
    apply(agent, true);
    for (const std::string other : kAgents) {
      if (other == agent) continue;
      EXPECT_THAT(changes(other), IsEmpty()) << agent << ", " << other;
    }
    apply(agent);
  }
}

TEST_F(AgentSettings, EveryAgentAsksItsHookForADay) {
  const std::tuple<const char*, const char*, const char*, int> cases[] = {
      {"codex", ".codex/hooks.json", "PreToolUse", 86'400},
      {"gemini", ".gemini/settings.json", "BeforeTool", 86'400'000},
      {"qwen", ".qwen/settings.json", "PreToolUse", 86'400'000},
      {"copilot", ".github/hooks/luzia.json", "PreToolUse", 86'400},
  };
  for (const auto& [agent, file, event, timeout] : cases) {
    apply(agent);
    EXPECT_EQ(json(file)["hooks"][event],
              (Json{{{"matcher", "*"},
                     {"hooks", {{{"type", "command"}, {"command", "luzia hook"}, {"timeout", timeout}}}}}}))
        << agent;
    EXPECT_EQ(json(file)["hooks"].contains(std::string(find_agent(agent)->told_event)), true)
        << agent << " is told nothing at its tool calls";
  }
  EXPECT_EQ(json(".github/hooks/luzia.json")["version"], 1);
  EXPECT_EQ(json(".github/mcp.json")["mcpServers"]["luzia"]["command"], "luzia");
}

TEST_F(AgentSettings, OpencodePluginCallsTheProgram) {
  apply("opencode", false, "/opt/a \"b\"/luzia");
  EXPECT_THAT(read(".opencode/plugin/luzia.js"), HasSubstr(R"(const program = "/opt/a \"b\"/luzia")"
                                                           "\n"));
}

TEST_F(AgentSettings, PluginOfAnOlderVersionIsReplaced) {
  apply("opencode");
  const std::string present = read(".opencode/plugin/luzia.js");
  EXPECT_THAT(present, HasSubstr("tool.execute.after"));
  // As 0.1 wrote it before luzia tell.
  std::string older = present;
  const std::size_t begin = older.find("  \"tool.execute.after\"");
  ASSERT_NE(begin, std::string::npos);
  older.erase(begin, older.rfind("})\n") - begin);
  write(".opencode/plugin/luzia.js", older);
  apply("opencode");
  EXPECT_EQ(read(".opencode/plugin/luzia.js"), present);
}

TEST_F(AgentSettings, UsersSettingsMayHaveOtherNames) {
  const auto found = changes_of({find_agent("copilot"), path(""), "luzia", false, true});
  ASSERT_TRUE(found.has_value());
  ASSERT_THAT(*found, SizeIs(2));
  EXPECT_THAT((*found)[0].file, HasSubstr("/.copilot/mcp-config.json"));
  EXPECT_THAT((*found)[1].file, HasSubstr("/.copilot/hooks/luzia.json"));
  const auto moved = changes_of({find_agent("copilot"), path(""), "luzia", false, true, true});
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ((*moved)[1].file, path("") + "/hooks/luzia.json");
}

TEST_F(AgentSettings, UndoKeepsForeignEntries) {
  write(".mcp.json", R"({"mcpServers":{"luzia":{"command":"node","args":["mine.js"]}}})");
  write(
      ".claude/settings.json",
      R"({"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/opt/luzia hook --mode deny"},)"
      R"({"type":"command","command":"luzia hooked"}]}]}})");
  apply("claude", true);
  EXPECT_EQ(read(".mcp.json"), R"({"mcpServers":{"luzia":{"command":"node","args":["mine.js"]}}})");
  EXPECT_EQ(
      read(".claude/settings.json"),
      R"({"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"luzia hooked"}]}]}})");
}

TEST_F(AgentSettings, CustomizedHookIsKept) {
  write(
      ".claude/settings.json",
      R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"luzia hook --mode deny"}]}]}})");
  apply("claude");
  EXPECT_THAT(json(".claude/settings.json")["hooks"]["PreToolUse"], SizeIs(1));
}

TEST_F(AgentSettings, NewProgramPathReplacesTheEntry) {
  for (const std::string agent : {"claude", "codex", "gemini"}) {
    apply(agent);
    apply(agent, false, "/opt/a \"b\"/luzia");
    EXPECT_THAT(changes(agent, false, "/opt/a \"b\"/luzia"), IsEmpty());
  }
  EXPECT_EQ(json(".mcp.json")["mcpServers"]["luzia"]["command"], "/opt/a \"b\"/luzia");
  EXPECT_EQ(json(".claude/settings.json")["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "luzia hook");
  EXPECT_THAT(read(".codex/config.toml"), HasSubstr("command = \"/opt/a \\\"b\\\"/luzia\"\n"));
  for (const std::string agent : {"codex", "gemini"}) apply(agent, true);
  EXPECT_FALSE(fs::exists(path(".codex/config.toml")));
}

TEST_F(AgentSettings, HookCommandQuotesThePath) {
  apply("claude", false, "/opt/my tools/it's/luzia");
  EXPECT_EQ(json(".claude/settings.json")["hooks"]["PreToolUse"][0]["hooks"][0]["command"],
            "'/opt/my tools/it'\\''s/luzia' hook");
  EXPECT_THAT(changes("claude", false, "/opt/my tools/it's/luzia"), IsEmpty());
  apply("claude", true);
  EXPECT_FALSE(fs::exists(path(".claude")));
}

TEST_F(AgentSettings, CodexPassesTheJobAndAllowsLongWaits) {
  apply("codex");
  EXPECT_EQ(read(".codex/config.toml"),
            "[mcp_servers.luzia]\ncommand = \"luzia\"\nargs = [\"mcp\"]\n"
            "env_vars = [\"LUZIA_JOB_ID\", \"LUZIA_ATTEMPT\", \"LUZIA_SOCKET\", \"LUZIA_CREDENTIAL\"]\n"
            "tool_timeout_sec = 86400\n");
}

TEST_F(AgentSettings, OlderCodexEntryIsUpdated) {
  const std::string older =
      "[mcp_servers.luzia]\ncommand = \"luzia\"\nargs = [\"mcp\"]\n"
      "env_vars = [\"LUZIA_JOB_ID\", \"LUZIA_ATTEMPT\", \"LUZIA_SOCKET\"]\ntool_timeout_sec = 86400\n";
  write(".codex/config.toml", older);
  apply("codex");
  EXPECT_THAT(read(".codex/config.toml"), HasSubstr("LUZIA_CREDENTIAL"));
  EXPECT_THAT(read(".codex/config.toml"), ::testing::Not(HasSubstr("\"LUZIA_SOCKET\"]")));
  write(".codex/config.toml", "model = \"x\"\n\n" + older);
  apply("codex", true);
  EXPECT_EQ(read(".codex/config.toml"), "model = \"x\"\n");
}

TEST_F(AgentSettings, UneditableFilesAreRefused) {
  const std::tuple<std::string, const char*, const char*, const char*> cases[] = {
      {"claude", ".mcp.json", "{ // mine\n}", ".mcp.json:1:3"},
      {"claude", ".mcp.json", "{\"mcpServers\": []}", "mcpServers is not an object"},
      {"claude", ".claude/settings.json", "{\"hooks\": {\"PreToolUse\": {}}}", "PreToolUse is not a list"},
      {"gemini", ".gemini/settings.json", "[]", "no JSON object"},
      {"codex", ".codex/config.toml", "[a\n", ".codex/config.toml:1"},
      {"codex", ".codex/config.toml", "mcp_servers = { a = { command = \"x\" } }\n", ".codex/config.toml"},
      {"codex", ".codex/config.toml", "[mcp_servers.luzia]\ncommand = \"mine\"\n", "did not write"},
      {"opencode", ".opencode/plugin/luzia.js", "export const Mine = 1\n", "did not write"},
  };
  for (const auto& [agent, file, text, words] : cases) {
    write(file, text);
    EXPECT_THAT(refusal(agent), HasSubstr(words)) << text;
    EXPECT_EQ(read(file), text);
    fs::remove(path(file));
  }
}

TEST_F(AgentSettings, ModeAndLinkAreKept) {
  write("kept/settings.json", "{}");
  ::chmod(path("kept/settings.json").c_str(), 0600);
  fs::create_directories(path(".gemini"));
  fs::create_symlink(path("kept/settings.json"), path(".gemini/settings.json"));
  apply("gemini");
  EXPECT_TRUE(fs::is_symlink(path(".gemini/settings.json")));
  EXPECT_TRUE(json("kept/settings.json")["mcpServers"].contains("luzia"));
  struct stat status {};
  ASSERT_EQ(::stat(path("kept/settings.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(AgentSettings, FileChangedMeanwhileIsLeftAlone) {
  write(".gemini/settings.json", "{}");
  const auto planned = changes("gemini");
  write(".gemini/settings.json", "{\"theme\": \"x\"}");
  const Status written = write_changes(planned);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, "changed_meanwhile");
  EXPECT_EQ(read(".gemini/settings.json"), "{\"theme\": \"x\"}");
}

TEST_F(AgentSettings, PathThatIsNoFileIsRefused) {
  fs::create_directories(path(".gemini/settings.json"));
  EXPECT_THAT(refusal("gemini"), HasSubstr("not a regular file"));
  fs::remove(path(".gemini/settings.json"));
  ::mkfifo(path(".gemini/settings.json").c_str(), 0600);
  EXPECT_THAT(refusal("gemini"), HasSubstr("not a regular file"));
}

TEST(LineDiff, ShowsChangedLinesWithContext) {
  EXPECT_EQ(line_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(line_diff("f", "", "a\nb\n"), "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(line_diff("f", "a\n", ""), "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
  EXPECT_EQ(line_diff("f", "a", "a\nb"),
            "--- f\n+++ f\n@@ -1,1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end "
            "of file\n");
  EXPECT_EQ(line_diff("f", "a\n", "a\n"), "");
}

}  // namespace
}  // namespace luzia::init
