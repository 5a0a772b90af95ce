#include "tools/luzia/config_text.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/config/toml_tree.h"
#include "adapters/files/out_file.h"
#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// Locks the folder of a configuration file while the file is rewritten.
Descriptor lock_folder(const fs::path& folder) {
  Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (lock && ::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return lock;
}

std::string text_of_config(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Where the line at `from` ends, with its line break.
std::size_t config_line_end(std::string_view text, std::size_t from) {
  return std::min(text.find('\n', from), text.size() - 1) + 1;
}

std::string_view config_line_at(std::string_view text, std::size_t from) {
  return trimmed(text.substr(from, config_line_end(text, from) - from));
}

/// The text without the table; the same text: there is none.
std::string without_table(const std::string& text, const std::string& table) {
  std::size_t begin = 0;
  while (begin < text.size() && config_line_at(text, begin) != table) begin = config_line_end(text, begin);
  if (begin >= text.size()) return text;
  std::size_t end = config_line_end(text, begin);
  for (std::size_t at = end; at < text.size(); at = config_line_end(text, at)) {
    const std::string_view line = config_line_at(text, at);
    if (line.starts_with('[')) break;
    if (!line.empty() && line.front() != '#') end = config_line_end(text, at);
  }
  // The blank line above was its own.
  if (begin >= 2 && text[begin - 1] == '\n' && text[begin - 2] == '\n') --begin;
  return text.substr(0, begin) + text.substr(end);
}

}  // namespace

Status rewrite_config(const std::string& file,
                      const std::function<Result<std::string>(const std::string& text)>& change) {
  const fs::path folder = fs::path(file).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return fail_errno(error.value(), "output_failed", "creating the configuration folder " + folder.string());
  }
  const Descriptor lock = lock_folder(folder);
  const std::string before = text_of_config(file);
  const std::string text = LUZIA_TRY(change(before));
  if (text == before || (text.empty() && fs::remove(file, error))) return {};
  auto out = LUZIA_TRY(OutFile::create(file));
  LUZIA_TRY(out.write(text));
  return out.finish();
}

Result<std::string> add_config_table(const std::string& file, const std::string& table,
                                     const std::string& keys) {
  std::string added;
  const Status written = rewrite_config(file, [&](const std::string& text) -> Result<std::string> {
    added = (text.empty() ? "" : text.back() == '\n' ? "\n" : "\n\n") + table + "\n" + keys;
    if (const auto sound = parse_toml(text + added, file); !sound) {
      Error failed = sound.error();
      failed.hint = "add " + table + " by hand to " + file + ", with " +
                    std::string(trimmed(without_control_characters(keys)));
      return tl::unexpected(std::move(failed));
    }
    return text + added;
  });
  if (!written) return tl::unexpected(written.error());
  return added;
}

Status remove_config_table(const std::string& file, const std::string& table) {
  return rewrite_config(file, [&](const std::string& text) -> Result<std::string> {
    std::string rest = without_table(text, table);
    if (rest == text) {
      return fail(ErrorKind::usage, "not_in_file", "removing " + table + ": " + file + " has no such line",
                  "edit the file by hand");
    }
    if (const auto sound = parse_toml(rest, file); !sound) return tl::unexpected(sound.error());
    return rest;
  });
}

}  // namespace luzia
