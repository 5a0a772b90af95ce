#include "tools/luzia-web/http_head.h"

#include <algorithm>
#include <charconv>

namespace luzia::web {
namespace {

constexpr std::string_view kEveryAnswer =
    "Content-Security-Policy: "
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n";

constexpr std::size_t kOwnHeadBytes = 512;  // what an answer's own headers take at most, usually

void add_header(std::string& head, std::string_view name, std::string_view value) {
  const bool plain = std::ranges::none_of(value, [](char each) { return each < ' ' && each != '\t'; });
  if (plain) head.append(name).append(": ").append(value).append("\r\n");
}

bool has(const Answer& answer, std::string_view name) {
  return std::ranges::any_of(answer.headers, [&](const auto& header) { return header.first == name; });
}

}  // namespace

std::string head_of(const Answer& answer, BodyForm form, bool close) {
  std::string head;
  head.reserve(kEveryAnswer.size() + kOwnHeadBytes);
  head.append("HTTP/1.1 ").append(std::to_string(answer.status)).append(" ");
  head.append(reason_of(answer.status)).append("\r\n");
  const bool empty = answer.status == 204 || answer.status == 304;
  if (!empty) add_header(head, "Content-Type", answer.type);
  if (!empty && form == BodyForm::whole)
    add_header(head, "Content-Length", std::to_string(answer.body.size()));
  if (form == BodyForm::chunked) add_header(head, "Transfer-Encoding", "chunked");
  if (!has(answer, "Cache-Control"))
    add_header(head, "Cache-Control", has(answer, "ETag") ? "no-cache" : "no-store");
  for (const auto& [name, value] : answer.headers) add_header(head, name, value);
  head += kEveryAnswer;
  if (close) add_header(head, "Connection", "close");
  return head += "\r\n";
}

std::string chunk_of(std::string_view bytes) {
  char size[16];
  const auto end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
  std::string chunk(size, end);
  chunk.append("\r\n").append(bytes).append("\r\n");
  return chunk;
}

}  // namespace luzia::web
