#include "tools/luzia-query/event_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/files/out_file.h"
#include "engine/base/failpoint.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

std::string part_of(const std::string& path) {
  return path + ".part";
}
std::string state_of(const std::string& path) {
  return path + ".part.state";
}

/// The first 64 KiB of a file; empty: the file does not exist.
std::string begun_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(64 * 1024, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// The position in an exported line, or 0 if it is not an event in that format.
Position position_in(const std::string& line, bool cloud_events) {
  const auto event = nlohmann::json::parse(line, nullptr, false);
  if (!event.is_object() || !event.contains("position")) return 0;
  const auto& position = event.at("position");
  if (!cloud_events) return position.is_number_unsigned() ? position.get<Position>() : 0;
  if (!position.is_string() || !event.contains("specversion")) return 0;
  return parse_whole_number<Position>(position.get_ref<const std::string&>()).value_or(0);
}

}  // namespace

Result<EventLines> EventLines::resume(const std::string& path, bool cloud_events, const ExportBegun& begun) {
  EventLines lines;
  lines.path_ = path;
  const int fd = open(part_of(path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return lines.failed(errno);
  lines.file_ = fdopen(fd, "r+");
  if (lines.file_ == nullptr) {
    const int reason = errno;
    close(fd);
    return lines.failed(reason);
  }
  LUZIA_TRY(lines.find_end(cloud_events));
  LUZIA_TRY(lines.begin_or_check(begun));
  return lines;
}

Status EventLines::begin_or_check(const ExportBegun& begun) const {
  if (last_ != 0) return check_begun(begun, begun_of(state_of(path_)), part_of(path_));
  auto state = LUZIA_TRY(OutFile::create(state_of(path_)));
  LUZIA_TRY(state.write(begun_json(begun)));
  return state.finish();
}

Result<std::uint64_t> EventLines::count() const {
  std::string block(1 << 20, '\0');
  std::uint64_t lines = 0;
  for (off_t at = 0;;) {
    const ssize_t got = pread(fileno(file_), block.data(), block.size(), at);
    if (got < 0) return failed(errno);
    if (got == 0) return lines;
    lines += static_cast<std::uint64_t>(std::count(block.begin(), block.begin() + got, '\n'));
    at += got;
  }
}

/// Finds the end of the last complete line. Reads only the end of the file: events have at most 256 KiB and
/// their JSON a few times as much.
Status EventLines::find_end(bool cloud_events) {
  constexpr off_t kNear = 8 << 20;
  struct stat status {};
  if (fstat(fileno(file_), &status) != 0) return failed(errno);
  const off_t from = std::max<off_t>(0, status.st_size - kNear);
  std::string end(static_cast<std::size_t>(status.st_size - from), '\0');
  if (pread(fileno(file_), end.data(), end.size(), from) != static_cast<ssize_t>(end.size())) {
    return failed(EIO);
  }
  end.resize(end.rfind('\n') + 1);  // npos + 1 = 0
  if (end.empty() && from != 0) return failed(EFBIG);
  if (!end.empty()) {
    const std::size_t before = end.rfind('\n', end.size() - 2);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    last_ = position_in(end.substr(begin), cloud_events);
    if (last_ == 0) {
      return fail(ErrorKind::usage, "bad_part",
                  "the last line of " + part_of(path_) + " is not an event exported in this format",
                  "use the --format of the first run, or remove the file");
    }
  }
  const off_t whole = from + static_cast<off_t>(end.size());
  if (ftruncate(fileno(file_), whole) != 0 || fseeko(file_, whole, SEEK_SET) != 0) return failed(errno);
  return {};
}

Status EventLines::begin_anew() {
  if (ftruncate(fileno(file_), 0) != 0 || fseeko(file_, 0, SEEK_SET) != 0) return failed(errno);
  last_ = 0;
  return {};
}

EventLines::EventLines(EventLines&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)), last_(other.last_) {}

EventLines::~EventLines() {
  if (file_ != nullptr) fclose(file_);
}

tl::unexpected<Error> EventLines::failed(int errno_value) const {
  return fail_errno(errno_value, "output_failed", "cannot write " + part_of(path_),
                    write_hint(errno_value, "file"));
}

Status EventLines::write(std::string_view text) {
  if (fwrite(text.data(), 1, text.size(), file_) != text.size()) return failed(errno);
  failpoint("export.events");
  return {};
}

Status EventLines::finish() {
  if (fflush(file_) != 0 || fsync(fileno(file_)) != 0) return failed(errno);
  if (fclose(std::exchange(file_, nullptr)) != 0) return failed(errno);
  if (rename(part_of(path_).c_str(), path_.c_str()) != 0) return failed(errno);
  unlink(state_of(path_).c_str());
  return {};
}

}  // namespace luzia
