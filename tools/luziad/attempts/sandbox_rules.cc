#include "tools/luziad/attempts/sandbox_rules.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "adapters/launcher/run_record.h"
#include "adapters/socket/socket_path.h"
#include "engine/base/host_rule.h"
#include "tools/luziad/attempts/job_program.h"
#include "tools/luziad/attempts/job_repository.h"
#include "tools/luziad/attempts/launch_work.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;
using Rules = std::vector<std::string>;

constexpr const char* kNoPlacesBelowHome[] = {".ssh",
                                              ".aws",
                                              ".azure",
                                              ".config/gcloud",
                                              ".config/gh",
                                              ".config/github-copilot",
                                              ".config/hub",
                                              ".gnupg",
                                              ".netrc",
                                              ".git-credentials",
                                              ".config/git/credentials",
                                              ".docker",
                                              ".kube",
                                              ".config/doctl",
                                              ".npmrc",
                                              ".pypirc",
                                              ".pgpass",
                                              ".my.cnf",
                                              ".password-store",
                                              ".local/share/keyrings",
                                              ".mozilla",
                                              ".config/google-chrome",
                                              ".config/chromium",
                                              ".local/share/containers",
                                              ".cargo/credentials.toml",
                                              ".cargo/credentials",
                                              ".config/op",
                                              ".config/sops",
                                              ".config/rclone",
                                              ".terraform.d",
                                              ".vault-token",
                                              ".bash_history",
                                              ".zsh_history",
                                              ".python_history",
                                              ".psql_history",
                                              ".mysql_history",
                                              ".local/share/fish/fish_history",
                                              ".authinfo",
                                              ".authinfo.gpg",
                                              ".boto",
                                              ".s3cfg",
                                              ".oci",
                                              ".fly",
                                              ".config/hcloud",
                                              ".gem/credentials",
                                              ".thunderbird",
                                              ".config/BraveSoftware",
                                              ".config/Bitwarden",
                                              ".config/Signal",
                                              ".config/luzia",
                                              ".cache/luzia",
                                              ".local/state/luzia",
                                              ".local/share/kwalletd",
                                              ".config/systemd",
                                              ".local/share/systemd"};
/// Programs that do anything for whoever may connect to them listen there. Covered, not left out: the folders
/// around them change, and are shown as they are.
constexpr const char* kNoPlaces[] = {"/var/lib/lxd",        "/var/snap",  "/var/lib/incus", "/var/lib/docker",
                                     "/var/lib/containers", "/etc/luzia", "/var/lib/luzia"};
constexpr std::string_view kSystemConfiguration = "/etc/luzia/";  // covered as a whole
/// Nobody but root could read them anyway.
constexpr const char* kNoPlacesOfRoot[] = {
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow",   "/etc/gshadow-",   "/etc/ssl/private",
    "/etc/ssh",    "/etc/sudoers", "/etc/sudoers.d", "/var/spool/cron", "/var/lib/systemd"};
constexpr const char* kStrictPlaces[] = {"/usr",
                                         "/bin",
                                         "/sbin",
                                         "/lib",
                                         "/lib32",
                                         "/lib64",
                                         "/libx32",
                                         "/etc/alternatives",
                                         "/etc/ca-certificates",
                                         "/etc/debian_version",
                                         "/etc/environment",
                                         "/etc/fonts",
                                         "/etc/gai.conf",
                                         "/etc/gitconfig",
                                         "/etc/group",
                                         "/etc/host.conf",
                                         "/etc/hosts",
                                         "/etc/java-11-openjdk",
                                         "/etc/java-17-openjdk",
                                         "/etc/java-21-openjdk",
                                         "/etc/ld.so.cache",
                                         "/etc/ld.so.conf",
                                         "/etc/ld.so.conf.d",
                                         "/etc/locale.alias",
                                         "/etc/localtime",
                                         "/etc/magic",
                                         "/etc/mime.types",
                                         "/etc/nsswitch.conf",
                                         "/etc/os-release",
                                         "/etc/passwd",
                                         "/etc/perl",
                                         "/etc/pki",
                                         "/etc/profile",
                                         "/etc/protocols",
                                         "/etc/python3",
                                         "/etc/resolv.conf",
                                         "/etc/services",
                                         "/etc/shells",
                                         "/etc/ssl",
                                         "/etc/terminfo",
                                         "/etc/timezone"};
constexpr const char* kStrictBelowHome[] = {".gitconfig", ".config/git"};
constexpr const char* kLeadingOut[] = {"DBUS_SESSION_BUS_ADDRESS",
                                       "DBUS_SYSTEM_BUS_ADDRESS",
                                       "DISPLAY",
                                       "WAYLAND_DISPLAY",
                                       "XAUTHORITY",
                                       "XDG_RUNTIME_DIR",
                                       "SSH_AUTH_SOCK",
                                       "SSH_AGENT_PID",
                                       "GPG_AGENT_INFO",
                                       "TMUX",
                                       "TMUX_PANE",
                                       "DOCKER_HOST",
                                       "CONTAINER_HOST",
                                       "NOTIFY_SOCKET",
                                       "LISTEN_FDS",
                                       "LISTEN_PID"};

/// Programs that fail if they cannot write their cache in the home, which is only read: they get one that is
/// gone with the attempt.
struct CacheInside {
  std::string_view variable, other_name, inside, usual;
};
constexpr CacheInside kCaches[] = {
    {"npm_config_cache", "NPM_CONFIG_CACHE", "/tmp/.npm", "/.npm"},
    {"GOCACHE", "GOCACHE", "/tmp/.go-build", "/.cache/go-build"},
};

void add_rule(Rules& rules, char kind, const std::string& path) {
  if (path.starts_with('/') && path != "/") rules.push_back(std::string(1, kind) + ":" + path);
}

/// The folders themselves get rules, so that they cannot be moved away with what is only read.
void add_repository(Rules& rules, const schema::JobSpecT& spec) {
  const auto repository = repository_of_job(spec);
  if (!repository) return;
  add_rule(rules, 'w', repository->folder.string());
  if (!repository->worktree.empty()) {
    add_rule(rules, 'w', repository->worktree.parent_path().string());
    add_rule(rules, 'w', repository->worktree.string());
  }
  for (const JobRepository::Part& part : repository->only_read) add_rule(rules, 'r', part.path.string());
}

/// Whether agents write there, so that a link may be theirs.
bool agents_write(const schema::JobSpecT& spec, const fs::path& path) {
  const auto holds = [&path](const std::string& folder) {
    const fs::path rest = path.lexically_relative(fs::path(folder).lexically_normal());
    return !rest.empty() && *rest.begin() != "..";
  };
  return holds(spec.working_dir) || std::ranges::any_of(spec.sandbox->write, holds);
}

/// Whether agents write at the program or at a link on the way to it.
bool agents_lead_to(const schema::JobSpecT& spec, fs::path at) {
  constexpr int kMostLinks = 40;
  for (int links = 0; links < kMostLinks; ++links) {
    if (agents_write(spec, at)) return true;
    std::error_code trouble;
    at = fs::canonical(at.parent_path(), trouble) / at.filename();
    if (trouble || agents_write(spec, at)) return true;
    const fs::path target = fs::read_symlink(at, trouble);
    if (trouble) return false;  // no link
    at = (at.parent_path() / target).lexically_normal();
  }
  return true;
}

/// The program of a strict sandbox may lie in the home, which is empty there. What lies where agents write is
/// shown already, and leads to nothing else.
void add_program(Rules& rules, const schema::JobSpecT& spec, const std::vector<std::string>& argv,
                 const std::vector<std::string>& env) {
  const auto program = find_job_program(spec, argv, env);
  if (!program) return;
  std::error_code trouble;
  const fs::path real = fs::canonical(*program, trouble);
  if (trouble || agents_write(spec, *program)) return;
  add_rule(rules, 'r', *program);
  if (agents_lead_to(spec, *program)) return;
  const std::string path = real.string();
  constexpr std::string_view kPackages = "/node_modules/";
  const std::size_t packages = path.find(kPackages);
  const bool in_home_itself = real.parent_path() == fs::path(spec.home);
  add_rule(rules, 'r',
           packages != std::string::npos ? path.substr(0, packages + kPackages.size() - 1)
           : in_home_itself              ? path
                                         : real.parent_path().string());
  // `#!/usr/bin/env node` finds it beside the link.
  if (packages != std::string::npos)
    add_rule(rules, 'r', (fs::path(*program).parent_path() / "node").string());
}

/// Logins and sessions of agents are not there, nor the job's own where a variable has moved them. A later
/// rule shows what the job may write.
void add_agents(Rules& rules, const schema::JobSpecT& spec, const std::vector<std::string>& argv) {
  const Agent* own = agent_of(spec.agent, argv);
  for (const Agent& agent : known_agents()) {
    const std::string variable = agent.user_settings_variable;
    const char* moved = variable.empty() || spec.uid != ::geteuid() ? nullptr : ::getenv(variable.c_str());
    for (const std::string& path : places_of(agent, spec.home, "").forget)
      add_rule(rules, &agent == own ? 'p' : 'x', path);
    for (const std::string& path : state_to_hide(agent, spec.home, "")) add_rule(rules, 'x', path);
    if (moved == nullptr) continue;
    for (const std::string& path : state_to_hide(agent, spec.home, moved)) add_rule(rules, 'x', path);
  }
}

void add_surroundings(Rules& rules, const schema::JobSpecT& spec) {
  if (spec.sandbox->kind == schema::SandboxKind::project) {
    rules.emplace_back("r:/");
    for (const char* path : kNoPlaces) add_rule(rules, 'c', path);
    for (const char* path : kNoPlacesOfRoot) {
      if (spec.uid == 0) add_rule(rules, 'x', path);
    }
    // Agents lock and replace files beside their state; nothing of that is to stay.
    add_rule(rules, 'p', spec.home);
  } else {
    for (const char* path : kStrictPlaces) add_rule(rules, 'r', path);
    add_rule(rules, 't', spec.home);
    for (const char* path : kStrictBelowHome) add_rule(rules, 'r', spec.home + "/" + path);
  }
  for (const char* path : kNoPlacesBelowHome) add_rule(rules, 'x', spec.home + "/" + path);
  for (const char* path : {"/tmp", "/var/tmp", "/run"}) add_rule(rules, 't', path);
  add_rule(rules, 'r', "/run/systemd/resolve/resolv.conf");
  add_rule(rules, 'r', "/run/systemd/resolve/stub-resolv.conf");
  add_rule(rules, 'r', "/run/resolvconf/resolv.conf");
  add_rule(rules, 'r', "/run/NetworkManager/resolv.conf");
}

}  // namespace

std::vector<std::string> state_to_hide(const Agent& agent, const std::string& home,
                                       const std::string& moved) {
  std::vector<std::string> paths = places_of(agent, home, moved).write;
  std::erase_if(paths, [&home](const std::string& path) { return (home + "/").starts_with(path + "/"); });
  return paths;
}

void confine_environment(std::vector<std::string>& env, const schema::JobSpecT& spec,
                         const std::string& door) {
  const auto is_called = [](const std::string& entry, std::string_view name) {
    return entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=';
  };
  std::erase_if(env, [&](const std::string& entry) {
    return std::ranges::any_of(kLeadingOut, [&](const char* name) { return is_called(entry, name); });
  });
  for (std::string& entry : env) {
    for (const char* name : {"TMPDIR", "TEMP", "TMP"}) {
      if (is_called(entry, name)) entry = std::string(name) + "=/tmp";
    }
    if (is_called(entry, "LUZIA_SOCKET")) entry = "LUZIA_SOCKET=" + door + "/" + kSandboxSocketName;
  }
  for (const CacheInside& cache : kCaches) {
    const std::string usual = spec.home + std::string(cache.usual) + "/";
    const bool set = std::ranges::any_of(env, [&](const std::string& entry) {
      return is_called(entry, cache.variable) || is_called(entry, cache.other_name);
    });
    const bool shared = std::ranges::any_of(
        spec.sandbox->write, [&](const std::string& path) { return usual.starts_with(path + "/"); });
    if (!set && !shared) env.push_back(std::string(cache.variable) + "=" + std::string(cache.inside));
  }
}

void lead_through_proxy(std::vector<std::string>& env, const std::vector<std::string>& hosts) {
  const std::string proxy = "http://127.0.0.1:" + std::to_string(run_record::kProxyPort);
  // A program beside the agent is reached without the proxy, but not the machine's own, which may be listed.
  std::string direct;
  for (const std::string host : {"localhost", "127.0.0.1", "::1"}) {
    const auto is_it = [&host](const std::string& text) {
      const auto rule = parse_host_rule(text);
      return rule && rule->target.host == host;
    };
    if (std::ranges::none_of(hosts, is_it)) direct += (direct.empty() ? "" : ",") + host;
  }
  const auto set = [&env](const std::string& name, const std::string& value) {
    std::erase_if(env, [&name](const std::string& entry) { return entry.starts_with(name + "="); });
    env.push_back(name + "=" + value);
  };
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"})
    set(name, proxy);
  for (const char* name : {"http_proxy", "https_proxy", "all_proxy"}) set(name, proxy);
  for (const char* name : {"NO_PROXY", "no_proxy"}) set(name, direct);
  set("NODE_USE_ENV_PROXY", "1");  // Node.js from 22.21 and 24.5 on
}

std::vector<std::string> sandbox_rules(const schema::JobSpecT& spec, const SandboxPlaces& places,
                                       const std::vector<std::string>& argv,
                                       const std::vector<std::string>& env) {
  Rules rules;
  add_surroundings(rules, spec);
  add_agents(rules, spec, argv);
  for (const std::string& path : places.hidden) {
    if (path.starts_with("~/")) add_rule(rules, 'x', spec.home + path.substr(1));
    if (!path.starts_with(kSystemConfiguration)) add_rule(rules, 'x', path);
  }
  add_rule(rules, 'x', fs::path(spec.job_dir).parent_path().string());
  // Attempts without a worktree write there, so links below are not followed in one with a worktree either.
  const std::string directory = fs::path(spec.working_dir).lexically_normal().string();
  add_rule(rules, 'w', directory);
  add_repository(rules, spec);
  for (const std::string& path : spec.sandbox->write) add_rule(rules, 'w', path);
  if (spec.sandbox->kind == schema::SandboxKind::strict) add_program(rules, spec, argv, env);
  for (const std::string& path : spec.sandbox->read) add_rule(rules, 'r', path);
  for (const std::string& path : spec.sandbox->hide) add_rule(rules, 'x', path);
  const auto names_it = [&directory](const std::vector<std::string>& paths) {
    return std::ranges::find(paths, directory) != paths.end();
  };
  if (spec.worktree && !names_it(spec.sandbox->write) && !names_it(spec.sandbox->hide))
    add_rule(rules, 'r', directory);
  add_rule(rules, 'r', places.client_program);
  add_rule(rules, 'r', places.door);
  add_rule(rules, 'w', spec.job_dir);
  return rules;
}

std::vector<std::string> guarded_paths(const schema::JobSpecT& spec) {
  if (!spec.sandbox->only_reads) return {};
  std::vector<std::string> paths = {fs::path(attempt_directory(spec)).lexically_normal().string()};
  if (const auto repository = repository_of_job(spec)) paths.push_back(repository->folder.string());
  return paths;
}

}  // namespace luzia
