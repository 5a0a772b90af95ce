// A step's input cannot be read. If that is temporary, the step waits and is dispatched later. If it is
// permanent, the step fails with the reason and continues when a person has fixed it. What is known before is
// refused at once.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>

#include "tests/e2e/daemon_fixture.h"
#include "tests/failing_calls/failing_calls.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// Appears nowhere else in the store, and cannot be compressed.
constexpr const char* kTold = "echo x8Qz-41vK_w0Ru7 >> told";

class FlowTroubleTest : public DaemonTest {
 protected:
  /// Creates project `told` with its own template and an agent that records its input.
  void set_up() {
    configure("[agents.listener]\ncommand = [\"sh\", \"" + project() +
              "/listen.sh\"]\n[projects.told]\npath = \"" + project() +
              "\"\nagent = \"listener\"\nprompt = \"" + template_file() + "\"\n");
    script("listen.sh", "cat > heard\n");
    write_text(template_file(), "Be brief. {{task}}");
  }
  std::string template_file() const { return path("brief.md"); }

  /// A flow of one step that waits at its gate.
  std::string waiting_flow(const std::string& project_name, const std::string& prompt) {
    write_text(path("flow.toml"), "[[steps]]\nname='tell'\ngate='go'\nprompt='" + prompt + "'\n");
    const Finished ran = luzia({"flow", "run", path("flow.toml"), "--project", project_name});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out.substr(0, ran.out.find('\n'));
  }
  void open_gate(const std::string& flow) { EXPECT_EQ(luzia({"flow", "approve", flow, "tell"}).code, 0); }
  Json step(const std::string& flow) { return luzia_json({"flow", "status", flow})["steps"][0]; }
  void await_step(const std::string& flow, const std::string& state) {
    EXPECT_TRUE(wait_until([&] { return step(flow)["state"] == state; })) << step(flow);
  }

  /// Lets the daemon's calls fail as `decide` says, while trouble is on.
  void start_with_trouble(const std::function<int(const AskedCall&)>& decide) {
    calls_.emplace(path("calls"), std::vector<int>{SYS_openat, SYS_pread64, SYS_newfstatat},
                   [this, decide](const AskedCall& call) {
                     if (!trouble_ || call.program() != "luziad") return FailingCalls::kGoOn;
                     const int decision = decide(call);
                     met_ = met_ || decision != FailingCalls::kGoOn;
                     return decision;
                   });
    daemon_.emplace(calls_->filtered({kLuziad, "--store", store()}), environment(), path("luziad.out"));
    ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); })) << daemon_->output();
  }
  /// Checks that the step waits, reports it once, and is dispatched when the trouble is gone.
  void expect_waits_and_goes_on(const std::string& flow) {
    trouble_ = true;
    open_gate(flow);
    const std::string words = "flow " + flow + ": step tell cannot be dispatched yet: ";
    EXPECT_TRUE(wait_until([&] { return times_told(words) == 1; }));
    met_ = false;
    EXPECT_TRUE(wait_until([&] { return met_.load(); })) << "it is tried again";
    EXPECT_EQ(step(flow)["state"], "pending");
    trouble_ = false;
    await_step(flow, "completed");
    EXPECT_EQ(times_told(words), 1U) << "once, however often it was tried";
    expect_verified();
  }
  std::size_t times_told(const std::string& words) const {
    const std::string log = read_text(store() + "/luziad.log");
    std::size_t times = 0;
    for (auto at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) ++times;
    return times;
  }

  /// The log's files that contain these bytes.
  std::vector<fs::path> files_with(const std::string& bytes) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(store() + "/log")) {
      const bool holds =
          entry.path().extension() == ".sst" && read_text(entry.path()).find(bytes) != std::string::npos;
      if (holds) found.push_back(entry.path());
    }
    return found;
  }

 private:
  std::atomic<bool> trouble_{false}, met_{false};
  std::optional<FailingCalls> calls_;
  std::optional<BesideProgram> daemon_;
};

/// The name of the open file that the call uses.
std::string file_of(const AskedCall& call) {
  std::error_code none;
  return fs::read_symlink("/proc/" + std::to_string(call.thread) + "/fd/" + std::to_string(call.arguments[0]),
                          none);
}

TEST_F(FlowTroubleTest, StepWaitsForAReadablePrompt) {
  const std::string flow = waiting_flow("demo", kTold);
  stop_daemon();
  // The next start moves the prompt from the write-ahead log to a table file, which is read on demand.
  const std::string log = store() + "/log/";
  start_with_trouble([log](const AskedCall& call) {
    const bool reads = call.number == SYS_pread64 && file_of(call).starts_with(log);
    return reads ? EIO : FailingCalls::kGoOn;
  });
  expect_waits_and_goes_on(flow);
  EXPECT_EQ(read_text(project() + "/told"), "x8Qz-41vK_w0Ru7\n");
}

TEST_F(FlowTroubleTest, StepWaitsForDescriptorsToReadItsTemplate) {
  set_up();
  const std::string flow = waiting_flow("told", "fix it");
  stop_daemon();
  const std::string brief = template_file();
  start_with_trouble([brief](const AskedCall& call) {
    return call.number == SYS_openat && call.text(1) == brief ? EMFILE : FailingCalls::kGoOn;
  });
  expect_waits_and_goes_on(flow);
  EXPECT_EQ(read_text(project() + "/heard"), "Be brief. fix it");
}

TEST_F(FlowTroubleTest, StepWaitsForItsDirectoryToRespond) {
  const std::string flow = waiting_flow("demo", kTold);
  stop_daemon();
  start_with_trouble([directory = project()](const AskedCall& call) {
    const bool looks = call.number == SYS_newfstatat && call.text(1) == directory;
    return looks ? FailingCalls::kHold : FailingCalls::kGoOn;
  });
  expect_waits_and_goes_on(flow);
  EXPECT_EQ(read_text(project() + "/told"), "x8Qz-41vK_w0Ru7\n");
}

TEST_F(FlowTroubleTest, StepWithAMissingTemplateFails) {
  set_up();
  const std::string flow = waiting_flow("told", "fix it");
  fs::remove(template_file());
  open_gate(flow);
  await_step(flow, "failed");
  EXPECT_THAT(step(flow)["error"].get<std::string>(), HasSubstr(template_file() + ": No such file"));
  EXPECT_EQ(luzia_json({"flow", "status", flow})["state"], "failed");
  EXPECT_TRUE(luzia_json({"jobs", "--all"})["jobs"].empty());
  write_text(template_file(), "Be brief. {{task}}");
  EXPECT_EQ(luzia({"flow", "reset", flow, "tell"}).code, 0);
  open_gate(flow);
  await_step(flow, "completed");
  EXPECT_EQ(read_text(project() + "/heard"), "Be brief. fix it");
  expect_verified();
}

TEST_F(FlowTroubleTest, UnreadableTemplateIsNotReplacedByTheShippedOne) {
  fs::create_directories(path("templates"));
  fs::create_symlink("analysis.md", path("templates/analysis.md"));  // a circle
  configure("[prompts]\nfolder = \"" + path("templates") + "\"\n");
  const Finished sent = luzia({"dispatch", "demo", "look", "--prompt", "analysis"});
  EXPECT_EQ(sent.code, 5) << sent.out;
  EXPECT_THAT(sent.err, HasSubstr("templates/analysis.md: Too many levels of symbolic links"));
  EXPECT_TRUE(luzia_json({"jobs", "--all"})["jobs"].empty());
}

TEST_F(FlowTroubleTest, StepWithADamagedPromptFails) {
  const std::string flow = waiting_flow("demo", kTold);
  restart_daemon();
  stop_daemon();
  const auto files = files_with("x8Qz-41vK_w0Ru7");
  ASSERT_EQ(files.size(), 1U);
  std::string bytes = read_text(files.front());
  bytes[bytes.find("x8Qz-41vK_w0Ru7")] ^= 1;
  write_text(files.front(), bytes);
  start_daemon();
  open_gate(flow);
  await_step(flow, "failed");
  const std::string error = step(flow)["error"];
  EXPECT_THAT(error, HasSubstr("its prompt is gone: "));
  EXPECT_THAT(error, HasSubstr("luzia flow add " + flow));
  EXPECT_FALSE(fs::exists(project() + "/told"));
}

TEST_F(FlowTroubleTest, StepWithoutAnInstalledAgentIsRefused) {
  configure("[agents.gone]\ncommand = [\"no-such-agent\", \"{task}\"]\n[projects.bare]\npath = \"" +
            project() + "\"\nagent = \"gone\"\n");
  start_daemon();
  const auto tried = [&](const std::string& step, const Words& more) {
    write_text(path("gone.toml"), "[[steps]]\nname='a'\nprompt='true'\nagent='shell'\n" + step);
    Words words = {"flow", "run", path("gone.toml")};
    words.insert(words.end(), more.begin(), more.end());
    return luzia(words);
  };
  const std::string named = "[[steps]]\nname='b'\nprompt='x'\nagent='gone'\n";
  for (const Words& more : {Words{"--project", "demo", "--dry-run"}, {"--project", "demo"}}) {
    const Finished refused = tried(named, more);
    EXPECT_EQ(refused.code, 4);
    EXPECT_THAT(refused.err, testing::AllOf(testing::HasSubstr("step 'b': agent 'gone' is not installed"),
                                            testing::HasSubstr("installed: shell")));
  }
  const std::string by_default = "[[steps]]\nname='b'\nprompt='x'\n";
  EXPECT_EQ(tried(by_default, {"--project", "bare", "--dry-run"}).code, 4);
  EXPECT_EQ(tried(by_default, {"--project", "demo", "--dry-run"}).code, 0);
  EXPECT_TRUE(luzia_json({"flow", "list", "--all"})["flows"].empty());
}

}  // namespace
}  // namespace luzia
