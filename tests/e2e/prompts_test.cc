// The text around tasks that agents receive, with real processes.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class PromptsTest : public DaemonTest {
 protected:
  /// An agent that records its input; project `told` uses a template.
  void set_up(const std::string& settings) {
    std::filesystem::create_directories(path("templates"));
    configure("[agents.listener]\ncommand = [\"sh\", \"" + project() + "/listen.sh\"]\n" +
              "[prompts]\nfolder = \"" + path("templates") + "\"\n" + "[projects.told]\npath = \"" +
              project() + "\"\nagent = \"listener\"\nknowledge = { language = \"python\" }\n" +
              "tools = [\"pytest: runs the tests\"]\n" + settings);
    script("listen.sh", "cat > heard; echo heard\n");
  }
  /// The prompt says when it was built.
  static std::string without_time(std::string prompt) {
    const std::size_t at = prompt.find("\n- Time: ");
    return at == std::string::npos ? prompt : prompt.erase(at, prompt.find('\n', at + 1) - at);
  }
  std::string heard() const { return read_text(project() + "/heard"); }
  Json done(const Words& words) const {
    Words all = {"dispatch", "told"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished sent = luzia(all);
    EXPECT_EQ(sent.code, 0) << sent.err;
    return ended(sent.out.substr(0, sent.out.find('\n')));
  }
};

TEST_F(PromptsTest, AttemptGetsContextAndItsPartsAreRecorded) {
  set_up("prompt = \"implementation\"\n");
  EXPECT_EQ(luzia({"solution", "add", "the parser tests fail", "make parser first", "--project", "told",
                   "--confidence", "0.9"})
                .code,
            0);
  const Json job = done({"fix the parser tests"});
  EXPECT_EQ(job["state"], "completed") << job;
  EXPECT_THAT(heard(), HasSubstr("fix the parser tests\n"));
  EXPECT_THAT(heard(), HasSubstr("make parser first"));
  EXPECT_THAT(heard(), HasSubstr("pytest: runs the tests"));
  EXPECT_THAT(heard(), HasSubstr("Language: python"));
  EXPECT_EQ(job["task"], "fix the parser tests");
  EXPECT_EQ(read_text(job["dir"].get<std::string>() + "/prompt.txt"), heard());
  const auto built = events_of(job["id"], "PromptBuilt");
  ASSERT_EQ(built.size(), 1U);
  EXPECT_EQ(built[0]["data"]["template"], "implementation");
  EXPECT_EQ(built[0]["data"]["bytes"], heard().size());
  EXPECT_EQ(query({"verify"}).code, 0);
}

TEST_F(PromptsTest, PreviewEqualsTheAttemptsPrompt) {
  set_up("prompt = \"implementation\"\n");
  const Finished shown = luzia({"prompt", "preview", "told", "fix it"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(done({"fix it"})["state"], "completed");
  EXPECT_EQ(without_time(heard()), without_time(shown.out));
  EXPECT_THAT(heard(), HasSubstr("You are listener."));
  EXPECT_THAT(heard(), HasSubstr("\n- Time: "));
  EXPECT_THAT(shown.err, HasSubstr(": task 6, identity "));
  EXPECT_EQ(shown.err.find("alone"), std::string::npos);
  const Finished alone = luzia({"prompt", "preview", "told", "fix it", "--template", "none"});
  EXPECT_EQ(alone.out, "fix it\n") << "a line for people and tools of lines";
  EXPECT_EQ(luzia_json({"prompt", "preview", "told", "fix it", "--template", "none"})["prompt"], "fix it")
      << "the prompt that the agent gets";
  const Json sections = luzia_json({"prompt", "preview", "told", "fix it"})["sections"];
  ASSERT_EQ(sections.size(), 10U);
  EXPECT_EQ(sections[0], (Json{{"name", "task"}, {"bytes", 6}, {"cut", false}}));
  EXPECT_THAT(alone.err, testing::HasSubstr("the agent gets the task alone: no template is named"));
  const Finished executed = luzia({"prompt", "preview", "told", "fix it", "--agent", "shell"});
  EXPECT_THAT(executed.err, testing::HasSubstr("its command executes the task as code"));
}

TEST_F(PromptsTest, OwnTemplateOutranksTheShippedOne) {
  set_up("prompt = \"analysis\"\n");
  std::ofstream(path("templates/analysis.md")) << "Look only. {{task}}";
  done({"what is here?"});
  EXPECT_EQ(heard(), "Look only. what is here?");
  done({"what is here?", "--prompt", "none"});
  EXPECT_EQ(heard(), "what is here?");
  done({"what is here?", "--prompt", "debugging"});
  EXPECT_THAT(heard(), HasSubstr("See the failure yourself first"));
}

TEST_F(PromptsTest, InvalidTemplateIsRefusedBeforeQueueing) {
  set_up("");
  std::ofstream(path("templates/broken.md")) << "{{task}} {{taks}}";
  std::ofstream(path("secret")) << "secret {{task}}";
  const std::pair<std::string, const char*> cases[] = {
      {"nothing", "no prompt template 'nothing'"},
      {"broken", "line 1: there is no section 'taks'"},
      {path("secret"), "no prompt template"},
      {"../secret", "no prompt template"},
  };
  for (const auto& [name, says] : cases) {
    const Finished sent = luzia({"dispatch", "told", "x", "--prompt", name});
    EXPECT_EQ(sent.code, 2) << name;
    EXPECT_THAT(sent.err, HasSubstr(says)) << name;
  }
  EXPECT_EQ(luzia_json({"jobs", "--all"})["jobs"].size(), 0U);
}

TEST_F(PromptsTest, ShellTaskStaysUnchanged) {
  set_up("prompt = \"implementation\"\n");
  const Json job = done({"echo it ran", "--agent", "shell"});
  EXPECT_EQ(job["state"], "completed");
  EXPECT_EQ(job["last_line"], "it ran");
  EXPECT_TRUE(events_of(job["id"], "PromptBuilt").empty());
}

TEST_F(PromptsTest, SecondAttemptLearnsOfTheFirstsFailure) {
  set_up("prompt = \"debugging\"\n");
  script("listen.sh",
         "cat > heard; [ \"$LUZIA_ATTEMPT\" -gt 1 ] || { echo \"ModuleNotFoundError: No module named "
         "'flask'\"; exit 1; }\n");
  const Json first = done({"run it"});
  EXPECT_EQ(first["state"], "failed");
  EXPECT_THAT(heard(), Not(HasSubstr("What went wrong")));
  EXPECT_EQ(luzia({"retry", first["id"]}).code, 0);
  EXPECT_TRUE(becomes(first["id"], "completed"));
  EXPECT_THAT(heard(), HasSubstr("What went wrong"));
  EXPECT_THAT(heard(), HasSubstr("flask"));
}

TEST_F(PromptsTest, ConfiguredToolsAreListedAndSuggested) {
  set_up("");
  std::ofstream(project() + "/.mcp.json")
      << R"({"mcpServers":{"github":{"command":"npx","env":{"TOKEN":"t0ps3cret"}}}})";
  EXPECT_TRUE(wait_until([&] { return luzia_json({"tools", "--project", "told"})["tools"].size() == 2U; }));
  const Json best = luzia_json({"tools", "suggest", "run all the tests", "--project", "told"})["tools"];
  ASSERT_FALSE(best.empty());
  EXPECT_EQ(best[0]["tool"], "pytest");
  EXPECT_THAT(best[0]["reason"].get<std::string>(), HasSubstr("tests"));
  EXPECT_THAT(luzia({"tools", "--json"}).out, Not(HasSubstr("t0ps3cret")));
  const auto one_of = [&](const std::string& order) {
    return luzia(
               {"tools", "--project", "told", "--sort", order, "--limit", "1", "--columns", "tool", "--csv"})
        .out;
  };
  EXPECT_EQ(one_of("-tool"), "tool\r\npytest\r\n");
  EXPECT_NE(one_of("tool"), one_of("-tool")) << "the limit comes after the order";
  const std::uint64_t before = position();
  EXPECT_EQ(luzia({"config", "reload"}).code, 0);
  EXPECT_EQ(luzia_json({"tools", "--project", "told"})["tools"].size(), 2U);
  EXPECT_EQ(position(), before);
}

TEST_F(PromptsTest, ChangedToolFilesAreReadForTheNextJob) {
  set_up("");
  const auto names = [&](const std::string& server) {
    return luzia({"tools", "--project", "told", "--json"}).out.find('"' + server + '"') != std::string::npos;
  };
  EXPECT_TRUE(wait_until([&] { return names("pytest"); }));
  for (const std::string server : {"github", "jira"}) {
    std::ofstream(project() + "/.mcp.json") << R"({"mcpServers":{")" + server + R"(":{"command":"npx"}}})";
    EXPECT_FALSE(names(server));
    done({"x"});
    EXPECT_TRUE(wait_until([&] { return names(server); })) << server;
  }
  const auto known = [&] {
    return std::ranges::count_if(events(), [](const Json& each) { return each["type"] == "ToolCatalogued"; });
  };
  const auto before = known();
  done({"x"});
  EXPECT_EQ(known(), before);
}

}  // namespace
}  // namespace luzia
