#include "tests/e2e/machines/ssh_hosts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace luzia {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSshd = "/usr/sbin/sshd";  // of the Debian package openssh-server

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// The port that the socket has; 0: it has none.
int bind_to(int fd, int port) {
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof address;
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0) return 0;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 ? ntohs(address.sin_port) : 0;
}

bool listens(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

std::string own_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user == nullptr ? std::string("root") : user->pw_name;
}

/// "ssh-ed25519 AAAA..." of a file NAME.pub.
std::string public_key(const std::string& file) {
  const std::string text = read_text(file + ".pub");
  return text.substr(0, text.find(' ', text.find(' ') + 1));
}

void make_key(const std::string& file) {
  const Finished made = run_to_end({"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file},
                                   {"PATH=/usr/bin:/bin"});
  ASSERT_EQ(made.code, 0) << made.err;
}

}  // namespace

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int port = bind_to(fd, 0);
  ::close(fd);
  return port;
}

SilentServer::SilentServer() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(bind_to(fd_, 0)) {
  EXPECT_EQ(::listen(fd_, 64), 0);
}

SilentServer::~SilentServer() {
  ::close(fd_);
}

SshHostsTest::SshHostsTest() {
  fs::create_directories(path("bin"));
  fs::create_directories(path("cache"));
  make_key(path("key"));
  make_key(path("host-key"));
  write_text(path("ssh_config"), "Host *\n  IdentityFile " + path("key") +
                                     "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + path("known_hosts") +
                                     "\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n");
  write_text(path("bin/ssh"), "#!/bin/sh\nexec /usr/bin/ssh -F " + path("ssh_config") + " \"$@\"\n");
  ::chmod(path("bin/ssh").c_str(), 0755);
  if (::geteuid() == 0) ::mkdir("/run/sshd", 0755);  // as its service does
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
  write_text(host.home + "/sshd_config",
             "Port " + std::to_string(host.port) + "\nListenAddress 127.0.0.1\nHostKey " + path("host-key") +
                 "\nAuthorizedKeysFile " + path("key.pub") +
                 "\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
                 "KbdInteractiveAuthentication no\nPermitRootLogin yes\nMaxStartups 100\nSetEnv PATH=" +
                 host.programs + ":/usr/bin:/bin");
  std::string set;
  for (const std::string& word : environment_of(host)) set += word.starts_with("PATH=") ? "" : " " + word;
  write_text(host.home + "/sshd_config", read_text(host.home + "/sshd_config") + set + "\n");
  start_sshd(host);
  write_machines();
}

void SshHostsTest::add_address(const std::string& name, int port) {
  hosts_[name].port = port;
  write_machines();
}

void SshHostsTest::start_sshd(Host& host) const {
  ASSERT_TRUE(fs::exists(kSshd)) << "openssh-server is missing: tools/dev/install test";
  host.sshd = std::make_unique<BesideProgram>(Words{kSshd, "-D", "-e", "-f", host.home + "/sshd_config"},
                                              Words{"PATH=/usr/sbin:/usr/bin:/bin"}, host.home + "/sshd.log");
  EXPECT_TRUE(wait_until([&] { return listens(host.port); })) << read_text(host.home + "/sshd.log");
}

void SshHostsTest::cut_off(const std::string& name) {
  hosts_.at(name).sshd.reset();
}

void SshHostsTest::reconnect(const std::string& name) {
  start_sshd(hosts_.at(name));
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
