// export queue: writes queued jobs in the older tool's format: queue/pending/{high,normal}/*.json.
#include <unistd.h>

#include <filesystem>

#include "adapters/files/out_file.h"
#include "adapters/older_tool/older_queue.h"
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/new_folders.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

constexpr std::uint8_t kHigh = 8;  // priorities from 8 on are "high" in the older tool
constexpr std::string_view kWas = "was:";

/// A job that was imported keeps the id that it had, so that importing its export again recognizes it.
std::string id_of(const view::Job& job) {
  const auto* tags = job.tags();
  for (flatbuffers::uoffset_t i = 0; tags != nullptr && i < tags->size(); ++i) {
    const std::string_view tag = text(tags->Get(i));
    if (tag.starts_with(kWas)) return std::string(tag.substr(kWas.size()));
  }
  return std::string(text(job.id()));
}

OlderEntry entry_of(const view::Job& job) {
  OlderEntry entry;
  entry.id = id_of(job);
  entry.project = text(job.project());
  entry.priority = std::to_string(job.priority());
  entry.prompt = text(job.task());
  entry.enqueued_us = job.queued_us();
  entry.enqueued_by = text(text(job.enqueued_by()).empty() ? job.user() : job.enqueued_by());
  entry.skill_match = text(job.skill_match());
  entry.status = "pending";
  return entry;
}

/// A folder that appears completely or not at all: it is filled under another name, then renamed.
class QueueFolder {
 public:
  static Result<QueueFolder> create(const std::string& path) {
    std::string place = path;
    while (place.size() > 1 && place.ends_with('/')) place.pop_back();
    QueueFolder folder(place);
    std::error_code error;
    const bool taken = std::filesystem::exists(place, error) && !std::filesystem::is_empty(place, error);
    if (taken) {
      return fail(ErrorKind::usage, "output_exists",
                  "exporting the queue: " + place + " exists and is not empty",
                  "name a new folder with --out");
    }
    for (const char* group : {"high", "normal"}) {
      std::filesystem::create_directories(folder.temporary_ + "/queue/pending/" + group, error);
      if (error) return folder.failed(error.value());
    }
    return folder;
  }
  QueueFolder(QueueFolder&& other) noexcept
      : path_(std::move(other.path_)),
        temporary_(std::exchange(other.temporary_, {})),
        made_(std::move(other.made_)) {}
  QueueFolder& operator=(QueueFolder&&) = delete;
  /// Removes everything unless finish() was called.
  ~QueueFolder() {
    std::error_code ignored;
    if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  }

  Status add(const view::Job& job) {
    const OlderEntry entry = entry_of(job);
    const char* group = job.priority() >= kHigh ? "high" : "normal";
    auto file = LUZIA_TRY(OutFile::create(temporary_ + "/queue/pending/" + group + "/" +
                                          older_entry_name(9 - std::min<int>(9, job.priority()), entry)));
    LUZIA_TRY(file.write(older_entry_json(entry)));
    return file.finish();
  }

  Status finish() {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failed(errno);
    temporary_.clear();
    return {};
  }

 private:
  explicit QueueFolder(std::string path)
      : path_(std::move(path)),
        temporary_(path_ + ".part." + std::to_string(::getpid())),
        made_(std::filesystem::path(path_).parent_path()) {}
  tl::unexpected<Error> failed(int errno_value) const {
    return fail_errno(errno_value, "output_failed", "cannot write " + path_,
                      "name a folder that can be created");
  }

  std::string path_, temporary_;
  NewFolders made_;
};

}  // namespace

Result<int> export_queue(Session& session) {
  auto source = LUZIA_TRY(session.source());
  wire::QueryT query = session.query(wire::View::jobs);
  query.filter->states = {schema::JobState::queued};
  query.filter->ended = false;
  query.whole_tasks = true;
  const bool to_folder = !session.options().out.empty() && session.options().out != "-";
  std::optional<QueueFolder> folder;
  std::size_t exported = 0;
  LUZIA_TRY(
      visit_pages(*source, query, session.options().limit.value_or(0), [&](const RowPage& page) -> Status {
        const auto jobs = LUZIA_TRY(rows_of<view::Job>(page));
        if (to_folder && !folder) {
          auto created = LUZIA_TRY(QueueFolder::create(session.options().out));
          folder.emplace(std::move(created));
        }
        for (const view::Job* job : jobs) {
          LUZIA_TRY(folder ? folder->add(*job) : session.console().write(older_entry_json(entry_of(*job))));
          ++exported;
        }
        return {};
      }));
  if (folder) {
    LUZIA_TRY(folder->finish());
  }
  session.console().say(counted(exported, "queued job"));
  return 0;
}

}  // namespace luzia
