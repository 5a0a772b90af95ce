// doctor: the store, the jobs beside it, and how others reach its daemon. Changes nothing.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "adapters/job_dir/job_dir.h"
#include "adapters/socket/socket_path.h"
#include "engine/base/safe_folder.h"
#include "engine/base/store_filesystem.h"
#include "tools/luzia/set_up/examination.h"
#include "tools/luzia/set_up/growth.h"
#include "tools/luzia/set_up/secret_check.h"
#include "tools/luzia/set_up/web_check.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

std::string first_existing(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_parent_path() && path != path.parent_path()) {
    path = path.parent_path();
  }
  return path.string();
}

void examine_store(Examination& examination, const std::string& store) {
  const std::string there = first_existing(store);
  if (const Status fit = check_store_filesystem(store); !fit)
    return examination.bad(fit.error().message, fit.error().hint);
  if (::access(there.c_str(), W_OK) != 0) {
    examination.bad("the store " + store + " cannot be written: you may not write to " + there,
                    "change its owner, or set [store] path");
    return;
  }
  struct stat status;
  if (::stat(store.c_str(), &status) == 0 && (status.st_mode & 0022) != 0) {
    examination.bad("others may write to the store " + store, "chmod go-w " + store);
  }
  if (const auto unsafe = unsafe_parent(store)) {
    examination.bad("of " + unsafe->folder + " above the store, " + unsafe->why +
                        ", who could put another store in its place: no daemon starts there",
                    unsafe->remedy);
  }
  struct statvfs space;
  constexpr std::uint64_t kLeast = 256ULL << 20;
  if (::statvfs(there.c_str(), &space) == 0) {
    const std::uint64_t free_bytes = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
    if (free_bytes < kLeast) {
      examination.warning("only " + std::to_string(free_bytes >> 20) + " MiB are free for the store " + store,
                          "make room: a full disk stops new jobs");
      return;
    }
  }
  examination.good("the store is " + store);
}

/// Earlier versions kept root's store below its home.
void examine_earlier_store(Examination& examination, const Place& place) {
  const std::string earlier = earlier_store_of_root();
  if (!place.named_by.empty() || earlier.empty() || earlier == place.store) return;
  examination.warning(
      "root's store is " + place.store + " now; the one of before, " + earlier + ", is not in use",
      "to go on with it, put [store] path = \"" + earlier + "\" into " + config_files().back().path +
          "; to look into it: luzia-query jobs --store " + earlier + "; to be rid of it, remove it");
}

/// A daemon of root does not start with an unsafe jobs folder; other daemons refuse each job.
void examine_jobs(Examination& examination, Invocation& invocation, const std::string& store) {
  const auto read = invocation.config();
  Config config = read ? **read : Config();
  config.store.path = store;  // the jobs lie beside it
  if (const Status safe = check_jobs_root(default_jobs_root(config)); !safe) {
    examination.bad(safe.error().message, safe.error().hint);
  }
  const std::string grown = grown_so_far(store, default_jobs_root(config));
  if (!grown.empty()) examination.good(grown);
}

/// Agents of other users reach root's daemon by a socket beside the store.
void examine_attempts_door(Examination& examination, Invocation& invocation, const std::string& store) {
  const auto config = invocation.config();
  if (::geteuid() != 0 || !config) return;
  const bool serves_others = std::ranges::any_of((*config)->projects, [](const auto& named) {
    const ProjectConfig& project = named.second;
    return !project.users.empty() || !project.groups.empty() || !project.user.empty();
  });
  if (!serves_others) return;
  const std::string silent = "agents of other users cannot report about their jobs: ";
  const std::string door = attempts_socket_path(store);
  if (door.empty()) {
    examination.warning(silent + store + " is too long for a socket beside it",
                        "put [store] path where it is shorter");
  } else if (const std::string shut = shut_folder_above(door); !shut.empty()) {
    examination.warning(silent + shut + " does not let them pass to " + door,
                        "chmod o+x " + shut + "; then luzia doctor looks again");
  }
}

void examine_web(Examination& examination, const WebConfig& web, const std::string& store, TimeUs now) {
  auto faults = certificate_faults(web, now);
  std::ranges::move(running_faults(web, store), std::back_inserter(faults));
  for (WebFault& fault : faults) {
    examination.add(fault.serious ? Verdict::bad : Verdict::warning, std::move(fault.what),
                    std::move(fault.fix));
  }
  if (faults.empty() && web.enabled) examination.good("web: luzia-web runs");
}

/// Names where each lies, up to a bound.
void warn_of_secrets(Examination& examination, const std::vector<FoundSecret>& found,
                     const std::string& fix) {
  constexpr std::size_t kMostShown = 10;
  for (std::size_t i = 0; i < std::min(found.size(), kMostShown); ++i) {
    examination.warning(found[i].file + ":" + std::to_string(found[i].line) + " holds what looks like " +
                            found[i].what + " in the clear",
                        fix);
  }
  if (found.size() > kMostShown)
    examination.warning("and " + std::to_string(found.size() - kMostShown) + " more such lines", fix);
}

void examine_secrets(Examination& examination, const Config& config, const std::string& store) {
  warn_of_secrets(examination, secrets_in_files(config.files),
                  "put it into a file of its own, and name that in [projects.NAME.secrets]");
  Config here = config;
  here.store.path = store;
  warn_of_secrets(examination, secrets_in_jobs(default_jobs_root(here)),
                  "renew it; luzia rm JOB --purge removes the job; new jobs get it from "
                  "[projects.NAME.secrets]");
}

}  // namespace

void examine_place(Examination& examination, Invocation& invocation, const Place& place) {
  examine_store(examination, place.store);
  examine_earlier_store(examination, place);
  examine_jobs(examination, invocation, place.store);
  examine_attempts_door(examination, invocation, place.store);
  const auto config = invocation.config();
  if (!config) return;
  examine_web(examination, (*config)->web, place.store, invocation.now());
  examine_secrets(examination, **config, place.store);
}

}  // namespace luzia
