#include "tools/luziad/upkeep/config_watch.h"

#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "adapters/config/config.h"

namespace luzia {
namespace {

constexpr std::uint64_t kQuietMs = 500;
constexpr int kMostLinks = 40;  // as the kernel follows

/// The names of the files in each folder: as configured, and each to which links lead. A folder is named
/// itself, too: libuv reports its renaming so.
std::map<std::string, std::set<std::string>> names_by_folder(const std::string& file) {
  std::map<std::string, std::set<std::string>> folders;
  for (const ConfigFile& each : config_files(file)) {
    std::error_code error;
    auto path = std::filesystem::absolute(each.path, error);
    for (int links = 0; links < kMostLinks && path.has_filename(); ++links) {
      auto& names = folders[path.parent_path().string()];
      names.insert({path.filename().string(), path.parent_path().filename().string()});
      const auto target = std::filesystem::read_symlink(path, error);
      if (error) break;
      path = path.parent_path() / target;
    }
  }
  return folders;
}

}  // namespace

struct ConfigWatch::Folder {
  uv_fs_event_t event{};
  std::set<std::string> names;
  ConfigWatch* owner = nullptr;
};

ConfigWatch::ConfigWatch(uv_loop_t* loop, std::string file, std::function<void()> changed,
                         std::function<void(SystemNote)> note)
    : loop_(loop),
      file_(std::move(file)),
      changed_(std::move(changed)),
      note_(std::move(note)),
      quiet_(std::make_unique<Timer>(loop)) {}

void ConfigWatch::begin(bool alert_open) {
  if (alert_open) alerted_ = kConfigRefused;  // an earlier daemon's error, whatever it was
  judge({});
}

void ConfigWatch::watch() {
  if (!quiet_) return;
  const auto before = std::exchange(folders_, {});
  for (auto& [path, names] : names_by_folder(file_)) {
    auto* folder = new Folder;
    folder->names = std::move(names);
    folder->owner = this;
    uv_fs_event_init(loop_, &folder->event);
    folder->event.data = folder;
    folders_.push_back(folder);
    // Without inotify, or a folder: luzia config reload remains.
    (void)uv_fs_event_start(
        &folder->event,
        [](uv_fs_event_t* event, const char* name, int, int) {
          const Folder& its = *static_cast<Folder*>(event->data);
          if (its.owner == nullptr || (name != nullptr && !its.names.contains(name))) return;
          its.owner->quiet_->start(kQuietMs, its.owner->changed_);
        },
        path.c_str(), 0);
  }
  let_go(before);  // only now: a folder that stays is watched all the time
}

void ConfigWatch::judge(const Status& read) {
  watch();
  const std::string why = read ? std::string() : read.error().message;
  if (why == alerted_) return;
  alerted_ = why;
  if (read) {
    schema::AlertEndedT ended;
    ended.alert = kConfigRefused;
    note_({domain_fact(std::move(ended))});
  } else {
    schema::AlertRaisedT raised;
    raised.alert = kConfigRefused;
    raised.alert_type = "CONFIG_REFUSED";
    raised.severity = schema::Severity::warning;
    raised.message = "the configuration cannot be read, and the one read before stays in force: " + why;
    raised.recommendation = "luzia config check shows every mistake";
    note_({domain_fact(std::move(raised))});
  }
}

void ConfigWatch::let_go(const std::vector<Folder*>& folders) {
  for (Folder* folder : folders) {
    folder->owner = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&folder->event),
             [](uv_handle_t* handle) { delete static_cast<Folder*>(handle->data); });
  }
}

void ConfigWatch::close() {
  quiet_.reset();
  let_go(std::exchange(folders_, {}));
}

}  // namespace luzia
