// "Always for this job": for which other calls a person's word about one counts. One who lets a line pass
// means lines like it, not whatever a program can be told to run. What runs the files of a project under a
// name of their own (pytest, cargo test, ./deploy.sh) keeps its first words: who may write those files, other
// gates say.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "adapters/config/gate_policy.h"
#include "adapters/config/gate_subjects.h"
#include "adapters/config/shell_line.h"
#include "engine/base/hash.h"

namespace luzia {
namespace {

constexpr std::size_t kRuleHashBytes = 16;  // two lines with one hash cannot be made

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr auto kShells = std::to_array<std::string_view>(
    {"sh", "bash",   "rbash", "dash",    "ash",    "zsh",  "ksh",        "mksh", "csh",  "tcsh",  "fish",
     "nu", "elvish", "xonsh", "busybox", "toybox", "pwsh", "powershell", "cmd",  "eval", "source"});

/// Of languages and editors: what follows on the line is a program, or names one. sed and awk too, which run
/// commands and write files.
constexpr auto kInterpreters = std::to_array<std::string_view>(
    {"python", "pythonw", "pypy", "ipython", "perl",  "ruby",  "irb",       "node",   "nodejs",
     "deno",   "bun",     "tsx",  "ts-node", "php",   "lua",   "luajit",    "tclsh",  "expect",
     "awk",    "gawk",    "mawk", "nawk",    "sed",   "gsed",  "java",      "jshell", "groovy",
     "scala",  "kotlin",  "r",    "rscript", "julia", "guile", "osascript", "vi",     "vim",
     "nvim",   "ex",      "ed",   "emacs",   "gdb",   "lldb"});

/// Programs that run the one that they are given.
constexpr auto kRunners = std::to_array<std::string_view>(
    {"env",     "xargs",   "find",   "fd",    "fdfind",  "parallel", "watch",   "entr",   "timeout",
     "setsid",  "nice",    "ionice", "chrt",  "taskset", "nohup",    "stdbuf",  "time",   "exec",
     "command", "builtin", "sudo",   "su",    "doas",    "pkexec",   "runuser", "runas",  "chroot",
     "unshare", "nsenter", "bwrap",  "flock", "script",  "strace",   "ltrace",  "perf",   "valgrind",
     "ssh",     "sshpass", "mosh",   "rsh",   "at",      "batch",    "crontab", "screen", "tmux"});

/// The same in an environment, a container or a package of its own, or as a service.
constexpr auto kEnvironments = std::to_array<std::string_view>(
    {"npx",   "bunx",     "pnpx",       "uvx",         "pipx",           "corepack",      "nix",
     "conda", "mamba",    "micromamba", "poetry",      "pipenv",         "hatch",         "rye",
     "pdm",   "bundle",   "direnv",     "mise",        "asdf",           "vagrant",       "wsl",
     "qemu",  "firejail", "nix-shell",  "systemd-run", "docker-compose", "podman-compose"});

/// Their words name what of a file is done, and their assignments and options which file and which shell.
constexpr auto kBuilders = std::to_array<std::string_view>(
    {"make", "gmake", "ninja", "just", "task", "rake", "invoke", "tox", "nox"});

/// Commands that take a word which says what they do.
constexpr auto kWithSubcommands = std::to_array<std::string_view>(
    {"git", "npm", "pnpm",   "yarn", "cargo",  "go",  "docker",    "podman", "cmake", "pip",      "kubectl",
     "apt", "gh",  "dotnet", "helm", "gradle", "mvn", "terraform", "bazel",  "uv",    "systemctl"});

/// Of those words the ones after which anything may be run, now or (config, alias) at the next occasion.
constexpr auto kRunningSubcommands = std::to_array<std::string_view>(
    {"run",       "run-script", "exec",      "x",         "dlx",           "tool",      "shell",
     "eval",      "node",       "script",    "ssh",       "debug",         "attach",    "compose",
     "container", "generate",   "bisect",    "submodule", "filter-branch", "rebase",    "config",
     "set",       "alias",      "extension", "api",       "difftool",      "mergetool", "edit"});

/// "/usr/bin/Python3.11.exe" is python.
std::string lower_name(std::string_view program) {
  std::string name(base_name(program));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.ends_with(".exe") ? name.substr(0, name.size() - 4) : name;
}

/// Up to its version, or what else tells it from its kin: python3.13t, bash-static, lua5.4.
std::string_view without_version(std::string_view name) {
  const auto end = std::ranges::find_if_not(name, [](unsigned char c) { return std::isalpha(c) != 0; });
  return name.substr(0, static_cast<std::size_t>(end - name.begin()));
}

/// Programs that run whatever they are given; names without a letter too, such as that of `.`.
bool runs_anything(std::string_view program) {
  const std::string name = lower_name(program);
  const std::string_view kin = without_version(name);
  const auto is_such = [](std::string_view each) {
    return is_one_of(kShells, each) || is_one_of(kInterpreters, each) || is_one_of(kRunners, each) ||
           is_one_of(kEnvironments, each) || is_one_of(kBuilders, each);
  };
  return kin.empty() || is_such(name) || is_such(kin);
}

bool has_subcommands(std::string_view program) {
  const std::string name = lower_name(program);
  return is_one_of(kWithSubcommands, name) || is_one_of(kWithSubcommands, without_version(name));
}

/// Nothing but a name: no assignment, no address with a password in it.
bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./+-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string hash_rule(const std::string& tool, std::string_view text) {
  const Hash hash = blake2b({as_bytes(text)});
  return tool + "(#" + to_hex(Bytes(hash.data(), kRuleHashBytes)) + ")";
}

std::string command_rule(const std::string& tool, const std::string& command) {
  const auto parts = simple_commands(command);
  const std::string exact = hash_rule(tool, command);
  if (parts.size() != 1 || bare_command(parts.front()).size() != parts.front().size() ||
      command.find('$') != std::string::npos || writes_file(parts.front())) {
    return exact;
  }
  const std::string& part = parts.front();
  const std::size_t first = part.find(' ');
  const std::string program = part.substr(0, first);
  if (runs_anything(program) || !is_plain(program)) {
    return exact;
  }
  if (first == std::string::npos || !has_subcommands(program)) {
    return tool + "(" + program + "*)";
  }
  const std::string second = part.substr(first + 1, part.find(' ', first + 1) - first - 1);
  // An option in its place may change what everything after it means.
  const bool tells_enough =
      !second.starts_with('-') && is_plain(second) && !is_one_of(kRunningSubcommands, second);
  return tells_enough ? tool + "(" + program + " " + second + "*)" : exact;
}

/// What is the same when the call is made again: of a tool for files which file, not what is written to it.
/// Empty where nobody can tell that.
std::string exact_rule(const GateRequest& request) {
  if (request.tool == "Bash") {
    return hash_rule(request.tool, command_of(request.tool_input));
  }
  auto subjects = subjects_of(request);
  if (auto folder = unnamed_folder(request)) {
    subjects.push_back(*std::move(folder));
  }
  const bool only_files = is_file_tool(request.tool) && !subjects.empty();
  std::string same = only_files ? std::string() : request.tool_input;
  for (const Subject& subject : subjects) {
    if (!subject.known) {
      return {};
    }
    same += '\0' + subject.meant.front();
  }
  return hash_rule(request.tool, same);
}

/// Whether the key says more than `rule`, by the measure of judge_gate. What fits the bare name of a tool is
/// about all of its calls.
bool is_more_specific(const std::string& key, const std::string& rule, const std::string& tool) {
  if (key == rule || key == tool + "(*)" || fits_pattern(key, tool)) {
    return false;
  }
  return key.size() >= rule.size();
}

}  // namespace

std::string rule_of(const GateRequest& request) {
  if (request.tool.empty()) {
    return "gate " + request.gate;
  }
  if (request.tool.find(' ') != std::string::npos) {
    return {};  // no tool is called so, and no call is to pass for a gate
  }
  if (request.tool != "Bash") {
    return request.tool;
  }
  const std::string command = command_of(request.tool_input);
  return command.empty() ? std::string() : command_rule(request.tool, command);
}

std::string wider_rule_of(const GateRequest& request) {
  return request.tool.empty() ? request.gate : rule_of(request);
}

std::string rule_under(const GateRuling& ruling, const GateRequest& request) {
  const std::string rule = rule_of(request);
  const bool people_have_a_say =
      ruling.policy.word == GatePolicy::Word::ask || ruling.policy.word == GatePolicy::Word::auto_after;
  if (rule.empty() || request.tool.empty() || !people_have_a_say ||
      !is_more_specific(ruling.key, rule, request.tool)) {
    return rule;
  }
  return exact_rule(request);
}

}  // namespace luzia
