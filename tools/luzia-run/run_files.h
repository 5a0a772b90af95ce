// The claim and the exit record in STORE/run; formats: adapters/launcher/run_record.h. The directory is
// opened once and used only through its descriptor, so renaming or remounting the path has no effect.
#pragma once

#include <cstdint>

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

/// How the attempt ended.
struct Ending {
  bool has_exit_code = false;
  int exit_code = 0;
  int signal = 0;
  bool core_dumped = false;
  std::int64_t ended_us = 0;  // wall clock
  std::uint64_t wall_us = 0;  // from start to end, without time in which the machine slept
  std::uint64_t user_us = 0;
  std::uint64_t system_us = 0;
  std::uint64_t max_rss_kib = 0;
  std::uint64_t output_bytes = 0;
  unsigned leftovers_killed = 0;
  bool preflight_failed = false;                                   // start_error is about a preflight check
  const char* start_error = "";                                    // not empty: the agent never ran
  enum class Proof { none, proved, refuted } proof = Proof::none;  // by the job's verification
  static constexpr std::uint64_t kUnchecked = ~std::uint64_t{0};
  std::uint64_t checks_from = kUnchecked;  // where the output of its checks begins
  const char* check_error = "";            // which one failed, and how
  const char* reached = "";                // limit that the kernel held it to, as in run_record.h
};

class RunFiles {
 public:
  enum class Claimed { yes, by_another, no_room, failed };

  /// Creates and locks the claim and reserves space for the exit record. `failed`: the reason is in
  /// `problem`. `no_room`: the same, for lack of disk space or permissions. In both cases no file of ours is
  /// left behind.
  Claimed claim(const Options& options, TextView& problem);

  /// Makes the empty file for the hosts that the attempt reaches; -1 with errno. It stays open.
  int open_hosts() const;

  /// Records the agent in the claim. Called in the agent's process before exec; false with errno.
  bool record_agent(unsigned pid, unsigned long long start) const;

  /// Records, before its checks print anything, where their output will begin. Ignores errors.
  void record_checks(std::uint64_t from) const;

  /// Writes the exit record and returns once it is on disk under its name. Retries as long as the disk is
  /// full or fails. Gives up only if the directory itself was deleted.
  void commit_exit(const Options& options, const Ending& ending);

  unsigned long long runner_start() const { return runner_start_; }

 private:
  Claimed not_claimed(int error, const char* doing, const Options& options, TextView& problem) const;
  bool take_spent_claim(const Options& options);
  bool create_claim(const Options& options);
  bool is_spent_claim(int fd) const;
  bool write_claim(const Options& options);
  bool reserve_exit_record();
  bool try_commit(const char* record);
  bool directory_gone() const;

  int dir_ = -1;
  int claim_ = -1;
  int exit_ = -1;
  unsigned long long runner_start_ = 0;
  Text<256> claim_name_;
  Text<256> spent_name_;
  Text<256> exit_name_;
  Text<256> reserved_name_;
};

}  // namespace luzia::run
