#include "tests/e2e/machines/ssh_hosts.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace luzia {
namespace fs = std::filesystem;
namespace {

std::string own_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user == nullptr ? std::string("root") : user->pw_name;
}

/// "ssh-ed25519 AAAA..." of a file NAME.pub.
std::string public_key(const std::string& file) {
  const std::string text = read_text(file + ".pub");
  return text.substr(0, text.find(' ', text.find(' ') + 1));
}

}  // namespace

SshHostsTest::SshHostsTest() {
  fs::create_directories(path("bin"));
  fs::create_directories(path("cache"));
  make_ssh_key(path("key"));
  make_ssh_key(path("host-key"));
  write_text(path("ssh_config"), "Host *\n  IdentityFile " + path("key") +
                                     "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + path("known_hosts") +
                                     "\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n");
  write_text(path("bin/ssh"), "#!/bin/sh\nexec /usr/bin/ssh -F " + path("ssh_config") + " \"$@\"\n");
  ::chmod(path("bin/ssh").c_str(), 0755);
}

void SshHostsTest::add_host(const std::string& name, const std::string& programs) {
  Host& host = hosts_[name];
  host.port = free_port();
  host.home = path(name);
  host.programs = programs.empty() ? fs::path(kLuzia).parent_path().string() : programs;
  fs::create_directories(host.home + "/.config/luzia");
  fs::create_directories(host.home + "/work");
  write_text(host.home + "/.config/luzia/luzia.toml",
             "[queue]\nmax_running = 64\n[monitor]\nmemory_warning_percent = 0\nmemory_critical_percent = 0\n"
             "memory_pressure_warning_percent = 0.0\nload_warning_per_core = 0.0\ndisk_warning_percent = 0\n"
             "disk_free_warning_mib = 0\n[store]\npath = \"" +
                 host.home + "/store\"\n[jobs]\nroot = \"" + host.home +
                 "/jobs\"\n[projects.work]\npath = \"" + host.home + "/work\"\n");
  start(host);
  write_machines();
  // No command from another machine creates a store that the host's configuration names.
  if (programs.empty()) {
    const Finished started = there(name, {"daemon", "start"});
    EXPECT_EQ(started.code, 0) << started.err;
  }
}

void SshHostsTest::add_address(const std::string& name, int port) {
  hosts_[name].port = port;
  write_machines();
}

void SshHostsTest::start(Host& host) const {
  Words environment = environment_of(host);
  std::erase_if(environment, [](const std::string& word) { return word.starts_with("PATH="); });
  environment.insert(environment.begin(), "PATH=" + host.programs + ":/usr/bin:/bin");
  host.sshd = start_sshd(host.home, {host.port, path("host-key"), path("key.pub"), environment});
}

void SshHostsTest::cut_off(const std::string& name) {
  hosts_.at(name).sshd.reset();
}

void SshHostsTest::reconnect(const std::string& name) {
  start(hosts_.at(name));
}

void SshHostsTest::impersonate(const std::string& name, const std::string& liar) {
  hosts_[liar].port = std::exchange(hosts_.at(name).port, free_port());
  write_machines();
}

void SshHostsTest::write_machines() {
  std::string toml, known;
  for (const auto& [name, host] : hosts_) {
    const std::string port = std::to_string(host.port);
    toml += "[machines." + name + "]\nssh = \"ssh://" + own_name() + "@127.0.0.1:" + port + "\"\n";
    known += "[127.0.0.1]:" + port + " " + public_key(path("host-key")) + "\n";
  }
  configure(toml);
  write_text(path("known_hosts"), known);
}

Words SshHostsTest::environment_here() const {
  Words list = environment();
  std::erase_if(list, [](const std::string& word) {
    return word.starts_with("PATH=") || word.starts_with("XDG_CACHE_HOME=");
  });
  list.push_back("PATH=" + path("bin") + ":/usr/bin:/bin");
  list.push_back("XDG_CACHE_HOME=" + path("cache"));
  return list;
}

Finished SshHostsTest::here(const Words& words, const std::string& input) const {
  Words all = {kLuzia};
  all.insert(all.end(), words.begin(), words.end());
  return run_to_end(all, environment_here(), input);
}

Json SshHostsTest::here_json(Words words, int code) const {
  words.emplace_back("--json");
  const Finished finished = here(words);
  EXPECT_EQ(finished.code, code) << testing::PrintToString(words) << "\n" << finished.err;
  Json json = Json::parse(finished.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << finished.out;
  return json;
}

Words SshHostsTest::environment_of(const Host& host) const {
  Words list = environment();
  std::erase_if(
      list, [](const std::string& word) { return word.starts_with("HOME=") || word.starts_with("XDG_"); });
  list.push_back("HOME=" + host.home);
  list.push_back("XDG_CACHE_HOME=" + host.home + "/.cache");
  return list;
}

Finished SshHostsTest::there(const std::string& name, const Words& words) const {
  Words all = {kLuzia};
  all.insert(all.end(), words.begin(), words.end());
  return run_to_end(all, environment_of(hosts_.at(name)));
}

std::string SshHostsTest::dispatch_there(const std::string& name, const std::string& task,
                                         const Words& options) const {
  Words words = {"dispatch", "work", task, "--agent", "shell"};
  words.insert(words.end(), options.begin(), options.end());
  const Finished sent = there(name, words);
  EXPECT_EQ(sent.code, 0) << sent.err;
  const Words lines = lines_of(sent.out);
  return lines.empty() ? std::string() : lines.front();
}

}  // namespace luzia
