// The command line of luzia-run. Written by the launcher (adapters/launcher), refused when anything is
// missing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "tools/luzia-run/text.h"

namespace luzia::run {

/// Of setrlimit.
struct Limit {
  int resource = 0;
  std::uint64_t soft = 0, hard = 0;
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
  uid_t uid = 0;  // of the agent; our own unless switch_user
  gid_t gid = 0;
  gid_t* groups = nullptr;  // supplementary groups, allocated once
  std::size_t group_count = 0;
  int report_fd = -1;  // -1: nobody waits
  char** preflight = nullptr;
  std::size_t preflight_count = 0;
  std::uint64_t preflight_timeout_ms = 60'000;
  std::uint64_t open_files = 0;  // soft limit of the agent; 0: ours
  static constexpr std::size_t kMostLimits = 16;
  Limit limits[kMostLimits];  // others that the agent gets; we keep the daemon's, which are higher
  std::size_t limit_count = 0;
  char** command = nullptr;      // the agent's argv, ended by a null pointer
  char* hidden_words = nullptr;  // where its words are, allocated once
  char** environment = nullptr;  // the agent's environment, likewise
};

/// Fills `options`; false with the reason in `problem`. Takes the agent's environment out of `envp`, where
/// each entry is marked with a leading '@': so no variable of the agent's is one of ours.
bool parse_options(int argc, char** argv, char** envp, Options& options, TextView& problem);

/// Takes what the agent is given out of our own command line, which everybody on the machine can read for as
/// long as the attempt lasts: it may hold the task. The agent's program stays. Without memory nothing is
/// hidden.
void hide_words(Options& options);

/// UID:GID:GROUP,GROUP... Once at most. False: it is something else, or there is no memory.
bool parse_user(const char* text, Options& options);

/// What `luzia-run --help` prints.
extern const char kUsage[];

}  // namespace luzia::run
