#include "tools/luzia-run/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include "adapters/launcher/run_record.h"

namespace luzia::run {

const char kUsage[] =
    "luzia-run: the parent process of one attempt of a job. Started by luziad, not meant to be typed.\n"
    "\n"
    "  luzia-run --run-dir=DIR --job=ID --attempt=N --boot-id=ID --job-dir=DIR --working-dir=DIR\n"
    "            [--stdin-prompt] [--user=UID:GID:GROUP,...] [--open-files=N] [--limits=N:N:N,...] "
    "[--cgroup=DIR]\n"
    "            [--report-fd=FD] [--secrets-fd=FD]\n"
    "            [--preflight=COMMAND]... [--preflight-timeout-ms=N] [--verify=COMMAND]...\n"
    "            [--verify-timeout-ms=N] [--sandbox=all|none] [--private-bytes=N] [--show=KIND:PATH]...\n"
    "            [--guard=PATH]... [--proxy=PROGRAM --reach=HOST...]\n"
    "            -- COMMAND [ARGUMENT]...\n"
    "\n"
    "  luzia-run --hook=TIMEOUT_MS --working-dir=DIR [--open-files=N] --report-fd=FD\n"
    "            [--user=UID:GID:GROUP,...] [--drop-errors] -- COMMAND [ARGUMENT]...\n"
    "\n"
    "The first form is an agent's, the second a hook's, which is killed with all it has started when its "
    "time is\n"
    "over; it has luzia-run's own environment, and that user.\n"
    "With --sandbox, agent and checks have their own namespaces, with all of the network or none, and see\n"
    "only what --show names: r read only, w writable, x absent, c covered, t private and empty, p as r with\n"
    "private additions. What --guard names is only read from the agent's start on. With --proxy, agent\n"
    "and checks reach those hosts through that luzia-proxy.\n"
    "The agent's environment is luzia-run's own with a leading @ taken off each entry (@HOME=/home/me), and\n"
    "the entries in the file --secrets-fd, each ended by a NUL.\n"
    "Signals: TERM stops the agent and everything below it politely, USR1 kills them.\n"
    "Exit status: 0 the attempt's exit record is written, 2 bad usage, 5 nothing was started, 75 the attempt "
    "is\n"
    "claimed already.\n";

namespace {

constexpr std::uint64_t kMaxResource = 64;  // more than the number of resources
constexpr std::uint64_t kYearMs = 1'000ULL * 86'400 * 365;

bool parse_number(const char* text, std::uint64_t max, std::uint64_t& out, char stop = '\0',
                  const char** rest = nullptr) {
  if (*text < '0' || *text > '9') return false;
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = ::strtoull(text, &end, 10);
  if (errno != 0 || value > max || (*end != stop && *end != '\0')) return false;
  if (rest != nullptr) *rest = *end == '\0' ? end : end + 1;
  out = value;
  return true;
}

// The value of `--name=value`, or null if `argument` is another option.
const char* value_of(const char* argument, const char* name) {
  const std::size_t length = ::strlen(name);
  return ::strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : nullptr;
}

// RESOURCE:SOFT:HARD,... with the numbers of setrlimit.
bool parse_limits(const char* text, Options& options) {
  while (text != nullptr && *text != '\0') {
    if (options.limit_count == Options::kMostLimits) return false;
    Limit& limit = options.limits[options.limit_count++];
    std::uint64_t resource = 0;
    const char* soft = nullptr;
    const char* hard = nullptr;
    const char* next = nullptr;
    if (!parse_number(text, kMaxResource, resource, ':', &soft) || soft == nullptr) return false;
    if (!parse_number(soft, ~0ULL, limit.soft, ':', &hard) || hard == nullptr) return false;
    if (!parse_number(hard, ~0ULL, limit.hard, ',', &next)) return false;
    limit.resource = static_cast<int>(resource);
    text = next;
  }
  return options.limit_count > 0;
}

bool add_check(CheckList& list, char* argument, const char* value) {
  list.commands[list.count++] = argument + (value - argument);
  return true;
}

bool add_shown(char* argument, const char* value, ShownPaths& shown) {
  if (*value == '\0' || ::strchr("rwxctp", *value) == nullptr || value[1] != ':' || value[2] != '/')
    return false;
  shown.rules[shown.count++] = argument + (value - argument);
  return true;
}

bool add_guarded(char* argument, const char* value, GuardedPaths& guarded) {
  guarded.paths[guarded.count++] = argument + (value - argument);
  return *value == '/';
}

/// The program comes before the hosts.
bool add_host(char* argument, const char* value, ReachedHosts& hosts, bool is_program) {
  if (*value == '\0' || *value == '-' || is_program != (hosts.count == 0)) return false;
  hosts.words[hosts.count++] = argument + (value - argument);
  return !is_program || *value == '/';
}

bool parse_sandbox(const char* value, Options& options) {
  options.network = ::strcmp(value, "all") == 0;
  return options.sandbox = options.network || ::strcmp(value, "none") == 0;
}

bool parse_option(char* argument, Options& options) {
  std::uint64_t number = 0;
  const char* value = nullptr;
  if (::strcmp(argument, "--stdin-prompt") == 0) return options.stdin_prompt = true;
  if ((value = value_of(argument, "--run-dir"))) return *(options.run_dir = value) == '/';
  if ((value = value_of(argument, "--job-dir"))) return *(options.job_dir = value) == '/';
  if ((value = value_of(argument, "--working-dir"))) return *(options.working_dir = value) == '/';
  if ((value = value_of(argument, "--user"))) return !options.switch_user && parse_user(value, options);
  if ((value = value_of(argument, "--job"))) {
    options.job = value;
    return *value != '\0' && *value != '.' && ::strchr(value, '/') == nullptr &&
           ::strlen(value) <= run_record::kJobIdMax;
  }
  if ((value = value_of(argument, "--boot-id"))) {
    options.boot_id = value;
    return ::strlen(value) == run_record::kBootIdSize;
  }
  if ((value = value_of(argument, "--attempt"))) {
    const bool good = parse_number(value, 0xFFFFFFFFU, number);
    options.attempt = static_cast<unsigned>(number);
    return good && number > 0;
  }
  if ((value = value_of(argument, "--report-fd"))) {
    const bool good = parse_number(value, 1024, number);
    options.report_fd = static_cast<int>(number);
    return good && number > 2;
  }
  if ((value = value_of(argument, "--secrets-fd"))) {
    const bool good = parse_number(value, 1024, number);
    options.secrets_fd = static_cast<int>(number);
    return good && number > 2;
  }
  if ((value = value_of(argument, "--open-files"))) return parse_number(value, ~0ULL, options.open_files);
  if ((value = value_of(argument, "--cgroup"))) return *(options.cgroup = value) == '/';
  if ((value = value_of(argument, "--limits"))) return parse_limits(value, options);
  if ((value = value_of(argument, "--preflight-timeout-ms")))
    return parse_number(value, kYearMs, options.preflight.timeout_ms);
  if ((value = value_of(argument, "--verify-timeout-ms")))
    return parse_number(value, kYearMs, options.verify.timeout_ms);
  if ((value = value_of(argument, "--preflight"))) return add_check(options.preflight, argument, value);
  if ((value = value_of(argument, "--verify"))) return add_check(options.verify, argument, value);
  if ((value = value_of(argument, "--sandbox"))) return parse_sandbox(value, options);
  if ((value = value_of(argument, "--private-bytes")))
    return parse_number(value, ~0ULL, options.private_bytes);
  if ((value = value_of(argument, "--proxy"))) return add_host(argument, value, options.hosts, true);
  if ((value = value_of(argument, "--reach"))) return add_host(argument, value, options.hosts, false);
  if ((value = value_of(argument, "--show"))) return add_shown(argument, value, options.shown);
  if ((value = value_of(argument, "--guard"))) return add_guarded(argument, value, options.guarded);
  return false;
}

bool take_environment(char** envp, Options& options, TextView& problem) {
  options.environment = envp;
  for (char** entry = envp; *entry != nullptr; ++entry) {
    if (**entry != '@') {
      problem.add("the environment has an entry without the leading @");
      return false;
    }
    ++*entry;
  }
  return true;
}

const char* missing(const Options& options) {
  if (options.run_dir == nullptr) return "--run-dir";
  if (options.job == nullptr) return "--job";
  if (options.attempt == 0) return "--attempt";
  if (options.boot_id == nullptr) return "--boot-id";
  if (options.job_dir == nullptr) return "--job-dir";
  if (options.working_dir == nullptr) return "--working-dir";
  if (options.command == nullptr || options.command[0] == nullptr) return "-- COMMAND";
  const bool is_closed = options.sandbox && !options.network;
  if (options.hosts.count > 0 && !is_closed) return "--sandbox=none, which --proxy needs,";
  if (options.hosts.count == 1) return "--reach";
  if (options.guarded.count > 0 && !options.sandbox) return "--sandbox, which --guard needs,";
  return nullptr;
}

}  // namespace

Options::~Options() {
  ::free(groups);
  ::free(preflight.commands);
  ::free(verify.commands);
  ::free(shown.rules);
  ::free(guarded.paths);
  ::free(hosts.words);
  ::free(hidden_words);
  ::free(secrets);
  ::free(whole_environment);
}

bool take_secrets(Options& options, TextView& problem) {
  if (options.secrets_fd < 0) return true;
  struct stat status {};
  const bool known = ::fstat(options.secrets_fd, &status) == 0;
  const std::size_t size = known ? static_cast<std::size_t>(status.st_size) : 0;
  options.secrets = static_cast<char*>(::calloc(size + 1, 1));
  if (!known || options.secrets == nullptr ||
      ::pread(options.secrets_fd, options.secrets, size, 0) != static_cast<ssize_t>(size)) {
    problem.add("cannot read its secrets");
    return false;
  }
  std::size_t count = 1;  // for the null pointer
  for (char** entry = options.environment; *entry != nullptr; ++entry) ++count;
  for (std::size_t i = 0; i < size; ++i) count += options.secrets[i] == '\0' ? 1 : 0;
  options.whole_environment = static_cast<char**>(::calloc(count, sizeof(char*)));
  char** next = options.whole_environment;
  if (next == nullptr) {
    problem.add("out of memory");
    return false;
  }
  for (char** entry = options.environment; *entry != nullptr; ++entry) *next++ = *entry;
  for (char* entry = options.secrets; entry < options.secrets + size; entry += ::strlen(entry) + 1)
    *next++ = entry;
  options.environment = options.whole_environment;
  return true;
}

void hide_words(Options& options) {
  std::size_t size = 0;
  for (char** word = options.command + 1; *word != nullptr; ++word) size += ::strlen(*word) + 1;
  options.hidden_words = size == 0 ? nullptr : static_cast<char*>(::malloc(size));
  char* free_at = options.hidden_words;
  if (free_at == nullptr) return;
  for (char** word = options.command + 1; *word != nullptr; ++word) {
    const std::size_t length = ::strlen(*word) + 1;
    ::memcpy(free_at, *word, length);
    ::explicit_bzero(*word, length);
    *word = free_at;
    free_at += length;
  }
}

bool parse_user(const char* text, Options& options) {
  constexpr std::uint64_t kMaxId = 0xFFFFFFFEU;
  std::uint64_t id = 0;
  if (!parse_number(text, kMaxId, id, ':', &text)) return false;
  options.uid = static_cast<uid_t>(id);
  if (!parse_number(text, kMaxId, id, ':', &text)) return false;
  options.gid = static_cast<gid_t>(id);
  options.groups = static_cast<gid_t*>(::malloc((::strlen(text) + 1) * sizeof(gid_t)));
  if (options.groups == nullptr) return false;
  while (*text != '\0') {
    if (!parse_number(text, kMaxId, id, ',', &text)) return false;
    options.groups[options.group_count++] = static_cast<gid_t>(id);
  }
  options.switch_user = true;
  return true;
}

bool parse_options(int argc, char** argv, char** envp, Options& options, TextView& problem) {
  options.uid = ::geteuid();
  options.gid = ::getegid();
  for (char*** list : {&options.preflight.commands, &options.verify.commands, &options.shown.rules,
                       &options.guarded.paths, &options.hosts.words}) {
    *list = static_cast<char**>(::calloc(static_cast<std::size_t>(argc) + 1, sizeof(char*)));
    if (*list != nullptr) continue;
    problem.add("out of memory");
    return false;
  }
  for (int i = 1; i < argc; ++i) {
    if (::strcmp(argv[i], "--") == 0) {
      options.command = argv + i + 1;
      break;
    }
    if (!parse_option(argv[i], options)) {
      problem.add("cannot use '%.200s'", argv[i]);
      return false;
    }
  }
  if (const char* option = missing(options)) {
    problem.add("%s is missing", option);
    return false;
  }
  return take_environment(envp, options, problem);
}

}  // namespace luzia::run
