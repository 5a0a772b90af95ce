// The configuration in force, and its files. Owned by Daemon; loop thread.
#pragma once

#include <string>

#include "adapters/config/config.h"
#include "engine/base/result.h"
#include "engine/base/time.h"
#include "protocol.fb.h"
#include "tools/luziad/daemon.h"

namespace luzia {

/// `unsafe_jobs_root`: for root's daemon, if other users could replace the folder.
Status safe_jobs_root(const Config& config);

class Configuration {
 public:
  /// At the start. Its store is `options.store` if that is set.
  Status open(const DaemonOptions& options);
  /// Reads the files again. An error leaves the configuration unchanged.
  Status reload();
  /// Whether the files differ from those that reload() read last.
  bool is_outdated() const;
  /// For luzia doctor and luzia daemon status. Keys are named without their values, which may be secrets.
  wire::DaemonFactT describe() const;
  /// Always the same object; a reload changes its content.
  const Config& in_force() const { return config_; }

 private:
  void take(Config read);

  Config config_;
  std::string file_;    // empty: the default places
  std::string stamp_;   // config_stamp() of the last reload; empty: none yet
  TimeUs read_at_ = 0;  // when the configuration in force was read
};

}  // namespace luzia
