#include "tools/luzia-web/page.h"

#include <algorithm>

namespace luzia::web {
namespace {

std::string bytes_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the name contains a hash of the content, as the bundler writes it: app-1A2B3C4D.js.
bool is_hashed(std::string_view path) {
  const std::size_t dash = path.rfind('-'), dot = path.find('.', dash == std::string_view::npos ? 0 : dash);
  return dash != std::string_view::npos && dot != std::string_view::npos && dot - dash - 1 == 8;
}

}  // namespace

std::optional<Answer> page_answer(const Request& request) {
  const std::string_view path = request.path == "/" ? std::string_view("/index.html") : request.path;
  const auto files = page_files();
  const auto file = std::ranges::find(files, path, &PageFile::path);
  if (file == files.end()) return std::nullopt;
  Answer answer;
  answer.type = file->type;
  const std::string tag = '"' + std::string(file->hash.substr(0, 32)) + '"';
  answer.headers = {{"ETag", tag},
                    {"Cache-Control", is_hashed(path) ? "public, max-age=31536000, immutable" : "no-cache"},
                    {"Vary", "Accept-Encoding"}};
  if (request.header("if-none-match").find(tag) != std::string_view::npos) {
    answer.status = 304;
    return answer;
  }
  const bool packed = !file->gzip.empty() && file->gzip.size() < file->plain.size() &&
                      request.header("accept-encoding").find("gzip") != std::string_view::npos;
  if (packed) answer.headers.emplace_back("Content-Encoding", "gzip");
  answer.body = bytes_of(packed ? file->gzip : file->plain);
  return answer;
}

}  // namespace luzia::web
