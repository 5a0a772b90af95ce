#include "tests/e2e/daemon_fixture.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <set>
#include <utility>

namespace luzia {
namespace fs = std::filesystem;
namespace {

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ptr == name.data() + name.size() && pid != ::getpid()) pids.push_back(pid);
  }
  return pids;
}

bool mentions(pid_t pid, const char* file, const std::string& text) {
  return read_text("/proc/" + std::to_string(pid) + "/" + file).find(text) != std::string::npos;
}

Json parsed(const Finished& finished, const Words& words) {
  EXPECT_EQ(finished.code, 0) << testing::PrintToString(words) << "\n" << finished.err;
  Json json = Json::parse(finished.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << testing::PrintToString(words) << "\n" << finished.out;
  return json;
}

/// 0: the process is gone.
pid_t parent_of(pid_t pid) {
  const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  pid_t parent = 0;
  if (name_end == std::string::npos || name_end + 4 > stat.size()) return parent;
  std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), parent);
  return parent;
}

}  // namespace

DaemonTest::DaemonTest() {
  std::string pattern = fs::temp_directory_path().string() + "/luzia-e2e-XXXXXX";
  scratch_ = ::mkdtemp(pattern.data());
  ::chmod(scratch_.c_str(), 0755);
  store_ = home() + "/.local/state/luzia/store";
  jobs_ = home() + "/.local/state/luzia/jobs";
  for (const char* folder : {"home/.config/luzia", "demo", "other"}) fs::create_directories(path(folder));
  write_config();
}

DaemonTest::~DaemonTest() {
  if (HasFailure()) std::cerr << "luziad.log:\n" << read_text(store() + "/luziad.log") << '\n';
  // A killed process may just have started a child: repeat until none is found.
  EXPECT_TRUE(wait_until([this] {
    const auto left = own_processes();
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    return left.empty();
  })) << "processes of the test live on";
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
}

std::string DaemonTest::job_dir(const std::string& job) const {
  return jobs_ + "/" + job;
}

void DaemonTest::configure(const std::string& toml) {
  toml_ = toml;
  write_config();
}

void DaemonTest::place_store(const std::string& store, const std::string& jobs) {
  store_ = store;
  jobs_ = jobs;
  write_config();
}

void DaemonTest::write_config() const {
  const std::string queue =
      toml_.find("[queue]") == std::string::npos ? "[queue]\nmax_running = 64\n" : std::string();
  // Alerts about the tester's machine would come between the events that tests count.
  const std::string monitor = toml_.find("[monitor]") == std::string::npos
                                  ? "[monitor]\nmemory_warning_percent = 0\nmemory_critical_percent = 0\n"
                                    "memory_pressure_warning_percent = 0.0\nload_warning_per_core = 0.0\n"
                                    "disk_warning_percent = 0\ndisk_free_warning_mib = 0\n"
                                  : std::string();
  std::string toml = toml_;
  const auto set = [&toml](const std::string& table, const std::string& key) {
    const std::size_t at = toml.find(table);  // a test may have added keys to it
    if (at == std::string::npos) {
      toml += "\n" + table + key;
    } else {
      toml.replace(at, table.size(), table + key);
    }
  };
  set("[store]\n", "path = \"" + store_ + "\"\n");
  set("[jobs]\n", "root = \"" + jobs_ + "\"\n");
  set("[projects.demo]\n", "path = \"" + project() + "\"\n");
  write_text(home() + "/.config/luzia/luzia.toml",
             queue + monitor + toml + "\n[projects.other]\npath = \"" + path("other") + "\"\n");
}

DaemonTest::FailingDaemon DaemonTest::start_daemon_that_ends_at(const std::string& point) const {
  const std::string daemon = path("failing-luziad");
  write_text(daemon, "#!/bin/sh\nLUZIA_FAILPOINTS=" + point + " exec " + kLuziad + " \"$@\"\n");
  ::chmod(daemon.c_str(), 0755);
  Finished started = luzia({"daemon", "start"}, {}, {"LUZIA_DAEMON=" + daemon});
  return {std::move(started), daemon_pid()};
}

void DaemonTest::script(const std::string& name, const std::string& text) const {
  const std::string file = project() + "/" + name;
  write_text(file, "#!/bin/sh\n" + text);
  ::chmod(file.c_str(), 0755);
}

Words DaemonTest::environment(const Words& more) const {
  // All tests share the cache of compiled patterns: compiling them takes longer than most tests.
  const std::string cache =
      fs::temp_directory_path().string() + "/luzia-test-cache-" + std::to_string(::geteuid());
  Words list = {"HOME=" + home(), "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                "XDG_CACHE_HOME=" + cache, "XDG_STATE_HOME=" + home() + "/.local/state"};
  // Passes on the sanitizers' options, and nothing else of the tester's.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = ::getenv(name)) list.push_back(std::string(name) + "=" + value);
  }
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

Finished DaemonTest::luzia(const Words& words, const std::string& input,
                           const Words& more_environment) const {
  Words all = {kLuzia};
  all.insert(all.end(), words.begin(), words.end());
  return run_to_end(all, environment(more_environment), input);
}

Finished DaemonTest::query(const Words& words) const {
  Words all = {kLuziaQuery};
  all.insert(all.end(), words.begin(), words.end());
  return run_to_end(all, environment());
}

Json DaemonTest::luzia_json(Words words) const {
  words.emplace_back("--json");
  return parsed(luzia(words), words);
}

Json DaemonTest::query_json(Words words) const {
  words.emplace_back("--json");
  return parsed(query(words), words);
}

std::string DaemonTest::dispatch(const std::string& task, const Words& options) const {
  Words words = {"dispatch", "demo", task};
  words.insert(words.end(), options.begin(), options.end());
  const Finished finished = luzia(words);
  EXPECT_EQ(finished.code, 0) << task << "\n" << finished.err;
  const Words lines = lines_of(finished.out);
  EXPECT_EQ(lines.size(), 1u) << finished.out;
  return lines.empty() ? std::string() : lines.front();
}

std::string DaemonTest::dispatch_until(const std::string& wanted, const std::string& task,
                                       const Words& options) const {
  const std::string id = dispatch(task, options);
  EXPECT_TRUE(becomes(id, wanted)) << job(id);
  return id;
}

Json DaemonTest::job(const std::string& id) const {
  return luzia_json({"job", id});
}

bool DaemonTest::becomes(const std::string& id, const std::string& wanted) const {
  return luzia({"wait", id, "--until", wanted, "--timeout", "100s"}).code == 0 || state(id) == wanted;
}

Json DaemonTest::ended(const std::string& id) const {
  const Finished waited = luzia({"wait", id, "--timeout", "100s"});
  EXPECT_LE(waited.code, 1) << waited.err;
  Json row = job(id);
  EXPECT_THAT(row.value("state", ""),
              testing::AnyOf("completed", "failed", "killed", "timed_out", "lost", "skipped", "cancelled"))
      << row;
  return row;
}

Json DaemonTest::ended_as(const std::string& id, const std::string& state, const std::string& reason) const {
  Json row = ended(id);
  EXPECT_EQ(row["state"], state) << row;
  EXPECT_EQ(row["reason"], reason) << row;
  return row;
}

std::vector<Json> DaemonTest::events(const Words& options) const {
  Words words = {"events", "--json", "--limit", "0"};
  words.insert(words.end(), options.begin(), options.end());
  const Finished finished = query(words);
  EXPECT_EQ(finished.code, 0) << finished.err;
  std::vector<Json> list;
  for (const std::string& line : lines_of(finished.out)) {
    list.push_back(Json::parse(line, nullptr, false));
    EXPECT_FALSE(list.back().is_discarded()) << line;
  }
  return list;
}

std::vector<Json> DaemonTest::events_of(const std::string& job, const std::string& type) const {
  std::vector<Json> list;
  for (Json& event : events({"--job", job})) {
    if (event.value("type", "") == type) list.push_back(std::move(event));
  }
  return list;
}

std::string DaemonTest::id_of(const std::string& job, const std::string& type, const char* key,
                              std::size_t number) const {
  std::vector<Json> all;
  EXPECT_TRUE(wait_until([&] { return (all = events_of(job, type)).size() >= number; }))
      << job << ' ' << type;
  return all.size() < number ? std::string() : all[number - 1]["data"].value(key, "");
}

std::string DaemonTest::asked(const std::string& job, std::size_t number) const {
  return id_of(job, "QuestionAsked", "question", number);
}

std::string DaemonTest::requested(const std::string& job, std::size_t number) const {
  return id_of(job, "ApprovalRequested", "approval", number);
}

void DaemonTest::expect_refused(const Words& words, int code, const std::string& why) const {
  const std::uint64_t before = position();
  const Finished refused = luzia(words);
  EXPECT_EQ(refused.code, code) << testing::PrintToString(words) << refused.out;
  EXPECT_THAT(refused.err, testing::HasSubstr(why));
  EXPECT_EQ(error_lines(refused.err), 1U) << refused.err;
  EXPECT_EQ(position(), before) << "a refusal changes nothing";
}

std::uint64_t DaemonTest::position() const {
  return luzia_json({"daemon", "status"}).value("position", std::uint64_t{0});
}

void DaemonTest::start_daemon() const {
  const Finished started = luzia({"daemon", "start"});
  ASSERT_EQ(started.code, 0) << started.err << read_text(store() + "/luziad.log");
}

pid_t DaemonTest::daemon_pid() const {
  std::vector<pid_t> alike;
  for (const pid_t pid : all_processes()) {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", ignored);
    if (program.filename() == "luziad" && mentions(pid, "cmdline", store()) && is_running(pid))
      alike.push_back(pid);
  }
  // A child of the daemon that has not begun its own program yet looks like the daemon.
  const auto is_daemon = [&](pid_t pid) { return std::ranges::count(alike, parent_of(pid)) == 0; };
  const auto daemon = std::ranges::find_if(alike, is_daemon);
  return daemon == alike.end() ? 0 : *daemon;
}

void DaemonTest::kill_daemon() const {
  const pid_t pid = daemon_pid();
  if (pid == 0) return;
  ::kill(pid, SIGKILL);
  EXPECT_TRUE(wait_until([pid] { return !is_running(pid); }));
}

void DaemonTest::stop_daemon() const {
  // While a daemon starts over, as after a rebuild of rows, there is no pid for a moment.
  pid_t pid = 0;
  ASSERT_TRUE(wait_until([&] { return (pid = daemon_pid()) != 0; }));
  ::kill(pid, SIGTERM);
  EXPECT_TRUE(wait_until([pid] { return !is_running(pid); })) << "SIGTERM does not stop the daemon";
}

void DaemonTest::kill_and_start_daemon() const {
  kill_daemon();
  start_daemon();
}

void DaemonTest::restart_daemon() const {
  stop_daemon();
  start_daemon();
}

void DaemonTest::start_shifted_daemon() {
  shifted_daemon_.emplace(Words{kLuziad, "--store", store()},
                          environment({"LD_PRELOAD=" + kShiftedClock, "SHIFTED_CLOCK=" + path("shift")}),
                          path("luziad.out"));
  ASSERT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }))
      << read_text(path("luziad.out"));
}

void DaemonTest::shift_clock(std::int64_t us) const {
  // Written in place, because the daemon has mapped the file.
  std::FILE* file = std::fopen(path("shift").c_str(), fs::exists(path("shift")) ? "r+" : "w");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fwrite(&us, sizeof us, 1, file), 1u);
  ASSERT_EQ(std::fclose(file), 0);
}

void DaemonTest::halt_machine() const {
  std::size_t stopped = 0;
  EXPECT_TRUE(wait_until([&] {
    // A child may have been created just before its parent was stopped.
    const auto running = own_processes();
    for (const pid_t pid : running) ::kill(pid, SIGSTOP);
    return running.size() == std::exchange(stopped, running.size());
  }));
  std::set<pid_t> killed;
  EXPECT_TRUE(wait_until([&] {
    const auto left = own_processes();
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    killed.insert(left.begin(), left.end());
    return left.empty();
  }));
  // A process that ends has no environment any more, but still holds its locks for a moment.
  EXPECT_TRUE(wait_until([&] { return std::ranges::none_of(killed, is_running); }));
}

std::function<void()> DaemonTest::after_a_reboot(const std::string& boot_id) const {
  write_text(path("boot_id"), boot_id + "\n");
  return [file = path("boot_id"), uid = std::to_string(::geteuid()), gid = std::to_string(::getegid())] {
    if (::geteuid() != 0 && ::unshare(CLONE_NEWUSER) == 0) {
      write_text("/proc/self/setgroups", "deny");
      write_text("/proc/self/uid_map", uid + " " + uid + " 1");
      write_text("/proc/self/gid_map", gid + " " + gid + " 1");
    }
    if (::unshare(CLONE_NEWNS) != 0) return;
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    ::mount(file.c_str(), "/proc/sys/kernel/random/boot_id", nullptr, MS_BIND, nullptr);
  };
}

Words DaemonTest::boots_seen() const {
  Words seen;
  for (const Json& event : events()) {
    if (event["type"] == "DaemonStarted") seen.push_back(event["data"]["boot_id"]);
  }
  return seen;
}

std::vector<pid_t> DaemonTest::processes_of(const std::string& job) const {
  std::vector<pid_t> found;
  for (const pid_t pid : all_processes()) {
    if (mentions(pid, "environ", "LUZIA_JOB_ID=" + job) && is_running(pid)) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> DaemonTest::own_processes() const {
  std::vector<pid_t> found;
  for (const pid_t pid : all_processes()) {
    if ((mentions(pid, "environ", scratch_) || mentions(pid, "cmdline", scratch_)) && is_running(pid))
      found.push_back(pid);
  }
  return found;
}

void DaemonTest::expect_verified() const {
  const Finished online = query({"verify"});
  EXPECT_EQ(online.code, 0) << online.out << online.err;
  const Finished offline = query({"verify", "--offline"});
  EXPECT_EQ(offline.code, 0) << offline.out << offline.err;
}

std::size_t error_lines(const std::string& err) {
  std::size_t count = 0;
  for (const std::string& line : lines_of(err)) {
    if (line.starts_with("luzia: ") || line.starts_with("luziad: ") || line.starts_with("luzia-query: "))
      ++count;
  }
  return count;
}

}  // namespace luzia
