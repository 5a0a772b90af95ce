#include "tools/luzia-query/analytics_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/failpoint.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> folder_failed(const std::string& folder, int errno_value) {
  return fail_errno(errno_value, "output_failed", "cannot write to " + folder,
                    write_hint(errno_value, "folder"));
}

void remove_all_in(const std::string& folder) {
  std::error_code ignored;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) paths.push_back(entry.path());
  for (const fs::path& path : paths) fs::remove_all(path, ignored);
}

nlohmann::json read_state(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file, nullptr, false);
}

/// The state in a file; nullopt: it is not a state file of ours.
std::optional<AnalyticsState> state_from(const nlohmann::json& saved) {
  if (!saved.is_object()) return std::nullopt;
  AnalyticsState state;
  try {
    state.asked = saved.at("asked").get<std::string>();
    state.position = saved.at("position").get<Position>();
    state.as_of = saved.at("as_of_us").get<TimeUs>();
    state.rows = saved.at("rows").get<std::map<std::string, std::uint64_t>>();
    state.done = saved.at("done").get<std::vector<std::string>>();
    state.moving = saved.value("moving", false);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return state;
}

}  // namespace

Result<AnalyticsFolder> AnalyticsFolder::open(const std::string& folder, const std::string& asked,
                                              bool resume) {
  AnalyticsFolder opened(folder);
  const std::string work = folder + "/.luzia-export";
  std::error_code error;
  fs::create_directories(work, error);
  if (error) return folder_failed(folder, error.value());
  opened.lock_ = ::open(work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (opened.lock_ < 0) return folder_failed(folder, errno);
  if (flock(opened.lock_, LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorKind::refused, "export_running", "another export writes to " + folder,
                "wait for it, or name another folder");
  }
  opened.work_ = work;
  LUZIA_TRY(opened.load(asked, resume));
  return opened;
}

Status AnalyticsFolder::load(const std::string& asked, bool resume) {
  const auto saved = resume ? state_from(read_state(part("state.json"))) : std::nullopt;
  if (!saved) {
    state.asked = asked;
    begin_anew();
    return {};
  }
  state = *saved;
  if (state.asked == asked) return {};
  return fail(ErrorKind::usage, "other_export",
              "the export in " + folder_ +
                  " was begun with other options: " + (state.asked.empty() ? "none" : state.asked),
              "repeat these (a relative time such as 2d has moved since), or start over without --resume");
}

void AnalyticsFolder::begin_anew() {
  remove_all_in(work_);
  const std::string asked = state.asked;
  state = {};
  state.asked = asked;
}

AnalyticsFolder::AnalyticsFolder(AnalyticsFolder&& other) noexcept
    : state(std::move(other.state)),
      folder_(std::move(other.folder_)),
      work_(std::exchange(other.work_, {})),
      made_(std::move(other.made_)),
      lock_(std::exchange(other.lock_, -1)) {}

AnalyticsFolder::~AnalyticsFolder() {
  std::error_code ignored;
  if (!work_.empty() && state.done.empty()) fs::remove_all(work_, ignored);
  if (lock_ >= 0) close(lock_);
}

bool AnalyticsFolder::is_done(const std::string& view) const {
  return std::ranges::find(state.done, view) != state.done.end();
}

Status AnalyticsFolder::save() const {
  const nlohmann::json saved = {{"asked", state.asked},    {"position", state.position},
                                {"as_of_us", state.as_of}, {"rows", state.rows},
                                {"done", state.done},      {"moving", state.moving}};
  auto file = LUZIA_TRY(OutFile::create(part("state.json")));
  LUZIA_TRY(file.write(saved.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)));
  return file.finish();
}

Status AnalyticsFolder::finish(const std::vector<std::string>& files) {
  // Check first, so that either all files are moved or none.
  for (const std::string& name : files) {
    const std::string place = folder_ + "/" + name;
    std::error_code ignored;
    if (fs::is_directory(place, ignored)) return folder_failed(place, EISDIR);
  }
  const bool goes_on = std::exchange(state.moving, true);
  LUZIA_TRY(goes_on ? Status() : save());
  for (const std::string& name : files) {
    failpoint("export.move");
    const std::string place = folder_ + "/" + name;
    if (rename(part(name).c_str(), place.c_str()) == 0) continue;
    const int trouble = errno;
    const bool is_there = goes_on && trouble == ENOENT && access(place.c_str(), F_OK) == 0;
    if (!is_there) return folder_failed(folder_, trouble);
  }
  failpoint("export.moved");
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = folder >= 0 && fsync(folder) == 0;
  const int trouble = errno;
  if (folder >= 0) close(folder);
  if (!synced) return folder_failed(folder_, trouble);
  std::error_code ignored;
  fs::remove_all(work_, ignored);
  work_.clear();
  return {};
}

}  // namespace luzia
