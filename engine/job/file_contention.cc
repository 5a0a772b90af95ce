#include "engine/job/file_contention.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace luzia {
namespace {

/// Without "." and ".." and without a trailing slash.
std::string normal_path(const std::filesystem::path& path) {
  std::string text = path.lexically_normal().string();
  if (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace

std::string FileContention::full_path(const std::string& folder, std::string_view file) const {
  std::filesystem::path path(file);
  if (path.is_relative()) path = std::filesystem::path(folder) / path;
  std::string full = normal_path(path);
  // Takes the longest link that is a prefix. Few folders are links; usually none is.
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    const auto& [from, real] = *link;
    if (!full.starts_with(from) || (full.size() > from.size() && full[from.size()] != '/')) continue;
    return normal_path(real + full.substr(from.size()));
  }
  return full;
}

void FileContention::link(const std::string& folder, const std::string& real) {
  const std::string from = normal_path(folder);
  const auto known = links_.find(from);
  if (from == real || from == "/" || (known != links_.end() && known->second == real)) return;
  if (known == links_.end() && links_.size() >= kMostLinks) links_.erase(links_.begin());
  links_[from] = real;
  const auto rename = [this](std::set<std::string>& files) {
    std::set<std::string> renamed;
    for (const std::string& file : files) renamed.insert(full_path("/", file));
    files = std::move(renamed);
  };
  for (auto& [pair, files] : known_) rename(files);
  // Most links are known before anyone has changed a file below them.
  const auto below = changed_by_.lower_bound(from + '/');
  const bool any_below = below != changed_by_.end() && below->first.starts_with(from + '/');
  if (!any_below && !changed_by_.contains(from)) return;
  for (auto& [pair, meeting] : met_) rename(meeting.files);
  changed_by_.clear();
  for (auto& [job, watched] : jobs_) {
    for (const std::string& file : std::exchange(watched.files, {}))
      change(job, watched, file, watched.changed_at);
  }
}

FileContention::Pair FileContention::pair_of(const std::string& one, const std::string& other) {
  return one < other ? Pair(one, other) : Pair(other, one);
}

void FileContention::watch(const std::string& job, std::string folder) {
  jobs_.try_emplace(job, Watched{std::move(folder)});
}

void FileContention::forget(std::string_view job) {
  const auto it = jobs_.find(job);
  if (it == jobs_.end()) return;
  for (const std::string& file : it->second.files) {
    const auto changed = changed_by_.find(file);
    changed->second.erase(it->first);
    if (changed->second.empty()) changed_by_.erase(changed);
  }
  const auto of_job = [job](const auto& entry) {
    return entry.first.first == job || entry.first.second == job;
  };
  std::erase_if(known_, of_job);
  std::erase_if(met_, of_job);
  jobs_.erase(it);
}

void FileContention::take(const schema::Event& event) {
  const auto watched = jobs_.find(job_of_stream(text(event.stream())));
  if (watched == jobs_.end()) return;
  const std::string& job = watched->first;
  if (const auto* tool = event.payload_as_ToolEvent()) {
    const auto* called = tool->fact_as_ToolCalled();
    if (called == nullptr || called->files() == nullptr || !changes_files_(text(called->tool()))) return;
    watched->second.changed_at = event.position();
    for (const auto* file : *called->files()) {
      change(job, watched->second, file->string_view(), event.position());
    }
  } else if (const auto* workspace = event.payload_as_WorkspaceEvent()) {
    if (const auto* made = workspace->fact_as_WorktreeMade()) watched->second.folder = text(made->path());
    if (const auto* fact = workspace->fact_as_FilesContended()) raised(job, *fact);
  }
}

void FileContention::change(const std::string& job, Watched& watched, std::string_view file, Position at) {
  if (file.empty() || watched.files.size() >= kMostFiles) return;
  const std::string path = full_path(watched.folder, file);
  if (!watched.files.insert(path).second) return;
  std::set<std::string>& jobs = changed_by_[path];
  for (const std::string& other : jobs) {
    if (!known_[pair_of(job, other)].insert(path).second) continue;
    Meeting& meeting = met_[{job, other}];
    meeting.files.insert(path);
    meeting.cause = std::max(meeting.cause, at);
  }
  jobs.insert(job);
}

void FileContention::raised(const std::string& job, const schema::FilesContended& fact) {
  const std::string other(text(fact.job()));
  const auto met = met_.find({job, other});
  std::set<std::string>& known = known_[pair_of(job, other)];
  if (fact.files() == nullptr) return;
  for (const auto* file : *fact.files()) {
    const std::string path = full_path("/", file->string_view());
    known.insert(path);
    if (met != met_.end()) met->second.files.erase(path);
  }
  if (met != met_.end() && met->second.files.empty()) met_.erase(met);
}

std::vector<FileContention::Met> FileContention::take_met() {
  std::vector<Met> all;
  for (const auto& [pair, meeting] : met_)
    all.push_back({pair.first, pair.second, {meeting.files.begin(), meeting.files.end()}, meeting.cause});
  met_.clear();
  return all;
}

}  // namespace luzia
