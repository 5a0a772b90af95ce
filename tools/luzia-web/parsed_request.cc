#include "tools/luzia-web/parsed_request.h"

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "tools/luzia-web/gate.h"

namespace luzia::web {
namespace {

/// The headers that anything looks at. The library knows these by number, and others by name.
struct KnownHeader {
  std::string_view name;
  lws_token_indexes token;
};
constexpr std::array<KnownHeader, 13> kKnownHeaders{{
    {"host", WSI_TOKEN_HOST},
    {"origin", WSI_TOKEN_ORIGIN},
    {"connection", WSI_TOKEN_CONNECTION},
    {"upgrade", WSI_TOKEN_UPGRADE},
    {"content-type", WSI_TOKEN_HTTP_CONTENT_TYPE},
    {"content-length", WSI_TOKEN_HTTP_CONTENT_LENGTH},
    {"transfer-encoding", WSI_TOKEN_HTTP_TRANSFER_ENCODING},
    {"authorization", WSI_TOKEN_HTTP_AUTHORIZATION},
    {"cookie", WSI_TOKEN_HTTP_COOKIE},
    {"accept", WSI_TOKEN_HTTP_ACCEPT},
    {"accept-encoding", WSI_TOKEN_HTTP_ACCEPT_ENCODING},
    {"if-none-match", WSI_TOKEN_HTTP_IF_NONE_MATCH},
    {"x-forwarded-for", WSI_TOKEN_X_FORWARDED_FOR},
}};
constexpr std::array<std::string_view, 6> kNamedHeaders{"sec-fetch-site", "sec-fetch-mode",  "sec-fetch-dest",
                                                        "last-event-id",  "idempotency-key", kPageHeader};

constexpr std::array<std::string_view, 2> kFramingHeaders{"content-length", "transfer-encoding"};

std::map<std::string, std::string, std::less<>> headers_of(lws* wsi) {
  std::map<std::string, std::string, std::less<>> headers;
  std::string value;
  const auto keep = [&](std::string_view name, int size) {
    if (size <= 0) return;
    // Longer than it says: repeated cookies. Shorter: it contains a NUL character.
    const std::size_t length =
        std::max(std::string_view(value.c_str()).size(), static_cast<std::size_t>(size));
    headers.emplace(name, value.substr(0, length));
  };
  for (const KnownHeader& header : kKnownHeaders) {
    const int length = lws_hdr_total_length(wsi, header.token);
    if (length <= 0) continue;
    value.assign(static_cast<std::size_t>(length) * 2 + 2, '\0');  // commas between repeated ones
    keep(header.name, lws_hdr_copy(wsi, value.data(), static_cast<int>(value.size()), header.token));
  }
  for (const std::string_view name : kNamedHeaders) {
    const std::string with_colon = std::string(name) + ":";
    const int size = static_cast<int>(with_colon.size());
    const int length = lws_hdr_custom_length(wsi, with_colon.c_str(), size);
    if (length <= 0) continue;
    value.assign(static_cast<std::size_t>(length) + 1, '\0');
    keep(name,
         lws_hdr_custom_copy(wsi, value.data(), static_cast<int>(value.size()), with_colon.c_str(), size));
  }
  // With a blank before its colon, a header is another one here, and the same to others on the way.
  for (const std::string_view name : kFramingHeaders) {
    const std::string with_blank = std::string(name) + " :";
    if (lws_hdr_custom_length(wsi, with_blank.c_str(), static_cast<int>(with_blank.size())) > 0)
      headers.insert_or_assign("transfer-encoding", "unclear");
  }
  return headers;
}

std::vector<std::pair<std::string, std::string>> query_of(lws* wsi) {
  std::vector<std::pair<std::string, std::string>> query;
  for (int i = 0;; ++i) {
    const int length = lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, i);
    if (length <= 0) return query;
    std::string part(static_cast<std::size_t>(length) + 1, '\0');
    lws_hdr_copy_fragment(wsi, part.data(), static_cast<int>(part.size()), WSI_TOKEN_HTTP_URI_ARGS, i);
    part.resize(std::string_view(part.c_str()).size());
    if (part == "/") continue;  // what the library makes of a question mark without a query
    const std::size_t equals = part.find('=');
    query.emplace_back(part.substr(0, equals), equals == std::string::npos ? "" : part.substr(equals + 1));
  }
}

std::string method_of(int method) {
  static constexpr std::array<std::string_view, 9> kMethods{"GET",    "POST",    "OPTIONS", "PUT",  "PATCH",
                                                            "DELETE", "CONNECT", "HEAD",    ":path"};
  return std::string(method >= 0 && method < std::ssize(kMethods) ? kMethods[static_cast<std::size_t>(method)]
                                                                  : "UNKNOWN");
}

}  // namespace

Request parsed_request(lws* wsi) {
  Request request;
  char* uri = nullptr;
  int uri_size = 0;
  request.method = method_of(lws_http_get_uri_and_method(wsi, &uri, &uri_size));
  if (uri != nullptr && uri_size > 0) request.path.assign(uri, static_cast<std::size_t>(uri_size));
  request.query = query_of(wsi);
  request.headers = headers_of(wsi);
  return request;
}

std::string version_of(lws* wsi) {
  char version[16] = {};
  lws_hdr_copy(wsi, version, sizeof version, WSI_TOKEN_HTTP);
  return version;
}

std::string address_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[INET6_ADDRSTRLEN] = {};
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "unknown";
  if (address.ss_family == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(&address)->sin_addr, text, sizeof text);
  if (address.ss_family == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<sockaddr_in6*>(&address)->sin6_addr, text, sizeof text);
  const std::string_view whole(text);
  constexpr std::string_view kMapped = "::ffff:";
  return std::string(whole.starts_with(kMapped) ? whole.substr(kMapped.size()) : whole);
}

}  // namespace luzia::web
