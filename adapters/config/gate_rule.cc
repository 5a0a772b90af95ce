// "Always for this job": decides which other calls a person's answer about one call covers. A person who
// allows a line means similar lines, not everything that a program can be told to run. A command that runs
// the project's own files (pytest, npm test, ./deploy.sh) keeps its first words, because other gates decide
// who may write those files.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "adapters/config/gate_policy.h"
#include "adapters/config/gate_subjects.h"
#include "adapters/config/shell_line.h"
#include "engine/base/hash.h"
#include "engine/ports/agent.h"

namespace luzia {
namespace {

constexpr std::size_t kRuleHashBytes = 16;  // too long for a deliberate collision

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr auto kShells = std::to_array<std::string_view>(
    {"ash", "bash", "busybox", "cmd", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "powershell",
     "pwsh", "rbash", "sh", "tcsh", "toybox", "xonsh", "zsh"});

/// Languages, databases and editors: the rest of the line is a program or names one. Also sed and awk, which
/// run commands and write files.
constexpr auto kInterpreters = std::to_array<std::string_view>(
    {"awk",        "bpftrace", "bun",     "clj",     "clojure",   "coverage", "dart",    "deno",    "duckdb",
     "ed",         "elixir",   "emacs",   "erl",     "escript",   "ex",       "expect",  "flutter", "gawk",
     "gdb",        "ghci",     "gnuplot", "groovy",  "gsed",      "guile",    "iex",     "ipython", "irb",
     "java",       "jshell",   "julia",   "jupyter", "kotlin",    "latex",    "latexmk", "lldb",    "lua",
     "luajit",     "lualatex", "m4",      "mariadb", "mawk",      "mysql",    "nano",    "nawk",    "node",
     "nodejs",     "nvim",     "ocaml",   "octave",  "osascript", "pdflatex", "perl",    "php",     "psql",
     "pypy",       "python",   "pythonw", "r",       "racket",    "raku",     "rscript", "ruby",    "runghc",
     "runhaskell", "sbcl",     "scala",   "sed",     "sqlite",    "swift",    "tclsh",   "tex",     "ts-node",
     "tsx",        "vi",       "view",    "vim",     "vimdiff",   "xelatex",  "xetex",   "zig"});

/// Shell keywords that run what follows, now or later.
constexpr auto kBuiltins =
    std::to_array<std::string_view>({"builtin", "command", "compgen", "coproc", "enable", "eval", "exec",
                                     "mapfile", "readarray", "source", "time", "trap"});

/// Programs that run another one named by an option or expression: tar --to-command, rsync -e, rg --pre, find
/// -exec. ld is also the loader, ld-linux-x86-64.so.2.
constexpr auto kByOption = std::to_array<std::string_view>(
    {"ack",    "ag",     "apt",   "aptitude", "bat",     "bsdtar",  "cpio",  "dnf",  "dpkg", "fd",
     "fdfind", "find",   "fzf",   "hg",       "install", "ip",      "ld",    "less", "man",  "nc",
     "ncat",   "netcat", "nmap",  "openssl",  "rg",      "rpm",     "rsync", "scp",  "sftp", "socat",
     "sort",   "split",  "sshfs", "svn",      "tar",     "tcpdump", "wget",  "yum",  "zip"});

/// Programs that run the program given as an argument.
constexpr auto kRunners = std::to_array<std::string_view>(
    {"ansible", "at",      "batch",   "bwrap",  "capsh",    "ccache",    "chpst",    "chroot",   "chrt",
     "crontab", "doas",    "entr",    "env",    "fakeroot", "faketime",  "flock",    "gosu",     "hyperfine",
     "ionice",  "ltrace",  "mosh",    "nice",   "nohup",    "nsenter",   "numactl",  "parallel", "perf",
     "pkexec",  "prlimit", "rlwrap",  "rr",     "rsh",      "run-parts", "runas",    "runuser",  "screen",
     "script",  "setarch", "setpriv", "setsid", "ssh",      "sshpass",   "stdbuf",   "strace",   "su",
     "sudo",    "taskset", "timeout", "tmux",   "unbuffer", "unshare",   "valgrind", "watch",    "xargs"});

/// Programs that do so in a separate environment or container, or as a service.
constexpr auto kEnvironments = std::to_array<std::string_view>({"apptainer",  "buildah",     "conda",
                                                                "dbus",       "distrobox",   "docker-compose",
                                                                "firejail",   "flatpak",     "lxc",
                                                                "machinectl", "mamba",       "micromamba",
                                                                "nerdctl",    "nix",         "podman-compose",
                                                                "qemu",       "singularity", "systemd",
                                                                "toolbox",    "vagrant",     "wsl",
                                                                "xvfb"});

/// Programs that run a program of a project, of a package or of a version.
constexpr auto kPackages = std::to_array<std::string_view>(
    {"asdf",   "bundle", "bunx",  "cabal",  "composer", "corepack", "direnv", "fnm",    "gem",  "hatch",
     "lerna",  "mise",   "npx",   "nvm",    "nx",       "opam",     "pdm",    "pipenv", "pipx", "pnpx",
     "poetry", "pyenv",  "rbenv", "rustup", "rye",      "stack",    "turbo",  "uvx",    "volta"});

/// Build tools. Their words name the target in a file, while assignments and options select the file, the
/// shell and the compiler (go -toolexec, gcc -wrapper). c and g are c++, c99 and g++.
constexpr auto kBuilders = std::to_array<std::string_view>(
    {"ant",   "bazel", "c",    "cargo",  "cc",      "clang",  "cmake", "cpack", "ctest", "dotnet", "g",
     "gcc",   "gmake", "go",   "gradle", "gradlew", "invoke", "just",  "make",  "meson", "mvn",    "mvnw",
     "ninja", "nox",   "rake", "rustc",  "scons",   "task",   "tcc",   "tox",   "waf"});

/// Programs that give tasks to coding agents, and agents that Luzia does not ship.
constexpr auto kOtherAgents = std::to_array<std::string_view>({"aider", "luzia"});

/// Commands whose next word is a subcommand.
constexpr auto kWithSubcommands =
    std::to_array<std::string_view>({"docker", "gh", "git", "helm", "kubectl", "npm", "pip", "pnpm", "podman",
                                     "systemctl", "terraform", "uv", "yarn"});

/// Subcommands that can run anything, now or (config, alias) on a later occasion.
constexpr auto kRunningSubcommands = std::to_array<std::string_view>(
    {"alias",         "api",         "attach",   "bisect", "compose", "config",  "container", "create",
     "debug",         "difftool",    "dlx",      "edit",   "enable",  "eval",    "exec",      "extension",
     "filter-branch", "filter-repo", "generate", "gist",   "init",    "install", "kube",      "link",
     "mergetool",     "node",        "play",     "plugin", "rebase",  "repo",    "run",       "run-script",
     "script",        "service",     "set",      "shell",  "ssh",     "stack",   "submodule", "template",
     "tool",          "unshare",     "upgrade",  "x"});

/// Subcommands of git that talk to another program, which their options can name.
constexpr auto kRunningOfGit = std::to_array<std::string_view>(
    {"archive", "clone", "daemon", "fetch", "fetch-pack", "for-each-repo", "grep", "hook", "instaweb",
     "ls-remote", "merge-index", "pull", "push", "remote-ext", "send-email", "send-pack"});

/// "/usr/bin/Python3.11.exe" becomes python.
std::string lower_name(std::string_view program) {
  std::string name(base_name(program));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.ends_with(".exe") ? name.substr(0, name.size() - 4) : name;
}

/// The name without a version or variant suffix: python3.13t, bash-static, lua5.4.
std::string_view without_version(std::string_view name) {
  const auto end = std::ranges::find_if_not(name, [](unsigned char c) { return std::isalpha(c) != 0; });
  return name.substr(0, static_cast<std::size_t>(end - name.begin()));
}

/// Programs that can run anything they are given; also names without a letter, such as `.`.
bool runs_anything(std::string_view program) {
  const std::string name = lower_name(program);
  const std::string_view kin = without_version(name);
  const auto is_such = [](std::string_view each) {
    return is_one_of(kShells, each) || is_one_of(kBuiltins, each) || is_one_of(kInterpreters, each) ||
           is_one_of(kByOption, each) || is_one_of(kRunners, each) || is_one_of(kEnvironments, each) ||
           is_one_of(kPackages, each) || is_one_of(kBuilders, each) || is_one_of(kOtherAgents, each) ||
           find_agent(each) != nullptr;
  };
  return kin.empty() || is_such(name) || is_such(kin);
}

bool has_subcommands(std::string_view program) {
  const std::string name = lower_name(program);
  return is_one_of(kWithSubcommands, name) || is_one_of(kWithSubcommands, without_version(name));
}

bool is_running(std::string_view program, std::string_view subcommand) {
  return is_one_of(kRunningSubcommands, subcommand) ||
         (without_version(lower_name(program)) == "git" && is_one_of(kRunningOfGit, subcommand));
}

/// Just a name: not an assignment, not a URL that may hold a password.
bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./+-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// Whether a word behind the program's name may be shown: no secret looks like it.
bool is_known_word(std::string_view word) {
  return std::ranges::all_of(
      word, [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.' || c == '/'; });
}

/// The first words of a command, by which people recognize it. Stops before anything that may be a secret.
std::string hint_of(std::string_view command) {
  constexpr std::size_t kLongestWord = 60;
  // What several commands hand to one another may be a secret, as in "echo SECRET | login".
  const int most_words = simple_commands(command).size() == 1 ? 2 : 1;
  std::string hint;
  for (int words = 0; words < most_words; ++words) {
    const std::size_t end = std::min(command.find(' '), command.size());
    const std::string_view word = command.substr(0, end);
    const bool has_value = word.starts_with('-') && word.size() > 2;
    if (!is_plain(word) || has_value || word.size() > kLongestWord) break;
    if (words > 0 && !is_known_word(word)) break;
    hint.append(word).append(" ");
    if (end == command.size()) return hint;
    command.remove_prefix(end + 1);
  }
  return hint.empty() ? hint : hint + "... ";
}

/// `hint` is for people. The hash alone tells rules of the same tool apart.
std::string hash_rule(const std::string& tool, std::string_view text, const std::string& hint) {
  const Hash hash = blake2b({as_bytes(text)});
  return tool + "(" + hint + "#" + to_hex(Bytes(hash.data(), kRuleHashBytes)) + ")";
}

std::string command_rule(const std::string& tool, const std::string& command) {
  const auto parts = simple_commands(command);
  const std::string exact = hash_rule(tool, command, hint_of(command));
  if (parts.size() != 1 || bare_command(parts.front()).size() != parts.front().size() ||
      command.find('$') != std::string::npos || writes_file(parts.front())) {
    return exact;
  }
  const std::string& part = parts.front();
  const std::size_t first = part.find(' ');
  const std::string program = part.substr(0, first);
  if (runs_anything(program) || !is_plain(program)) return exact;
  if (first == std::string::npos || !has_subcommands(program)) return tool + "(" + program + "*)";
  const std::string second = part.substr(first + 1, part.find(' ', first + 1) - first - 1);
  // An option in place of the subcommand may change the meaning of everything after it.
  const bool tells_enough = !second.starts_with('-') && is_plain(second) && !is_running(program, second);
  return tells_enough ? tool + "(" + program + " " + second + "*)" : exact;
}

/// What stays the same when the call is repeated. For a tool that works on files: which file, not the content
/// written. Empty if that cannot be determined.
std::string exact_rule(const GateRequest& request) {
  if (request.tool == "Bash") {
    const std::string command = command_of(request.tool_input);
    return hash_rule(request.tool, command, hint_of(command));
  }
  auto subjects = subjects_of(request);
  if (auto folder = unnamed_folder(request)) subjects.push_back(*std::move(folder));
  const bool only_files = is_file_tool(request.tool) && !subjects.empty();
  std::string same = only_files ? std::string() : request.tool_input;
  for (const Subject& subject : subjects) {
    if (!subject.known) return {};
    same += '\0' + subject.meant.front();
  }
  const bool names_one = only_files && subjects.size() == 1 && is_plain(subjects.front().meant.front());
  return hash_rule(request.tool, same, names_one ? subjects.front().meant.front() + " " : std::string());
}

/// A write: the files of one folder, "Edit(/home/ada/web/src/*)"; of the root folder and of folders with odd
/// names, only the file. Empty if the file cannot be resolved. The tool's name if the call names no file: no
/// other call has that rule.
std::string write_rule(const GateRequest& request) {
  constexpr std::size_t kLongestFolder = 150;
  const auto subjects = subjects_of(request);
  if (subjects.empty()) return request.tool;
  if (subjects.size() != 1 || !subjects.front().known) return {};
  const std::string& file = subjects.front().meant.front();
  const std::size_t end = file.rfind('/');
  const bool in_folder = end != std::string::npos && end > 0 && end <= kLongestFolder;
  if (!in_folder || !is_plain(std::string_view(file).substr(0, end))) return exact_rule(request);
  return request.tool + "(" + file.substr(0, end) + "/*)";
}

bool is_write_tool(std::string_view tool) {
  return is_file_tool(tool) && changes_files(tool);
}

/// Whether the key is more specific than `rule`, by judge_gate()'s measure. A key that matches the bare tool
/// name applies to all of its calls.
bool is_more_specific(const std::string& key, const std::string& rule, const std::string& tool) {
  if (key == rule || key == tool + "(*)" || fits_pattern(key, tool)) return false;
  return key.size() >= rule.size();
}

}  // namespace

std::string rule_of(const GateRequest& request) {
  if (request.tool.empty()) return "gate " + request.gate;
  if (request.tool.find(' ') != std::string::npos) {
    return {};  // no tool has such a name, and no call may pass for a gate
  }
  if (is_write_tool(request.tool)) return write_rule(request);
  if (request.tool != "Bash") return request.tool;
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
  // A key may name a file of the folder that the rule covers.
  const std::string& measure = is_write_tool(request.tool) ? request.tool : rule;
  if (rule.empty() || request.tool.empty() || !people_have_a_say ||
      !is_more_specific(ruling.key, measure, request.tool)) {
    return rule;
  }
  return exact_rule(request);
}

}  // namespace luzia
