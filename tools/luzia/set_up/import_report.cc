#include "tools/luzia/set_up/import_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "adapters/config/config.h"
#include "adapters/older_tool/older_job.h"
#include "adapters/older_tool/older_queue.h"
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxSettings = 4 << 20;  // bytes of a file
constexpr std::size_t kTellEvery = 100;
constexpr const char* kAddThis = "add this to luzia.toml (luzia config path), then: luzia daemon reload";

Result<std::optional<std::string>> read_settings(const std::string& dir, const std::string& name) {
  const int fd = ::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail_errno(errno, "unreadable", "opening " + dir);
  auto bytes = read_plain_file(fd, name, kMaxSettings);
  ::close(fd);
  return bytes;
}

tl::unexpected<Error> about(const std::string& path, const Error& error, const std::string& hint = {}) {
  return fail(error.kind, error.code, "importing " + path + ": " + error.message,
              hint.empty() ? error.hint : hint);
}

void write_path(JsonObject& entry, const ImportReport::Skipped& each) {
  entry.text("path", each.path);
  entry.text("reason", each.why);
}

std::string import_report_json(const ImportReport& report) {
  JsonObject object;
  object.boolean("dry_run", report.dry_run);
  object.number("imported", report.imported);
  object.number("queued", report.queued);
  object.number("known", report.known);
  object.number("left_out", report.left_out);
  object.objects("skipped", report.skipped, write_path);
  object.objects("notes", report.notes, write_path);
  object.text_or_null("capacity", report.capacity);
  return object.take();
}

}  // namespace

ImportProgress::ImportProgress(const Invocation& invocation, std::size_t total)
    : total_(total), shown_(::isatty(STDERR_FILENO) == 1 && !invocation.args().has("quiet")) {}

ImportProgress::~ImportProgress() {
  if (shown_ && last_ > 0) std::fputs("\r\x1b[K", stderr);
}

void ImportProgress::at(std::size_t done) {
  if (!shown_ || (done - last_ < kTellEvery && done != total_)) return;
  last_ = done;
  std::fprintf(stderr, "\r%zu of %zu folders read", done, total_);
  std::fflush(stderr);
}

int report_import(Invocation& invocation, const ImportReport& report) {
  for (const ImportReport::Skipped& each : report.skipped) {
    invocation.say("skipped " + each.path + ": " + each.why);
  }
  for (const ImportReport::Skipped& each : report.notes) {
    invocation.say("note " + each.path + ": " + each.why);
  }
  if (invocation.json()) {
    print_line(import_report_json(report));
  } else {
    std::string words = report.dry_run ? "would import " : "imported ";
    words += counted(report.imported, "job that has ended", "jobs that have ended");
    words += ", " + std::string(report.dry_run ? "would queue " : "queued ") + std::to_string(report.queued);
    words += "; known already: " + std::to_string(report.known);
    if (report.left_out > 0) words += "; of other projects: " + std::to_string(report.left_out);
    if (!report.skipped.empty()) words += "; skipped: " + std::to_string(report.skipped.size());
    print_line(words);
  }
  if (!report.capacity.empty() && !invocation.json()) {
    invocation.say("the settings of capacity.json as lines for luzia.toml:");
    for (const std::string& line : split_list(report.capacity, '\n')) invocation.say("  " + line);
  }
  return report.skipped.empty() ? 0 : 1;
}

Result<std::string> older_capacity_lines(const std::string& dir) {
  auto bytes = read_settings(dir, "capacity.json");
  if (bytes && !*bytes && ::access((dir + "/queue").c_str(), F_OK) == 0) {
    bytes = read_settings(dir + "/queue", "capacity.json");
  }
  if (!bytes) return tl::unexpected(bytes.error());
  if (!*bytes) return std::string();
  const auto capacity = LUZIA_TRY(parse_older_capacity(**bytes));
  std::string lines = "[queue]\n";
  for (const auto& [key, limit] : capacity.limits) lines += key + " = " + limit + "\n";
  for (const std::string& name : capacity.left) lines += "# " + name + " has no counterpart\n";
  return lines;
}

Result<int> print_older_capacity(Invocation& invocation, const std::string& path) {
  const auto lines = older_capacity_lines(path.substr(0, path.rfind('/') + 1));
  if (!lines) return about(path, lines.error());
  print(*lines);
  invocation.say(kAddThis);
  return 0;
}

Result<int> print_older_config(Invocation& invocation, const std::string& path) {
  static const std::string kHint =
      R"(expected the older tool's {"projects":{NAME:{"path":...}}}; to import its jobs give their folder)";
  const std::size_t slash = path.rfind('/');
  const auto bytes = read_settings(path.substr(0, slash + 1), path.substr(slash + 1));
  if (!bytes) return about(path, bytes.error());
  if (!*bytes) return fail(ErrorKind::usage, "unreadable", "importing " + path + ": it no longer exists");
  const auto toml = older_config_as_toml(**bytes);
  if (!toml) return about(path, toml.error(), kHint);
  // Report values that luzia.toml would refuse now, not when the daemon reads them.
  if (const auto read = parse_config(*toml, path + " as TOML"); !read) return about(path, read.error());
  print(*toml);
  invocation.say(kAddThis);
  return 0;
}

}  // namespace luzia
