// The command line of luzia-run. The launcher (adapters/launcher) writes it; it is refused if anything is
// missing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "tools/luzia-run/text.h"

namespace luzia::run {

/// Arguments of setrlimit.
struct Limit {
  int resource = 0;
  std::uint64_t soft = 0, hard = 0;
};

/// Shell commands that run as the agent would.
struct CheckList {
  char** commands = nullptr;  // allocated once
  std::size_t count = 0;
  std::uint64_t timeout_ms = 60'000;  // of each
};

/// What a sandboxed attempt sees, as KIND:PATH; of rules for the same path the last one counts, and a path
/// belongs to the nearest rule above. Kinds: r read only, w writable, x absent, also if somebody makes it
/// later, c absent or, below a folder that is shown as a whole, an empty folder in its place, t private and
/// empty, p as r, but what is added to the folder is private.
struct ShownPaths {
  char** rules = nullptr;  // allocated once
  std::size_t count = 0;
};

/// Writable paths of the sandbox that checks before the agent may change; it and those after it only read.
struct GuardedPaths {
  char** paths = nullptr;  // allocated once
  std::size_t count = 0;
};

/// Hosts that the sandbox may reach, through luzia-proxy: its command line. No words: there is no proxy.
struct ReachedHosts {
  char** words = nullptr;  // terminated by a null pointer; allocated once
  std::size_t count = 0;
};

/// Points into argv and envp, which live as long as the process.
struct Options {
  Options() = default;
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  const char* run_dir = nullptr;
  const char* job = nullptr;
  unsigned attempt = 0;
  const char* boot_id = nullptr;
  const char* job_dir = nullptr;
  const char* working_dir = nullptr;
  bool stdin_prompt = false;  // else /dev/null
  bool switch_user = false;
  uid_t uid = 0;  // the agent's; ours unless switch_user
  gid_t gid = 0;
  gid_t* groups = nullptr;  // supplementary groups, allocated once
  std::size_t group_count = 0;
  int report_fd = -1;            // -1: no launcher waits
  CheckList preflight;           // before the agent
  CheckList verify;              // after an agent that ended with exit code 0
  std::uint64_t open_files = 0;  // the agent's soft limit; 0: ours
  const char* cgroup = nullptr;  // folder of the cgroup that holds its limits; removed at the end; null: none
  static constexpr std::size_t kMostLimits = 16;
  Limit limits[kMostLimits];  // the agent's other limits; luzia-run keeps the daemon's, which are higher
  std::size_t limit_count = 0;
  bool sandbox = false;
  bool network = true;              // of the sandbox; else only its own loopback
  std::uint64_t private_bytes = 0;  // room of its private folders together; 0 or more: half of the memory
  ShownPaths shown;
  GuardedPaths guarded;
  ReachedHosts hosts;                  // of a sandbox without other network
  char** command = nullptr;            // the agent's argv, terminated by a null pointer
  char* hidden_words = nullptr;        // memory for those words, allocated once
  char** environment = nullptr;        // the agent's environment, likewise
  int secrets_fd = -1;                 // entries of its environment that nobody sees in ours; -1: none
  char* secrets = nullptr;             // their text, allocated once
  char** whole_environment = nullptr;  // `environment`, if secrets were added, allocated once
};

/// Fills `options`; false with the reason in `problem`. Takes the agent's environment from the entries of
/// `envp` that begin with '@'. So no variable of the agent's affects luzia-run itself.
bool parse_options(int argc, char** argv, char** envp, Options& options, TextView& problem);

/// Adds the secrets to the agent's environment; false with the reason in `problem`. Their descriptor stays
/// open: a later daemon reads them there to black them out.
bool take_secrets(Options& options, TextView& problem);

/// Removes the agent's arguments from our own command line, which all users can read during the attempt: it
/// may contain the task. The name of the agent's program stays. Without memory nothing is hidden.
void hide_words(Options& options);

/// Parses UID:GID:GROUP,GROUP... Call at most once. False: not in that form, or out of memory.
bool parse_user(const char* text, Options& options);

/// The output of `luzia-run --help`.
extern const char kUsage[];

}  // namespace luzia::run
