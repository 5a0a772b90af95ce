#include "adapters/older_tool/older_job.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "adapters/older_tool/older_queue.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

constexpr TimeUs kNow = 1'800'000'000LL * kSecondUs;  // 2027-01-15T08:00:00Z
constexpr const char* kMeta =
    R"({"id":"143022-a1b2","project":"web","task":"Fix the login","type":"agent","user":"ana","pid":null,)"
    R"("started":"2026-11-20T14:30:22Z","status":"completed","debug":false})";

class OlderJobTest : public ScratchTest {
 protected:
  OlderJobTest() {
    std::filesystem::create_directory(scratch_ + "/job");
    fd_ = open(scratch_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  ~OlderJobTest() override { close(fd_); }
  void write(const std::string& name, const std::string& content) {
    std::ofstream(scratch_ + "/job/" + name, std::ios::binary) << content;
  }
  Result<OlderJob> read(const std::string& name = "job") { return read_older_job(fd_, name, kNow); }
  std::string why() {
    const auto job = read();
    return job ? "it was read" : job.error().message;
  }

  int fd_ = -1;
};

TEST_F(OlderJobTest, FinishedJobIsReadWithTimesCodeAndOutput) {
  write("meta.json", kMeta);
  write("prompt.txt", "Fix the login\nof the shop\n");
  write("output.log", "one\ntwo\n\nexit:0\n");
  const auto job = read();
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->meta.id, "143022-a1b2");
  EXPECT_EQ(job->task, "Fix the login\nof the shop\n");
  EXPECT_EQ(job->state, schema::JobState::completed);
  EXPECT_EQ(job->exit_code, 0);
  EXPECT_EQ(job->meta.started_us, 1'795'185'022LL * kSecondUs);
  EXPECT_EQ(job->meta.queued_us, job->meta.started_us);
  EXPECT_GE(job->meta.ended_us, job->meta.started_us);
  EXPECT_EQ(job->output_bytes, 8U);
  EXPECT_EQ(job->output_lines, 2U);
  EXPECT_EQ(job->last_line, "two");
  EXPECT_EQ(job->uid, getuid());
}

TEST_F(OlderJobTest, TaskFallsBackToMetaJson) {
  write("meta.json", kMeta);
  const auto job = read();
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->task, "Fix the login");
  EXPECT_EQ(job->output_bytes, 0U);
}

TEST_F(OlderJobTest, InvalidJobIsNamedInOneLine) {
  EXPECT_EQ(why(), "there is no meta.json in it");
  write("meta.json", "{");
  EXPECT_EQ(why(), "meta.json: it is no JSON object");
  write("meta.json", R"({"name":"shop","version":2})");
  EXPECT_EQ(why(), "it names neither a project nor a task");
  write("meta.json", R"({"id":"1qfar2zr00c6x","project":"web","task":"b","attempt":1})");
  EXPECT_EQ(why(), "it is a job of Luzia's own");
}

/// Strings as Python's json writes them if a script read the values from a file, a form or os.environ.
TEST_F(OlderJobTest, NumbersMayBeStrings) {
  write("meta.json",
        R"({"id":143022,"project":"web","task":"Fix it","type":"agent","user":"ana","pid":"12847",)"
        R"("started":"1795185022","ended":1795185322.5,"exit_code":"3","status":"Failed","debug":"False"})");
  const auto job = read();
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->meta.id, "143022");
  EXPECT_EQ(job->meta.pid, 12'847);
  EXPECT_EQ(job->meta.started_us, 1'795'185'022LL * kSecondUs);
  EXPECT_EQ(job->meta.ended_us, 1'795'185'322LL * kSecondUs + 500'000);
  EXPECT_EQ(job->exit_code, 3);
  EXPECT_EQ(job->meta.status, "failed");
  EXPECT_TRUE(job->meta.notes.empty());
  for (const char* code : {"0", "\"0\"", "0.0", "\" 0 \"", "\"0.0\"", "\"+0\""}) {
    const auto meta = parse_older_meta(R"({"exit_code":)" + std::string(code) + "}");
    ASSERT_TRUE(meta);
    EXPECT_EQ(meta->exit_code, 0) << code;
    EXPECT_TRUE(meta->notes.empty()) << code;
  }
  for (const char* nothing : {"null", "\"\"", "\" \"", "NaN", "-Infinity"}) {
    const auto meta = parse_older_meta(R"({"pid":)" + std::string(nothing) + "}");
    ASSERT_TRUE(meta) << nothing;
    EXPECT_TRUE(meta->notes.empty()) << nothing;
  }
}

TEST_F(OlderJobTest, NoFieldPreventsTheImport) {
  const std::map<std::string, std::string> good = {{"id", "\"143022-a1b2\""},
                                                   {"project", "\"web\""},
                                                   {"task", "\"Fix it\""},
                                                   {"agent", "\"claude\""},
                                                   {"status", "\"failed\""},
                                                   {"pid", "12847"},
                                                   {"exit_code", "1"},
                                                   {"queued", "\"2026-11-20T14:30:20\""},
                                                   {"started", "\"2026-11-20T14:30:22\""},
                                                   {"ended", "\"2026-11-20T14:35:22\""}};
  const char* const odd[] = {"{}",
                             "[]",
                             "[1]",
                             R"({"a":1})",
                             "true",
                             "1e300",
                             "-1",
                             "\"soon\"",
                             "\"2099-01-01T00:00:00Z\"",
                             "99999999999999999999",
                             "\"\\ud800\"",
                             "\"\xff\"",
                             "\"a/b\"",
                             "\"a\\nb\"",
                             "null",
                             "\"\"",
                             "NaN"};
  for (const auto& [name, right] : good) {
    for (const char* value : odd) {
      std::string json;
      for (const auto& [each, fits] : good) {
        json += (json.empty() ? "{" : ",") + ('"' + each + "\":" + (each == name ? value : fits));
      }
      write("meta.json", json + "}");
      const auto job = read();
      ASSERT_TRUE(job) << name << " = " << value << ": " << job.error().message;
      EXPECT_FALSE(job->meta.project.empty());
      EXPECT_EQ(job->meta.project.find('/'), std::string::npos);
      EXPECT_EQ(job->meta.project.find('\n'), std::string::npos);
      EXPECT_FALSE(job->task.empty());
      EXPECT_LE(job->meta.queued_us, job->meta.started_us);
      EXPECT_LE(job->meta.started_us, job->meta.ended_us);
      EXPECT_LE(job->meta.ended_us, kNow);
    }
  }
}

TEST_F(OlderJobTest, OmissionsAreNoted) {
  write("meta.json",
        R"({"project":"team/web","task":["a"],"pid":"soon","exit_code":99999999999,"started":"soon",)"
        R"("ended":"2099-01-01T00:00:00Z"})");
  write("prompt.txt", "Fix it");
  const auto job = read();
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->task, "Fix it");
  EXPECT_EQ(job->meta.project, "team-web");
  EXPECT_EQ(job->exit_code, std::nullopt);
  EXPECT_EQ(job->meta.notes,
            (std::vector<std::string>{
                "\"task\" is not a string", "\"pid\" is not a whole number", "\"exit_code\" is no exit code",
                "\"started\" is no time that can be read",
                "its project's name does not fit: taken as 'team-web'", "\"ended\" lies in the future"}));
  write("meta.json", R"({"id":"a","task":"b"})");
  EXPECT_EQ(read()->meta.notes, std::vector<std::string>{"it names no project: taken as 'unknown'"});
}

TEST_F(OlderJobTest, RunningJobIsNotImported) {
  write("meta.json",
        R"({"project":"web","task":"b","status":"running","started":"2099-01-01T00:00:00Z","pid":)" +
            std::to_string(getpid()) + "}");
  EXPECT_EQ(why(), "it still runs (pid " + std::to_string(getpid()) + "): import it when it has ended");
  // The pid belongs to a process that started long after the job.
  write("meta.json",
        R"({"project":"web","task":"b","status":"running","started":"2001-01-01T00:00:00Z","pid":)" +
            std::to_string(getpid()) + "}");
  const auto job = read();
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->state, schema::JobState::lost);
}

TEST_F(OlderJobTest, LinksAndPipesAreIgnored) {
  write("meta.json", kMeta);
  ASSERT_EQ(mkfifo((scratch_ + "/job/output.log").c_str(), 0600), 0);
  EXPECT_EQ(why(), "output.log is not a plain file that can be read");
  std::filesystem::remove(scratch_ + "/job/output.log");
  std::filesystem::create_symlink("/etc/passwd", scratch_ + "/job/output.log");
  EXPECT_EQ(why(), "output.log is not a plain file that can be read");
  std::filesystem::remove(scratch_ + "/job/output.log");
  std::filesystem::create_symlink("/etc/passwd", scratch_ + "/job/prompt.txt");
  EXPECT_EQ(why(), "prompt.txt is not a plain file");
  std::filesystem::create_symlink(scratch_ + "/job", scratch_ + "/link");
  const auto linked = read("link");
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().message, "it is a link, and links are not followed");
}

TEST_F(OlderJobTest, HugeOutputIsReadAtItsEndOnly) {
  write("meta.json", kMeta);
  write("output.log", "");
  const std::string path = scratch_ + "/job/output.log";
  std::filesystem::resize_file(path, 4ULL << 30);  // sparse: needs no disk space
  std::ofstream(path, std::ios::binary | std::ios::app) << "\nthe end\n\nexit:3\n";
  const auto job = read();
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->exit_code, 3);
  EXPECT_EQ(job->state, schema::JobState::failed);
  EXPECT_EQ(job->last_line, "the end");
  EXPECT_EQ(job->output_bytes, (4ULL << 30) + 9);
  EXPECT_EQ(job->output_lines, 0U);
}

TEST_F(OlderJobTest, AHugeMetaOrPromptIsRefused) {
  write("meta.json", kMeta);
  write("prompt.txt", "");
  std::filesystem::resize_file(scratch_ + "/job/prompt.txt", kMaxOlderPrompt + 1);
  EXPECT_EQ(why(), "prompt.txt has more than 4096 KiB");
  std::filesystem::resize_file(scratch_ + "/job/meta.json", kMaxOlderMeta + 1);
  EXPECT_EQ(why(), "meta.json has more than 1024 KiB");
}

struct EndCase {
  const char* tail;
  std::optional<int> code;
  std::size_t trailer;
  const char* last_line;
};

TEST(OlderEnd, OnlyTheLastLineIsTheExitLine) {
  const EndCase cases[] = {
      {"", std::nullopt, 0, ""},
      {"exit:0", 0, 6, ""},
      {"\nexit:0\n", 0, 7, ""},
      {"out\n\nexit:7\n", 7, 8, "out"},
      {"out\nexit:7", 7, 6, "out"},
      {"out\n\nexit:-15\n\n", -15, 11, "out"},
      {"exit:0\nmore\n", std::nullopt, 0, "more"},
      {"exit:zero", std::nullopt, 0, "exit:zero"},
      {"exit:", std::nullopt, 0, "exit:"},
      {"exit:-", std::nullopt, 0, "exit:-"},
      {"exit:99999999999999999999", std::nullopt, 0, "exit:99999999999999999999"},
      {"a\rb\rc\n\nexit:0\n", 0, 8, "c"},
      {"bad \xff byte\n", std::nullopt, 0, "bad \xEF\xBF\xBD byte"},
  };
  for (const EndCase& each : cases) {
    SCOPED_TRACE(each.tail);
    const OlderEnd end = read_older_end(each.tail);
    EXPECT_EQ(end.exit_code, each.code);
    EXPECT_EQ(end.trailer, each.trailer);
    EXPECT_EQ(end.last_line, each.last_line);
  }
}

TEST(OlderTime, PythonsFormatIsRead) {
  setenv("TZ", "UTC-2", 1);  // two hours ahead of UTC
  tzset();
  constexpr TimeUs kMoment = 1'795'185'022LL * kSecondUs;  // 2026-11-20T14:30:22Z
  EXPECT_EQ(parse_older_time("2026-11-20T14:30:22Z"), kMoment);
  EXPECT_EQ(parse_older_time("2026-11-20T15:30:22+01:00"), kMoment);
  EXPECT_EQ(parse_older_time("2026-11-20T16:30:22"), kMoment);
  EXPECT_EQ(parse_older_time("2026-11-20 16:30:22.25"), kMoment + 250'000);
  EXPECT_EQ(parse_older_time("2026-11-20T16:30:22.123456"), kMoment + 123'456);
  EXPECT_EQ(parse_older_time("1795185022"), kMoment);
  EXPECT_EQ(parse_older_time("1795185022.5"), kMoment + 500'000);
  EXPECT_EQ(parse_older_time("1795185022000"), kMoment);
  for (const char* bad : {"", "soon", "2026-13-01T00:00:00", "2026-11-20T25:00:00", "1",
                          "99999999999999999999", "2026-11-20T14:30:22.x", "1.2.3", "2500-01-01T00:00:00Z"}) {
    EXPECT_EQ(parse_older_time(bad), std::nullopt) << bad;
  }
  unsetenv("TZ");
  tzset();
}

/// The times by which a job and a queue entry are recognized, as read in that time zone.
std::pair<TimeUs, TimeUs> names_in(const char* zone, const std::string& time) {
  setenv("TZ", zone, 1);
  tzset();
  const auto meta = parse_older_meta(R"({"started":")" + time + R"(","ended":"2026-11-20T16:30:22"})");
  const auto entry = parse_older_entry(R"({"project":"web","prompt":"b","enqueued_at":")" + time + "\"}");
  unsetenv("TZ");
  tzset();
  return {meta ? meta->named_us : -1, entry ? entry->named_us : -1};
}

TEST(OlderTime, TimesIdentifyAJobInEveryZone) {
  constexpr TimeUs kMoment = 1'795'185'022LL * kSecondUs;
  for (const char* zone : {"UTC", "UTC-2", "UTC+9"}) {
    EXPECT_EQ(names_in(zone, "2026-11-20T14:30:22"), std::pair(kMoment, kMoment)) << zone;
    EXPECT_EQ(names_in(zone, "2026-11-20T15:30:22+01:00"), std::pair(kMoment, kMoment)) << zone;
  }
  EXPECT_EQ(parse_older_meta(R"({"queued":"2026-11-20T14:30:22","ended":"2026-11-20T15:00:00"})")->named_us,
            kMoment);
  EXPECT_EQ(parse_older_meta("{}")->named_us, 0) << "file times do not identify the job";
}

TEST(OlderState, ExitCodeOutranksTheStateName) {
  OlderMeta meta;
  using schema::JobState;
  const std::tuple<const char*, std::optional<int>, JobState> cases[] = {
      {"completed", std::nullopt, JobState::completed},
      {"failed", std::nullopt, JobState::failed},
      {"running", 0, JobState::completed},
      {"running", 2, JobState::failed},
      {"completed", 1, JobState::failed},
      {"killed", 143, JobState::killed},
      {"running", -9, JobState::killed},
      {"failed", -15, JobState::failed},
      {"killed", std::nullopt, JobState::killed},
      {"unknown", std::nullopt, JobState::lost},
      {"running", std::nullopt, JobState::lost},
      {"", 0, JobState::completed}};
  for (const auto& [word, code, state] : cases) {
    meta.status = word;
    EXPECT_EQ(older_state(meta, code), state) << word;
  }
}

TEST(OlderJob, TaskIsThatOfMetaWithoutTheTemplate) {
  const std::string_view prompt = "You are an agent.\n\nTask: fix the login\nand the logout\n\nRules: none\n";
  EXPECT_EQ(older_task("", prompt), prompt);
  EXPECT_EQ(older_task(" ", " \n"), "");
  EXPECT_EQ(older_task("fix it", ""), "fix it");
  EXPECT_EQ(older_task("something else", prompt), "something else");
  EXPECT_EQ(older_task("fix the login\nand the logout", prompt), "fix the login\nand the logout");
  EXPECT_EQ(older_task("fix the lo", prompt), "fix the login\nand the logout\n\nRules: none\n");
  EXPECT_EQ(older_task("fix the ...", prompt), "fix the login\nand the logout\n\nRules: none\n");
  EXPECT_EQ(older_task("You are an agent.", prompt), prompt) << "the prompt is the task";
}

}  // namespace
}  // namespace luzia
