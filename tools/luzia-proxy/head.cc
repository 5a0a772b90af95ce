#include "tools/luzia-proxy/head.h"

#include <algorithm>
#include <array>

#include "engine/base/lower_case.h"

namespace luzia {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n", kScheme = "http://";

tl::unexpected<ProxyRefusal> bad_head(const char* words) {
  return tl::unexpected(ProxyRefusal{"400 Bad Request", words});
}

/// Whether there are only lines of printable bytes, each ended by CR and LF.
bool has_clean_lines(std::string_view head) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head[i]);
    const bool ends_line = byte == '\r' && i + 1 < head.size() && head[i + 1] == '\n';
    if (ends_line) {
      ++i;
    } else if ((byte < 0x20 && byte != '\t') || byte == 0x7f) {
      return false;
    }
  }
  return true;
}

/// The front of `rest` up to `end`, which is taken off too.
std::string_view take_up_to(std::string_view& rest, std::string_view end) {
  const std::size_t at = std::min(rest.find(end), rest.size());
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(std::min(rest.size(), at + end.size()));
  return taken;
}

bool is_token(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

/// For the proxy alone, or set anew.
bool stays_here(const std::string& name) {
  constexpr std::array<std::string_view, 7> kOwn = {"host", "connection", "keep-alive",    "upgrade",
                                                    "te",   "trailer",    "content-length"};
  return name.starts_with("proxy-") || std::ranges::find(kOwn, name) != kOwn.end();
}

/// Adds what the server gets of the client's header lines; false: they are not well formed, or say that a
/// body follows.
bool add_headers(std::string_view lines, std::string& head) {
  while (!lines.empty()) {
    const std::string_view line = take_up_to(lines, "\r\n");
    if (line.empty()) return lines.empty();
    std::string_view value = line;
    const std::string name = lower_case(take_up_to(value, ":"));
    if (!is_token(name) || name.size() == line.size() || name == "transfer-encoding") return false;
    if (name == "content-length" && value.find_first_not_of(" \t0") != std::string_view::npos) return false;
    if (!stays_here(name)) head.append(line).append("\r\n");
  }
  return true;
}

tl::expected<ProxyRequest, ProxyRefusal> parse_url_request(std::string_view method, std::string_view url,
                                                           std::string_view version, std::string_view rest) {
  if (!lower_case(url.substr(0, kScheme.size())).starts_with(kScheme))
    return bad_head("ask for http://HOST/... or CONNECT HOST:PORT");
  url.remove_prefix(kScheme.size());
  const std::size_t end = std::min(url.find_first_of("/?#"), url.size());
  const std::string_view path = url.substr(end);
  const auto target = parse_host_port(url.substr(0, end), 80);
  if (!target || path.find('#') != std::string_view::npos)
    return bad_head("the URL names no host, or has more than a host, a port and a path");
  ProxyRequest request{*target};
  request.head.append(method).append(" ").append(path.starts_with('/') ? "" : "/").append(path);
  // The usual port is left out, as browsers do.
  const HostPort named{target->host, target->port == 80 ? std::uint16_t{0} : target->port};
  const bool is_bare_six = named.port == 0 && named.host.find(':') != std::string::npos;
  request.head.append(" ").append(version).append("\r\nHost: ");
  request.head.append(is_bare_six ? "[" + named.host + "]" : host_words(named)).append("\r\n");
  if (!add_headers(rest, request.head))
    return bad_head("a header line is not well formed, or a body follows");
  request.head.append("Connection: close\r\n\r\n");
  return request;
}

}  // namespace

std::size_t head_size(std::string_view bytes) {
  const std::size_t end = bytes.find(kHeadEnd);
  return end == std::string_view::npos ? 0 : end + kHeadEnd.size();
}

tl::expected<ProxyRequest, ProxyRefusal> parse_proxy_head(std::string_view head) {
  if (!has_clean_lines(head)) return bad_head("the request has bytes that belong to no header");
  std::string_view rest = head;
  std::string_view line = take_up_to(rest, "\r\n");
  const std::string_view method = take_up_to(line, " "), target = take_up_to(line, " "), version = line;
  if (!is_token(method) || target.empty() || (version != "HTTP/1.1" && version != "HTTP/1.0") ||
      target.find('\t') != std::string_view::npos)
    return bad_head("the request line is not METHOD TARGET HTTP/1.1");
  if (method == "GET" || method == "HEAD") return parse_url_request(method, target, version, rest);
  if (method != "CONNECT") {
    return tl::unexpected(
        ProxyRefusal{"405 Method Not Allowed", "only GET, HEAD and CONNECT are possible; use https://"});
  }
  const auto parsed = parse_host_port(target, 0);
  if (!parsed) return bad_head("CONNECT needs HOST:PORT");
  return ProxyRequest{*parsed, true};
}

}  // namespace luzia
