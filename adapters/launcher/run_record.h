// The two files that an attempt leaves in STORE/run, byte for byte. luzia-run writes them, the launcher reads
// them. libc only, because luzia-run is. Numbers are decimal, pids padded to 10 digits and start times to 20.
//
// Claim, `<job>.<attempt>`, always kClaimSize bytes; a file of another size is incomplete:
//   luzia-claim 1
//   boot_id=<36 characters>
//   runner=<pid> <start time>          luzia-run, which holds an exclusive flock on the file while it lives
//   agent=<pid> <start time>           0 0 until just before the agent's exec
// The agent's process writes the agent line itself before its exec, while it still shares the lock. So if the
// lock is free and the line says 0, no agent was ever started and none will be. Between creating the claim
// and locking it, luzia-run also holds a shared flock on the folder. If another process gets an exclusive
// flock on the folder, even briefly, a claim without a lock belongs to nobody.
//
// The job directory has a file in the same format, `claim`, owned by the job's user and shared by all
// attempts. luzia-run holds an exclusive flock on it while it lives. So another store with the same jobs,
// such as a restored backup, does not start a second attempt beside it. Its agent line is written after the
// start; a process that finds the lock free checks whether that agent lives. This file is trusted only as a
// reason not to start.
//
// Exit record, `<job>.<attempt>.exit`, always kExitRecordSize bytes: `luzia-exit 1`, then lines `key=value`
// in the order job, attempt, boot_id, exit_code (`none` if there is none), signal, core_dumped, ended_us,
// wall_us, user_us, system_us, max_rss_kib, output_bytes, leftovers_killed, preflight_failed, start_error
// (one line of UTF-8); if checks of its work began, checks_from (the size of output.log before them); if they
// ran to their end, verified (0 or 1) and check_error (one line, or empty); if the kernel held it to a limit
// in its cgroup, reached (kReachedMemory or kReachedProcesses); then `sum=<16 hex digits: FNV-1a,
// 64 bits, of all bytes before this line>`, then blanks; the last byte is a newline. wall_us is by
// CLOCK_MONOTONIC, like the daemon's limits: time in which the machine slept is not the job's. luzia-run
// writes the record as
// `.exit.tmp` into space that it reserved before the agent started, and renames it once it is on disk. While
// checks run, that file begins with the line checks_from: what they print is not the agent's.
// The folder is not flushed after that rename. If the machine loses power, or luzia-run is killed before the
// rename, the whole record is there as `.exit.tmp`, and once luzia-run is gone it counts under that name too.
// Rejected: a growing text file. On a full disk it ends up empty, which reads like "nothing happened".
//
// Both files may be reused from an attempt that is over: the daemon renames that attempt's claim to
// `<job>.<attempt>.new` and its exit record to `.exit.tmp`. luzia-run locks the spent claim, writes its own
// content into it and renames it to its final name, unless that name is taken. Without a spent claim it
// creates the claim with O_EXCL. Reason: for a short job, creating and deleting files would cost more than
// all its other work. Whenever an ext4 without a journal creates a file, it skips each inode deleted in the
// last minutes.
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

inline constexpr char kChecksFrom[] = "checks_from=";

inline constexpr char kReachedMemory[] = "memory_limit";
inline constexpr char kReachedProcesses[] = "process_limit";

inline constexpr char kSpentClaimSuffix[] = ".new";

/// How luzia-run starts luzia-proxy: where it listens inside of the sandbox, and its descriptors. Nothing
/// else is in that network, so the port is free.
inline constexpr unsigned kProxyPort = 3128;
inline constexpr int kProxyListener = 3, kProxyTalk = 4, kProxyRecord = 5;
inline constexpr char kProxyReady = 'r';
inline constexpr char kHostsSuffix[] = ".hosts";  // of the claim's name; format: host_record.h

/// Longest job id: leaves room for `.<attempt>.exit.tmp`.
inline constexpr std::size_t kJobIdMax = 200;

/// luzia-run's report is one line: `claimed`, `ended`, `started <agent's pid> <start time> <own pid> <start
/// time>` or `failed <why>`. `<why>` begins with kNoRoom if the disk of STORE/run had no space for claim and
/// record: nothing is left behind, and it may work later.
inline constexpr char kNoRoom[] = "no room: ";

/// luzia-run's own exit status, for people who start it by hand. The daemon learns everything from the report
/// pipe.
inline constexpr int kExitDone = 0;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNothingStarted = 5;  // not even space for an exit record could be reserved
inline constexpr int kExitClaimed = 75;        // another luzia-run holds or held this attempt

inline std::uint64_t sum(const char* bytes, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace luzia::run_record
