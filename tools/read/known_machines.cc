#include "tools/read/known_machines.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "adapters/socket/frame.h"
#include "engine/base/hash.h"
#include "engine/base/places.h"
#include "engine/base/whole_number.h"
#include "tools/cli/own_folder.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

constexpr std::string_view kRowsHead = "luzia rows 1 ", kRowsPrefix = "rows-";
constexpr std::size_t kLongestWord = 60, kMostTableBytes = 512 << 10;

std::string rows_file(const std::string& machine, const std::string& question) {
  const Hash hash = blake2b({as_bytes(machine), as_bytes(std::string_view("\0", 1)), as_bytes(question)});
  return std::string(kRowsPrefix) + to_hex(Bytes(hash).first(16));
}

/// Lines "KEY VALUE" of one file; the value may have blanks.
struct KnownLine {
  std::string key, value;
};

std::vector<KnownLine> lines_in(const std::string& folder, const std::string& file) {
  const auto opened = folder.empty() ? std::nullopt : OwnFolder::open(folder, false);
  std::istringstream text(opened ? opened->read(file, kMostTableBytes) : std::string());
  std::vector<KnownLine> lines;
  for (std::string line; std::getline(text, line);) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos) lines.push_back({line.substr(0, blank), line.substr(blank + 1)});
  }
  return lines;
}

/// Made where it is missing.
std::optional<OwnFolder> folder_to_write(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  OwnFolder::open(folder.substr(0, slash), true);
  return OwnFolder::open(folder, true);
}

void write_lines(const std::string& folder, const std::string& file, const std::vector<KnownLine>& lines,
                 std::size_t most) {
  const auto opened = folder_to_write(folder);
  if (!opened) return;
  std::string text;
  for (std::size_t i = lines.size() - std::min(lines.size(), most); i < lines.size(); ++i) {
    text += lines[i].key + " " + lines[i].value + "\n";
  }
  opened->write(file, text);
}

/// Of more than fit the oldest ones of the machines that have the most.
void forget_some_jobs(std::vector<KnownLine>& lines) {
  std::map<std::string, std::size_t, std::less<>> kept, forgotten;
  for (const KnownLine& line : lines) ++kept[line.value];
  for (std::size_t all = lines.size(); all > KnownMachines::kMostJobs; --all) {
    const auto most = std::ranges::max_element(kept, {}, [](const auto& machine) { return machine.second; });
    --most->second;
    ++forgotten[most->first];
  }
  std::erase_if(lines, [&](const KnownLine& line) {
    const auto found = forgotten.find(line.value);
    return found != forgotten.end() && found->second != 0 && found->second-- != 0;
  });
}

bool fits_a_line(std::string_view text) {
  return !text.empty() && text.size() <= kLongestWord && text.find('\n') == std::string_view::npos;
}

}  // namespace

static_assert(KnownMachines::kMostJobs * (2 * kLongestWord + 2) <= kMostTableBytes);

KnownMachines KnownMachines::of_user() {
  const std::string cache = base_directory("XDG_CACHE_HOME", "/.cache");
  if (!cache.starts_with('/')) return KnownMachines({});
  OwnFolder::open(cache, true);  // missing in a new home
  return KnownMachines(cache + "/luzia/machines");
}

void KnownMachines::keep_rows(const std::string& machine, const std::string& question, const RowPage& page,
                              TimeUs now) const {
  wire::ServerFrameT frame;
  frame.reply.Set(rows_reply(page));
  const std::string bytes = encode(frame);
  const auto folder = bytes.size() > kMostBytes ? std::nullopt : folder_to_write(folder_);
  if (!folder) return;
  folder->remove_old(kRowsPrefix, now - kKeptFor, kMostAnswers - 1);
  folder->write(rows_file(machine, question), std::string(kRowsHead) + std::to_string(now) + "\n" + bytes);
}

std::optional<KnownMachines::Rows> KnownMachines::rows_of(const std::string& machine,
                                                          const std::string& question) const {
  constexpr std::size_t kMostHead = 64;
  const auto folder = folder_.empty() ? std::nullopt : OwnFolder::open(folder_, false);
  if (!folder) return std::nullopt;
  const std::string text = folder->read(rows_file(machine, question), kMostBytes + kMostHead);
  const std::size_t end = text.find('\n');
  if (!text.starts_with(kRowsHead) || end == std::string::npos) return std::nullopt;
  const auto as_of = parse_whole_number(std::string_view(text).substr(0, end).substr(kRowsHead.size()));
  std::optional<Rows> rows;
  FrameReader reader;
  const Status fed = reader.feed(as_bytes(std::string_view(text).substr(end + 1)), [&](Bytes frame) {
    const auto reply = parse_server_frame(frame);
    const auto* page = reply ? (*reply)->reply_as_Rows() : nullptr;
    if (page == nullptr || !as_of) return;
    rows.emplace();
    rows->as_of_us = static_cast<TimeUs>(*as_of);
    append_rows(rows->page, *page);
  });
  return fed ? std::move(rows) : std::nullopt;
}

void KnownMachines::keep_jobs(const std::string& machine, const std::vector<std::string>& ids) const {
  if (folder_.empty() || !fits_a_line(machine)) return;
  const auto known = machines_of_jobs();
  std::set<std::string, std::less<>> fresh;
  for (std::size_t i = ids.size() - std::min(ids.size(), kMostJobs); i < ids.size(); ++i) {
    const auto found = known.find(ids[i]);
    const bool is_known = found != known.end() && found->second == machine;
    if (!is_known && fits_a_line(ids[i]) && ids[i].find(' ') == std::string::npos) fresh.insert(ids[i]);
  }
  if (fresh.empty()) return;
  std::vector<KnownLine> lines = lines_in(folder_, "jobs");
  std::erase_if(lines, [&](const KnownLine& line) { return fresh.contains(line.key); });
  for (const std::string& id : fresh) lines.push_back({id, machine});
  forget_some_jobs(lines);
  write_lines(folder_, "jobs", lines, kMostJobs);
}

std::string KnownMachines::machine_of(std::string_view id) const {
  const auto known = machines_of_jobs();
  const auto found = known.find(id);
  return found == known.end() ? std::string() : found->second;
}

std::map<std::string, std::string, std::less<>> KnownMachines::machines_of_jobs() const {
  std::map<std::string, std::string, std::less<>> known;
  for (KnownLine& line : lines_in(folder_, "jobs")) {
    known.insert_or_assign(std::move(line.key), std::move(line.value));
  }
  return known;
}

TimeUs KnownMachines::silent_since(const std::string& machine) const {
  for (const KnownLine& line : lines_in(folder_, "silent")) {
    const auto since = line.value == machine ? parse_whole_number(line.key) : std::nullopt;
    if (since) return static_cast<TimeUs>(*since);
  }
  return 0;
}

void KnownMachines::keep_silent(const std::string& machine, TimeUs since) const {
  if (folder_.empty() || !fits_a_line(machine) || silent_since(machine) == since) return;
  std::vector<KnownLine> lines = lines_in(folder_, "silent");
  std::erase_if(lines, [&](const KnownLine& line) { return line.value == machine; });
  if (since != 0) lines.push_back({std::to_string(since), machine});
  write_lines(folder_, "silent", lines, kMostSilent);
}

}  // namespace luzia
