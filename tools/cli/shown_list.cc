#include "tools/cli/shown_list.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/base/places.h"
#include "engine/base/whole_number.h"
#include "tools/cli/own_folder.h"

namespace luzia {
namespace {

constexpr std::string_view kHead = "luzia list 1 ", kPrefix = "list-";
constexpr std::size_t kMostBytes = 64 << 10;
constexpr std::size_t kLongestName = 40;  // of a job or flow
constexpr std::size_t kMostLists = 200;   // of other terminals
static_assert(ShownList::kMostRows * (kLongestName + 1) < kMostBytes);

/// Words of /proc/PID/stat behind the program's name, which may hold blanks and brackets.
std::vector<std::string> stat_of(const std::string& process) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + process + "/stat").rdbuf();
  const std::string line = text.str();
  std::istringstream rest(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::vector<std::string> words;
  for (std::string word; rest >> word;) words.push_back(word);
  return words;
}

/// The terminal's device, the session on it and when that began: a later session may get the same numbers.
/// Empty: no terminal controls this process.
std::string terminal_of_process() {
  constexpr std::size_t kSession = 3, kDevice = 4, kStartedAt = 19;
  const auto self = stat_of("self");
  if (self.size() <= kDevice || self[kDevice] == "0") return {};
  const auto leader = stat_of(self[kSession]);
  return std::string(kPrefix) + self[kDevice] + "-" + self[kSession] + "-" +
         (leader.size() > kStartedAt ? leader[kStartedAt] : "0");
}

tl::unexpected<Error> no_row(std::size_t row, const std::string& why) {
  return fail(ErrorKind::usage, "no_such_row", "%" + std::to_string(row) + ": " + why,
              "luzia jobs, status, top, queue, inbox and flows number their rows");
}

}  // namespace

std::optional<ShownList> ShownList::of_this_terminal(const Surroundings& surroundings) {
  std::string terminal = terminal_of_process();
  if (terminal.empty()) return std::nullopt;
  for (const std::string& parent :
       {variable(surroundings, "XDG_RUNTIME_DIR"), base_directory("XDG_CACHE_HOME", "/.cache")}) {
    if (!parent.starts_with('/')) continue;
    // The cache folder may be missing in a new home.
    if (parent.ends_with("/.cache")) OwnFolder::open(parent, true);
    if (OwnFolder::open(parent + "/luzia", true)) return ShownList(parent + "/luzia", std::move(terminal));
  }
  return std::nullopt;
}

bool ShownList::keep(const std::vector<std::string>& jobs, TimeUs now) const {
  const auto folder = OwnFolder::open(folder_, true);
  if (!folder) return false;
  folder->remove(terminal_);
  std::string text = std::string(kHead) + std::to_string(now) + "\n";
  for (std::size_t i = 0; i < std::min(jobs.size(), kMostRows); ++i) {
    const bool fits = jobs[i].size() <= kLongestName && jobs[i].find('\n') == std::string::npos;
    text += (fits ? jobs[i] : std::string()) + "\n";
  }
  folder->remove_old(kPrefix, now - kKeptFor, kMostLists);
  return folder->write(terminal_, text);
}

Result<std::string> ShownList::job(std::size_t row, TimeUs now) const {
  const auto folder = OwnFolder::open(folder_, false);
  std::istringstream text(folder ? folder->read(terminal_, kMostBytes) : std::string());
  std::string line;
  std::getline(text, line);
  const auto shown = line.starts_with(kHead) ? parse_whole_number(line.substr(kHead.size()))
                                             : std::optional<std::uint64_t>();
  if (!shown) return no_row(row, "no list of jobs or flows was shown on this terminal");
  const auto age = now - static_cast<TimeUs>(*shown);
  if (age > kKeptFor || age < 0) {
    return no_row(row, "the list that was shown last on this terminal is older than 12 hours");
  }
  std::vector<std::string> jobs;
  while (std::getline(text, line)) jobs.push_back(line);
  if (row == 0 || row > jobs.size() || jobs[row - 1].empty()) {
    return no_row(row, "the list that was shown last on this terminal has " + std::to_string(jobs.size()) +
                           (jobs.size() == 1 ? " row" : " rows"));
  }
  return jobs[row - 1];
}

std::size_t row_named_by(std::string_view word) {
  constexpr std::size_t kMostDigits = 6;
  if (!word.starts_with('%') || word.size() == 1 || word.size() > 1 + kMostDigits) return 0;
  const auto row = word.find_first_not_of("0123456789", 1) == std::string_view::npos
                       ? parse_whole_number(word.substr(1))
                       : std::optional<std::uint64_t>();
  return row ? static_cast<std::size_t>(*row) : 0;
}

Result<std::string> job_named_by(std::string_view word, const Surroundings& surroundings) {
  const std::size_t row = row_named_by(word);
  const auto list = ShownList::of_this_terminal(surroundings);
  if (!list) return no_row(row, "this is not a terminal on which a list of jobs or flows was shown");
  return list->job(row, surroundings.now != 0 ? surroundings.now : wall_clock());
}

}  // namespace luzia
