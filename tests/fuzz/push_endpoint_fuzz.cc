// The endpoint of a push, as a stranger's browser names it: whatever we take for a public service, libcurl,
// which connects to it, takes for the same one. And base64url, in which the keys come, is read as it is
// written.
#include <curl/curl.h>

#include <cstdint>
#include <memory>

#include "engine/base/base64url.h"
#include "engine/device/push.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

void check_endpoint(const std::string& endpoint) {
  PushTarget target{endpoint,
                    std::vector<std::uint8_t>(kPushKeyBytes, 4),
                    std::vector<std::uint8_t>(kPushAuthBytes, 1),
                    {"asks"}};
  if (!check_push(target) || !check_push_endpoint(endpoint, {})) return;
  const std::unique_ptr<CURLU, void (*)(CURLU*)> url(curl_url(), &curl_url_cleanup);
  if (curl_url_set(url.get(), CURLUPART_URL, endpoint.c_str(), 0) != CURLUE_OK) return;
  std::string service = "https://" + part_of(url.get(), CURLUPART_HOST);
  require(part_of(url.get(), CURLUPART_SCHEME) == "https", "the scheme is the same");
  require(part_of(url.get(), CURLUPART_USER).empty(), "no user is hidden in it");
  const std::string port = part_of(url.get(), CURLUPART_PORT);
  require(port.empty() || port == "443", "the port is the usual one");
  std::string ours = push_service(endpoint);
  if (ours.ends_with(":443")) ours.resize(ours.size() - 4);
  for (char& c : service) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  // libcurl rewrites addresses in other notations; luzia-push refuses to connect to those that are not
  // public.
  const bool is_number = service.find_first_not_of("0123456789.", 8) == std::string::npos;
  require(service == ours || is_number, "the host is the same");
}

void check_base64url(const std::string& text) {
  require(from_base64url(base64url(text)) == text, "what is written is read");
  const auto bytes = from_base64url(text);
  if (!bytes) return;
  require(base64url(*bytes) == text.substr(0, text.find('=')), "there is one way to write it");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  check_endpoint(std::string(input));
  check_base64url(std::string(input));
}
