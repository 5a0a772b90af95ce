#include "tools/luziad/configuration.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <utility>

#include "adapters/config/config_differences.h"
#include "adapters/config/config_stamp.h"
#include "adapters/job_dir/job_dir.h"
#include "engine/base/local_time.h"
#include "tools/luziad/base/daemon_fact.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// A daemon of root must not write to a place that another user chose.
Status safe_jobs_root(const Config& config) {
  return geteuid() == 0 ? check_jobs_root(default_jobs_root(config)) : Status();
}

void Configuration::take(Config read) {
  config_ = std::move(read);
  read_at_ = wall_now();
  for (const Error& each : config_.warnings) spdlog::warn("{}", each.message);
}

Status Configuration::open(const DaemonOptions& options) {
  file_ = options.config_file;
  auto read = LUZIA_TRY(load_config(file_));
  take(std::move(read));
  config_.store.path = options.store.empty() ? default_store(config_) : options.store;
  return {};
}

Status Configuration::reload() {
  stamp_ = config_stamp(file_);
  auto read = LUZIA_TRY(load_config(file_));
  read.store.path = config_.store.path;  // the jobs root is beside it
  LUZIA_TRY(safe_jobs_root(read));
  take(std::move(read));
  return {};
}

bool Configuration::is_outdated() const {
  return config_stamp(file_) != stamp_;
}

wire::DaemonFactT Configuration::describe() const {
  using enum wire::FactState;
  const auto fact = [](std::string text, wire::FactState state) {
    return daemon_fact(wire::DaemonTopic::configuration, "configuration", std::move(text), state);
  };
  const std::string since = local_time(read_at_);
  auto read = load_config(file_);
  if (read) read->store.path = config_.store.path;
  const Status usable = read ? safe_jobs_root(*read) : tl::unexpected(read.error());
  if (!usable) return fact("refused, that of " + since + " stays in force: " + usable.error().message, bad);
  const auto differences = config_differences(config_, *read);
  if (differences.empty()) return fact("up to date", good);
  return fact("changed since it was read at " + since + ": " + named_differences(differences), warning);
}

}  // namespace luzia
