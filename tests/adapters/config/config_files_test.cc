#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "adapters/config/config.h"
#include "engine/base/places.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

using ::testing::Pair;

class ConfigFiles : public ScratchTest {
 protected:
  void SetUp() override {
    for (const char* variable : {"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LUZIA_CONFIG"}) {
      const char* value = std::getenv(variable);
      saved_.emplace_back(variable, value == nullptr ? std::optional<std::string>() : std::string(value));
      ::unsetenv(variable);
    }
  }
  void TearDown() override {
    for (const auto& [variable, value] : saved_) {
      value ? ::setenv(variable.c_str(), value->c_str(), 1) : ::unsetenv(variable.c_str());
    }
  }
  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

TEST_F(ConfigFiles, LaterFilesWinKeyByKey) {
  const auto first =
      write("1.toml", "[queue]\nmax_running = 1\nmax_per_project = 2\n[projects.p]\npath = \"/a\"\n");
  const auto second = write("2.toml", "[queue]\nmax_running = 9\n[projects.p]\nagent = \"claude\"\n");
  const auto config = load_config_files({{first, true}, {scratch_ + "/missing.toml", false}, {second, true}});
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->queue.max_running, 9u);
  EXPECT_EQ(config->queue.max_per_project, 2u);
  EXPECT_EQ(config->projects.at("p").path, "/a");
  EXPECT_EQ(config->projects.at("p").agent, "claude");
  EXPECT_EQ(config->files, (std::vector<std::string>{first, second}));
}

TEST_F(ConfigFiles, OlderToolsFileIsRead) {
  const auto old = write("status_config.toml",
                         "[status_updates]\nverbosity = \"verbose\"\nprogress_update_threshold_percent = 10\n"
                         "[display]\nuse_colors = false\n[logging]\nlog_file = \"/var/log/x.log\"\n"
                         "[limits]\nmax_buffer_size = 20\nmax_history = 5\n");
  const auto config = load_config_files({{old, true}});
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->status_updates.progress_update_threshold_percent, 10);
  EXPECT_FALSE(config->display.use_colors);
  EXPECT_EQ(config->logging.log_file, "/var/log/x.log");
  EXPECT_EQ(config->limits.max_history, 5);
}

/// A file as users of the older tool have it: its own words and spelling, with keys of versions and plugins
/// that we never saw.
constexpr char kOlderFile[] = R"(# luz status configuration
version = "1.4"

[status_updates]
verbosity = "Verbose"
show_task_started = true
show_task_completed = true
show_progress_updates = true
progress_update_threshold_percent = 10
progress_update_min_interval_seconds = 30

[display]
use_colors = true
use_emojis = "auto"
compact_format = false
timestamp_format = "%H:%M:%S"
theme = "Dark"

[logging]
enabled = true
log_file = "/var/log/luz-orchestrator/status.log"
log_level = "INFO"
max_bytes = 10485760

[limits]
max_buffer_size = 20
max_history = 5

[alerts]
channels = ["telegram"]
warn_on_duration_exceeded = true

[agents.reviewer]
timeout = 600

[queue]
max_concurrent = 4
)";

TEST_F(ConfigFiles, MistakesInTheOlderToolsFileAreWarnings) {
  const auto old = write("status_config.toml", kOlderFile);
  const auto config = load_config_files({{old, true}});
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->logging.log_level, "info");
  EXPECT_EQ(config->status_updates.verbosity, "verbose");
  EXPECT_EQ(config->status_updates.progress_update_threshold_percent, 10);
  EXPECT_EQ(config->limits.max_history, 5);
  EXPECT_TRUE(config->display.use_emojis) << "as shipped";
  EXPECT_FALSE(config->agents.contains("reviewer")) << "it has no command";
  std::vector<std::string> told;
  for (const Error& warning : config->warnings) told.push_back(warning.message);
  for (const char* place : {":2:1: unknown key 'version'", ":7:1: unknown key 'show_task_completed'",
                            ":14:14: display.use_emojis is a string", ":17:1: unknown key 'theme'",
                            ":20:1: unknown key 'enabled'", "unknown key 'alerts'",
                            "agent 'reviewer' has no command", "unknown key 'max_concurrent' in [queue]"}) {
    EXPECT_THAT(told, Contains(HasSubstr(place)));
  }
}

TEST_F(ConfigFiles, OlderToolsFileNeverStopsACommand) {
  for (const char* text :
       {"log_level = INFO", "[logging]\nlog_level = \"LOUD\"\n[defaults]\nagent = \"luz\"\n",
        "[logging]\nlog_level = 20\n", "\xff", "[[hooks]]\nname = \"x\"\n"}) {
    ::setenv("LUZIA_CONFIG", write("status_config.toml", text).c_str(), 1);
    const auto config = load_config();
    ASSERT_TRUE(config.has_value()) << text << ": " << config.error().message;
    EXPECT_FALSE(config->warnings.empty()) << text;
    EXPECT_EQ(config->defaults.agent, "shell");
    EXPECT_TRUE(check_config().empty()) << text;
  }
}

TEST_F(ConfigFiles, OlderToolsFileMayHoldOurKeys) {
  const auto old = write("status_config.toml", "[queue]\nmax_running = 3\n[logging]\nlevel = 1\n");
  const auto config = load_config_files({{old, true}});
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->queue.max_running, 3U);
}

TEST_F(ConfigFiles, NamedFileThatIsMissingIsAnError) {
  const auto config = load_config(scratch_ + "/none.toml");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().code, "config_missing");
  ::setenv("LUZIA_CONFIG", (scratch_ + "/none.toml").c_str(), 1);
  EXPECT_FALSE(load_config().has_value());
}

TEST_F(ConfigFiles, AMissingTimeZoneIsAnErrorOfTheCheckAlone) {
  const std::string file = write("zones.toml",
                                 "[projects.p]\npath = \"/a\"\n[[schedules]]\nname = \"s\"\nproject = \"p\"\n"
                                 "task = \"t\"\ncron = \"@daily\"\ntime_zone = \"Mars/Base\"\n");
  const auto config = load_config(file);
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->schedules.at("s").time_zone, "Mars/Base");
  const auto errors = check_config(file);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].code, "config_range");
  EXPECT_THAT(errors[0].message,
              HasSubstr("zones.toml:8:13: schedule 's' has a time_zone that cannot be used"));
}

TEST_F(ConfigFiles, PathThatIsNoFileIsAnError) {
  const auto config = load_config(scratch_);
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().code, "config_unreadable");
}

TEST_F(ConfigFiles, UsersFileFollowsXdg) {
  ::setenv("HOME", scratch_.c_str(), 1);
  EXPECT_THAT(config_paths(), Contains(Pair(scratch_ + "/.config/luzia/luzia.toml", false)));
  ::setenv("XDG_CONFIG_HOME", (scratch_ + "/xdg").c_str(), 1);
  std::filesystem::create_directories(scratch_ + "/xdg/luzia");
  write("xdg/luzia/luzia.toml", "");
  EXPECT_THAT(config_paths(), Contains(Pair(scratch_ + "/xdg/luzia/luzia.toml", true)));
  ::setenv("XDG_CONFIG_HOME", "relative", 1);
  EXPECT_THAT(config_paths(), Contains(Pair(scratch_ + "/.config/luzia/luzia.toml", false)));
}

TEST_F(ConfigFiles, CheckListsEveryError) {
  ::setenv("HOME", scratch_.c_str(), 1);
  const auto file =
      write("bad.toml", "[queue]\nmax_runing = 1\n[retry]\nmax = \"x\"\n[projects.p]\nagent = \"y\"\n");
  const auto errors = check_config(file);
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_THAT(errors[0].message, HasSubstr(file + ":2:1"));
  EXPECT_THAT(errors[1].message, HasSubstr(file + ":4:7"));
  EXPECT_THAT(errors[2].message, HasSubstr(file + ":6:9"));
}

TEST_F(ConfigFiles, BadValueIsReportedOnce) {
  ::setenv("HOME", scratch_.c_str(), 1);
  const std::string webhook = "[[webhooks]]\nname = \"chat\"\n", on = "on = [\"warning\"]\n";
  for (const std::string& text :
       {webhook + on + "url = \"ftp://x\"\n", webhook + on + "url = \"\"\n", webhook + on + "url = 3\n",
        webhook + "url = \"http://x\"\non = [\"warnign\"]\n",
        "[[hooks]]\nname = \"a\"\n" + on + "command = [\"\"]\n",
        "[[hooks]]\nname = \"a\"\n" + on + "command = 3\n", std::string("[agents.a]\ncommand = 3\n")}) {
    const auto errors = check_config(write("bad.toml", text));
    std::string all;
    for (const Error& error : errors) all += error.message + "\n";
    EXPECT_EQ(errors.size(), 1u) << text << all;
  }
}

TEST_F(ConfigFiles, StoreAndJobsFollowXdgAndTheConfiguration) {
  Config config;
  ::setenv("XDG_STATE_HOME", "/x/state", 1);
  EXPECT_EQ(default_store(config), "/x/state/luzia/store");
  EXPECT_EQ(default_jobs_root(config), "/x/state/luzia/jobs");
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(default_store(config), store_by_surroundings());
  config.store.path = "/var/lib/luzia/store";
  EXPECT_EQ(default_jobs_root(config), "/var/log/luz-orchestrator/jobs");
  config.jobs.root = "/jobs";
  EXPECT_EQ(default_jobs_root(config), "/jobs");
}

TEST_F(ConfigFiles, PathsAreAbsoluteWithoutAnyVariables) {
  const Config config;
  EXPECT_EQ(default_store(config).front(), '/');
  EXPECT_EQ(default_jobs_root(config).front(), '/');
}

TEST_F(ConfigFiles, TildeMeansHome) {
  ::setenv("HOME", "/h", 1);
  const auto config = parse_config("[store]\npath = \"~/s\"\n[projects.p]\npath = \"~\"\n", "t");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->store.path, "/h/s");
  EXPECT_EQ(config->projects.at("p").path, "/h");
}

}  // namespace
}  // namespace luzia
