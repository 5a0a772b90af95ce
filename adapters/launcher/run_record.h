// The two files that an attempt leaves in STORE/run, byte for byte. Written by luzia-run, read by the
// launcher. libc only, because luzia-run is. Numbers are decimal, pids padded to 10 and start times to 20
// digits.
//
// Claim, `<job>.<attempt>`, always kClaimSize bytes; a file of another size was not written whole:
//   luzia-claim 1
//   boot_id=<36 characters>
//   runner=<pid> <start time>          luzia-run, which holds an exclusive flock on the file while it lives
//   agent=<pid> <start time>           0 0 until just before the agent's exec
// The agent's line is written by the agent's process itself, before exec, while it still shares the lock:
// when the lock is free and the line says 0, no agent was ever started and none will be.
// Between its creation and its lock, luzia-run also holds a shared flock on the folder: an exclusive one, had
// for a moment, tells that a claim without a lock is nobody's.
//
// The job directory has one of the same bytes, `claim`, of the job's user and for all attempts: luzia-run
// holds an exclusive flock on it while it lives, so that another store with the same jobs, such as a restored
// backup, does not start a second attempt beside it. Its agent's line is written after the start; whoever
// finds the lock free looks whether that agent lives. It is never trusted for more than not to start.
//
// Exit record, `<job>.<attempt>.exit`, always kExitRecordSize bytes: `luzia-exit 1`, then lines `key=value`
// in the order job, attempt, boot_id, exit_code (`none` when there is none), signal, core_dumped, ended_us,
// wall_us, user_us, system_us, max_rss_kib, output_bytes, leftovers_killed, preflight_failed, start_error
// (one line of UTF-8), then `sum=<16 hex digits: FNV-1a, 64 bits, of all bytes before this line>`, then
// blanks, the last byte a newline. wall_us is by CLOCK_MONOTONIC, as the daemon's limits are: what the
// machine slept is nobody's work. The record is written under the name `.exit.tmp` into space that was set
// aside before the agent started, and renamed when it is on disk. A growing text file was rejected: on a full
// disk it ends up empty, which reads like "nothing happened".
//
// Both may be files of an attempt that is over, used again: the daemon renames its claim to
// `<job>.<attempt>.new` and its exit record to `.exit.tmp`. luzia-run locks the spent claim, writes its own
// into it and gives it its name, unless that is taken; where there is none it creates the claim with O_EXCL.
// For a short job creating and deleting files costs more than everything else that is done for it: an ext4
// without a journal steps over each inode deleted in the last minutes whenever it creates a file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace luzia::run_record {

inline constexpr char kClaimFormat[] =
    "luzia-claim 1\n"
    "boot_id=%s\n"
    "runner=%010u %020llu\n"
    "agent=%010u %020llu\n";
inline constexpr char kAgentFormat[] = "agent=%010u %020llu\n";
inline constexpr std::size_t kBootIdSize = 36;
inline constexpr std::size_t kClaimSize = 136;
inline constexpr std::size_t kAgentOffset = 98;

inline constexpr char kJobClaim[] = "claim";  // in the job directory

inline constexpr std::size_t kExitRecordSize = 2048;
inline constexpr std::size_t kStartErrorMax = 1000;
inline constexpr char kExitRecordMagic[] = "luzia-exit 1";

inline constexpr char kSpentClaimSuffix[] = ".new";

/// Longest job id: leaves room for `.<attempt>.exit.tmp`.
inline constexpr std::size_t kJobIdMax = 200;

/// Its report line is one word and what belongs to it: `claimed`, `ended`, `started <agent's pid> <start
/// time> <own pid> <start time>` or `failed <why>`. Why begins so where the disk of STORE/run had no room for
/// claim and record: nothing is left behind, and it may work later.
inline constexpr char kNoRoom[] = "no room: ";

/// luzia-run's own exit status, for people who start it by hand; the daemon learns all through the report
/// pipe.
inline constexpr int kExitDone = 0;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNothingStarted = 5;  // not even an exit record could be set aside
inline constexpr int kExitClaimed = 75;        // another luzia-run has or had this attempt

inline std::uint64_t sum(const char* bytes, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace luzia::run_record
