// Reports of an import: its progress, its result, and settings of the older tool to add by hand. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cli/invocation.h"

namespace luzia {

struct ImportReport {
  struct Skipped {
    std::string path, why;
  };
  bool dry_run = false;
  std::size_t imported = 0;  // jobs that had ended
  std::size_t queued = 0;    // of the older queue
  std::size_t known = 0;     // from an earlier import
  std::size_t left_out = 0;  // of other projects than those asked for
  std::vector<Skipped> skipped;
  std::vector<Skipped> notes;  // about imported jobs
  std::string capacity;        // lines for luzia.toml
};

/// A progress line on standard error, if that is a terminal; cleared at the end.
class ImportProgress {
 public:
  ImportProgress(const Invocation& invocation, std::size_t total);
  ImportProgress(const ImportProgress&) = delete;
  ImportProgress& operator=(const ImportProgress&) = delete;
  ~ImportProgress();
  void at(std::size_t done);

 private:
  std::size_t total_;
  bool shown_;
  std::size_t last_ = 0;
};

/// Prints the report. Returns 1 if something was skipped, else 0.
int report_import(Invocation& invocation, const ImportReport& report);

/// DIR/capacity.json, else DIR/queue/capacity.json, as lines for luzia.toml; empty: the file does not exist.
/// `bad_older_job`, `bad_older_capacity`: it cannot be read.
Result<std::string> older_capacity_lines(const std::string& dir);

/// Prints the older tool's capacity.json on stdout, as text for luzia.toml.
Result<int> print_older_capacity(Invocation& invocation, const std::string& path);

/// Prints the older tool's config.json on stdout, as text for luzia.toml.
Result<int> print_older_config(Invocation& invocation, const std::string& path);

}  // namespace luzia
