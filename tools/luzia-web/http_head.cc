#include "tools/luzia-web/http_head.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace luzia::web {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEveryAnswer{{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
     "manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
}};

void add_header(std::string& head, std::string_view name, std::string_view value) {
  const bool plain = std::ranges::none_of(value, [](char each) { return each < ' ' && each != '\t'; });
  if (plain) head.append(name).append(": ").append(value).append("\r\n");
}

bool has(const Answer& answer, std::string_view name) {
  return std::ranges::any_of(answer.headers, [&](const auto& header) { return header.first == name; });
}

}  // namespace

std::string head_of(const Answer& answer, BodyForm form, bool close) {
  std::string head =
      "HTTP/1.1 " + std::to_string(answer.status) + " " + std::string(reason_of(answer.status)) + "\r\n";
  const bool empty = answer.status == 204 || answer.status == 304;
  if (!empty) add_header(head, "Content-Type", answer.type);
  if (!empty && form == BodyForm::whole)
    add_header(head, "Content-Length", std::to_string(answer.body.size()));
  if (form == BodyForm::chunked) add_header(head, "Transfer-Encoding", "chunked");
  if (!has(answer, "Cache-Control"))
    add_header(head, "Cache-Control", has(answer, "ETag") ? "no-cache" : "no-store");
  for (const auto& [name, value] : answer.headers) add_header(head, name, value);
  for (const auto& [name, value] : kEveryAnswer) add_header(head, name, value);
  if (close) add_header(head, "Connection", "close");
  return head + "\r\n";
}

std::string chunk_of(std::string_view bytes) {
  char size[16];
  const auto end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
  std::string chunk(size, end);
  chunk.append("\r\n").append(bytes).append("\r\n");
  return chunk;
}

}  // namespace luzia::web
