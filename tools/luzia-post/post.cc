#include "tools/luzia-post/post.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "adapters/notify/post_request.h"
#include "engine/base/public_address.h"

namespace luzia {
namespace {

constexpr std::size_t kMostAnswerBytes = 256 * 1024;  // most bytes read, or as many as are kept

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

struct Answer {
  std::string kept;
  std::size_t size = 0;
  std::size_t most = 0;  // bytes to keep
};

std::size_t take_answer(char* bytes, std::size_t, std::size_t size, void* to) {
  Answer& answer = *static_cast<Answer*>(to);
  answer.size += size;
  if (answer.size > std::max(kMostAnswerBytes, answer.most))
    return 0;  // stops the transfer; the status line has been read
  answer.kept.append(bytes, std::min(size, answer.most - std::min(answer.most, answer.kept.size())));
  return size;
}

/// For CURLOPT_OPENSOCKETFUNCTION: called with each address before a connection to it.
curl_socket_t open_if_public(void* refused, curlsocktype, curl_sockaddr* to) {
  if (is_public_address(to->addr)) return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
  *static_cast<bool*>(refused) = true;
  return CURL_SOCKET_BAD;
}

bool has_proxy() {
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

HeaderList header_list(const std::vector<std::string>& headers) {
  HeaderList list;
  for (const std::string& header : headers) {
    curl_slist* longer = curl_slist_append(list.get(), header.c_str());
    if (longer == nullptr) break;
    (void)list.release();
    list.reset(longer);
  }
  return list;
}

/// False: libcurl cannot apply a setting that safety requires.
bool set_up(CURL* easy, const PostRequest& request, curl_slist* headers, Answer& answer, char* why,
            bool& refused) {
  bool all = true;
  const auto set = [&all, easy](CURLoption option, auto value) {
    all = curl_easy_setopt(easy, option, value) == CURLE_OK && all;
  };
  set(CURLOPT_ERRORBUFFER, why);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, "luzia/" LUZIA_VERSION);
  set(CURLOPT_TIMEOUT_MS, request.timeout_ms);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  set(CURLOPT_POSTFIELDS, request.body.c_str());
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_WRITEFUNCTION, &take_answer);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&answer));
  if (request.public_only && has_proxy()) {
    set(CURLOPT_NOPROXY, "");  // no name goes past it
  } else if (request.public_only) {
    set(CURLOPT_OPENSOCKETFUNCTION, &open_if_public);
    set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(&refused));
  }
  // Honors certificate authorities other than the system's, like OpenSSL's own programs; libcurl alone does
  // not.
  if (const char* file = std::getenv("SSL_CERT_FILE")) set(CURLOPT_CAINFO, file);
  if (const char* folder = std::getenv("SSL_CERT_DIR")) set(CURLOPT_CAPATH, folder);
  return all;
}

/// Whether another try may get a different answer.
bool may_pass(long status) {
  return status == 408 || status == 425 || status == 429 || status >= 500;
}

PostResult judge(CURLcode code, long status, const char* why) {
  const bool answered = code == CURLE_OK || (code == CURLE_WRITE_ERROR && status != 0);
  if (!answered) {
    const bool hopeless = code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT;
    return {hopeless ? post_request::kNever : post_request::kTryAgain,
            *why != '\0' ? why : curl_easy_strerror(code),
            {},
            0,
            0};
  }
  PostResult result{post_request::kDelivered, "HTTP status " + std::to_string(status), {}, status, 0};
  if (status >= 200 && status < 300) return result;
  if (status >= 300 && status < 400)
    result.detail += ": redirects are not followed, set url to the new address";
  result.code = may_pass(status) ? post_request::kTryAgain : post_request::kNever;
  return result;
}

}  // namespace

PostResult post(const PostRequest& request) {
  Answer answer{{}, 0, request.answer_bytes};
  char why[CURL_ERROR_SIZE] = {};
  bool refused = false;
  const HeaderList headers = header_list(request.headers);
  const Easy easy(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : nullptr);
  if (!easy || !set_up(easy.get(), request, headers.get(), answer, why, refused)) {
    return {post_request::kNever, "libcurl cannot be set up for the request", {}, 0, 0};
  }
  const CURLcode code = curl_easy_perform(easy.get());
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (code == CURLE_COULDNT_CONNECT && refused)
    return {post_request::kNever, "the name leads to an address that is not public", {}, 0, 0};
  PostResult result = judge(code, status, why);
  curl_off_t seconds = 0;
  if (curl_easy_getinfo(easy.get(), CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK)
    result.retry_after_s = static_cast<long>(seconds);
  result.answer = std::move(answer.kept);
  return result;
}

}  // namespace luzia
