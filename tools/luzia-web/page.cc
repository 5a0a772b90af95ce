#include "tools/luzia-web/page.h"

#include <algorithm>

namespace luzia::web {
namespace {

std::string bytes_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the name contains a hash of the content: app.72f44ed779b5.js.
bool is_hashed(std::string_view path) {
  constexpr std::size_t kHashChars = 12;
  const std::size_t end = path.rfind('.');
  const std::size_t begin = end == 0 || end == std::string_view::npos ? end : path.rfind('.', end - 1);
  return begin != std::string_view::npos && end - begin - 1 == kHashChars;
}

}  // namespace

std::optional<Answer> page_answer(const Request& request) {
  const auto files = page_files();
  const auto file = std::ranges::find(files, std::string_view(request.path), &PageFile::path);
  if (file == files.end()) return std::nullopt;
  Answer answer;
  answer.type = file->type;
  const std::string tag = '"' + std::string(file->hash.substr(0, 32)) + '"';
  answer.headers = {
      {"ETag", tag},
      {"Cache-Control", is_hashed(file->path) ? "public, max-age=31536000, immutable" : "no-cache"},
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
