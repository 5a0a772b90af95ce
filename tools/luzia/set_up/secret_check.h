// Finds what looks like a secret in files that were not made to hold one: configuration files, and what job
// directories keep of a dispatch. Names file and line, never what stands there. Reads files only. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace luzia {

struct FoundSecret {
  std::string file;
  std::uint64_t line = 0;  // from 1
  std::string what;        // "a GitHub token", "the value of MY_TOKEN"
};

/// Well-known forms of tokens and private keys, and literal values of variables whose names end in TOKEN,
/// KEY, SECRET or PASSWORD. At most one of each line.
std::vector<FoundSecret> secrets_in_text(std::string_view text, const std::string& file);
/// In these files, as far as they can be read: at most 1 MiB of each.
std::vector<FoundSecret> secrets_in_files(const std::vector<std::string>& files);
/// In prompt.txt, task.sh, run.sh and meta.json of the newest jobs below that folder, at most 50.
std::vector<FoundSecret> secrets_in_jobs(const std::string& jobs_root);

}  // namespace luzia
