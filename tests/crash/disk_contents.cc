#include "tests/crash/disk_contents.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path();
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/");
}

std::string read_at(const std::string& path, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(size, '\0');
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  return bytes;
}

void write_at(const std::string& path, std::uint64_t offset, const std::string& bytes) {
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(offset));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

DiskContents::DiskContents(std::string root) : root_(std::move(root)), graveyard_(root_ + ".removed") {
  fs::create_directories(graveyard_);
}

bool DiskContents::covers(const std::string& path) const {
  return lies_in(path, root_);
}

DiskContents::FileId DiskContents::file(const std::string& path) {
  if (const auto known = now_.find(path); known != now_.end()) return known->second;
  const FileId id = next_file_++;
  std::error_code missing;
  const std::uint64_t size = fs::file_size(path, missing);
  contents_[id] = {missing ? 0 : size, missing ? 0 : size, false, {}, path};
  now_[path] = durable_[path] = id;
  return id;
}

void DiskContents::bury(const std::string& path) {
  const auto known = now_.find(path);
  if (known == now_.end()) return;
  Content& content = contents_[known->second];
  const std::string grave = graveyard_ + "/" + std::to_string(known->second);
  std::error_code gone;
  fs::rename(path, grave, gone);
  content.place = grave;
}

DiskContents::FileId DiskContents::created(const std::string& path) {
  const FileId id = next_file_++;
  contents_[id] = {0, 0, false, {}, path};
  note(folder_of(path), {Kind::appear, path, "", id});
  now_[path] = id;
  return id;
}

void DiskContents::about_to_cut(FileId file, std::uint64_t size) {
  Content& content = contents_[file];
  if (size >= content.size) return;
  content.cut_off = read_at(content.place, size, content.size - size) + content.cut_off;
  content.size = size;
  content.synced = std::min(content.synced, size);
  content.sectors.erase(content.sectors.lower_bound((size + kSector - 1) / kSector), content.sectors.end());
}

void DiskContents::about_to_write(FileId file, std::uint64_t offset, std::string_view bytes) {
  Content& content = contents_[file];
  const std::uint64_t end = offset + bytes.size(), end_there = std::min(end, content.size);
  for (std::uint64_t sector = offset / kSector; sector * kSector < end_there; ++sector) {
    auto& states = content.sectors[sector];
    if (states.empty()) states.push_back(read_at(content.place, sector * kSector, kSector));
    std::string after = states.back();
    for (std::uint64_t i = 0; i < kSector; ++i) {
      const std::uint64_t at = sector * kSector + i;
      if (at >= offset && at < end) after[i] = bytes[at - offset];
    }
    states.push_back(std::move(after));
  }
  if (end <= content.size) return;
  content.size = end;
  content.cut_off.clear();
}

void DiskContents::synced(FileId file) {
  Content& content = contents_[file];
  if (content.unprovable) return;
  content.synced = content.size;
  content.sectors.clear();
  content.cut_off.clear();
}

void DiskContents::sync_failed(FileId file) {
  contents_[file].unprovable = true;
}

bool DiskContents::remove(const std::string& path) {
  if (!fs::exists(path)) return false;
  const FileId id = file(path);
  bury(path);
  note(folder_of(path), {Kind::vanish, path, "", id});
  now_.erase(path);
  return true;
}

bool DiskContents::rename(const std::string& from, const std::string& to) {
  if (!fs::exists(from)) return false;
  const FileId id = file(from);
  if (fs::exists(to)) {
    (void)file(to);
    bury(to);
  }
  fs::rename(from, to);
  contents_[id].place = to;
  note(folder_of(to), {Kind::move, from, to, id});
  now_.erase(from);
  now_[to] = id;
  return true;
}

void DiskContents::folder_created(const std::string& path) {
  note(folder_of(path), {Kind::folder, path, "", 0});
}

void DiskContents::folder_synced(const std::string& path) {
  for (const Change& change : pending_[path]) apply(change, durable_);
  pending_.erase(path);
}

void DiskContents::apply(const Change& change, Names& names) {
  const auto erase = [&](const std::string& name) {
    const auto it = names.find(name);
    if (it != names.end() && it->second == change.file) names.erase(it);
  };
  switch (change.kind) {
    case Kind::appear:
      names[change.name] = change.file;
      break;
    case Kind::vanish:
      erase(change.name);
      break;
    case Kind::move:
      erase(change.name);
      names[change.to] = change.file;
      break;
    case Kind::folder:
      break;
  }
}

/// For each folder, keeps its unsynced changes up to some moment: none, some, or all.
DiskContents::Names DiskContents::names_after_loss(Dice& dice, std::vector<std::string>& lost_folders) const {
  Names names = durable_;
  for (const auto& [folder, changes] : pending_) {
    const std::uint64_t manner = dice.below(3);
    const std::size_t kept = manner == 0   ? 0
                             : manner == 1 ? changes.size()
                                           : static_cast<std::size_t>(dice.below(changes.size() + 1));
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (i < kept) {
        apply(changes[i], names);
      } else if (changes[i].kind == Kind::folder) {
        lost_folders.push_back(changes[i].name);
      }
    }
  }
  for (const std::string& folder : lost_folders)
    std::erase_if(names, [&](const auto& entry) { return lies_in(entry.first, folder); });
  return names;
}

/// The unsynced tail of a file is dropped, kept, cut anywhere, or kept with some sectors zeroed.
void DiskContents::keep_part_of_tail(Content& content, Dice& dice) const {
  const std::uint64_t unsynced = content.size - content.synced;
  const std::uint64_t manner = dice.below(4);
  if (manner == 0) return fs::resize_file(content.place, content.synced);
  if (manner == 1) return;
  const std::uint64_t size = content.synced + dice.below(unsynced + 1);
  fs::resize_file(content.place, size);
  if (manner == 2) return;
  for (std::uint64_t at = content.synced; at < size;) {
    const std::uint64_t end = std::min(size, (at / kSector + 1) * kSector);
    if (dice.one_in(2)) write_at(content.place, at, std::string(end - at, '\0'));
    at = end;
  }
}

void DiskContents::leave_what_survives(Content& content, Dice& dice) const {
  for (const auto& [sector, states] : content.sectors) {
    std::string found = states[dice.below(states.size())];
    write_at(content.place, sector * kSector, found);
  }
  if (!content.sectors.empty() && dice.one_in(4)) {  // during the last write: its sector is torn
    auto torn = content.sectors.begin();
    std::advance(torn, static_cast<std::ptrdiff_t>(dice.below(content.sectors.size())));
    const auto& states = torn->second;
    const std::uint64_t cut = dice.below(kSector);
    write_at(content.place, torn->first * kSector,
             states.back().substr(0, cut) + states[states.size() - 2].substr(cut));
  }
  // Sectors were written whole, beyond the end of the file. Cut the file to its real size, as closing it
  // does.
  fs::resize_file(content.place, content.size);
  if (content.size > content.synced) keep_part_of_tail(content, dice);
  if (!content.cut_off.empty() && dice.one_in(2)) write_at(content.place, content.size, content.cut_off);
}

void DiskContents::lose_power(Dice& dice) {
  std::vector<std::string> lost_folders;
  const Names names = names_after_loss(dice, lost_folders);
  for (auto& [id, content] : contents_) {  // moved aside first: two names may have been swapped
    const std::string aside = graveyard_ + "/" + std::to_string(id);
    std::error_code gone;
    if (content.place != aside) fs::rename(content.place, aside, gone);
    content.place = aside;
  }
  for (const std::string& folder : lost_folders) fs::remove_all(folder);
  std::map<FileId, Content> left;
  now_.clear();
  for (const auto& [name, id] : names) {
    Content& content = contents_[id];
    if (!fs::exists(content.place)) continue;
    leave_what_survives(content, dice);
    fs::create_directories(folder_of(name));
    fs::rename(content.place, name);
    const std::uint64_t size = fs::file_size(name);
    left[id] = {size, size, false, {}, name};
    now_[name] = id;
  }
  durable_ = now_;
  contents_ = std::move(left);
  pending_.clear();
  fs::remove_all(graveyard_);
  fs::create_directories(graveyard_);
}

}  // namespace luzia::test
