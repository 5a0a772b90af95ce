// Reads the values of a job's secrets from where its JobSpec says they are. Blocks, up to ten seconds for
// each command: worker threads.
//
// Files are read and commands run with the rights of the job's user. A daemon of root does both in a process
// of that user: whoever may name a file must not learn more than its user may read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/redactor.h"
#include "engine/base/result.h"
#include "job.fb.h"

namespace luzia {

/// What reading needs of the daemon.
struct SecretSurroundings {
  std::string runner_program;    // luzia-run
  std::uint64_t open_files = 0;  // soft limit of commands
};

/// The files from which they are read.
std::vector<std::string> secret_files(const schema::JobSpecT& spec);
/// Whether reading them runs programs, each of which may take ten seconds.
bool runs_programs_for_secrets(const schema::JobSpecT& spec);

constexpr std::size_t kMostSecretBytes = 64 << 10;
constexpr const char* kSecretUnavailable = "secret_unavailable";

/// All of them, without the newline that ends a value, in the order of the spec. `secret_unavailable`
/// (refused): the first that cannot be read, which and why; no message shows a value.
Result<std::vector<SecretValue>> read_secrets(const schema::JobSpecT& spec, const SecretSurroundings& around);

}  // namespace luzia
