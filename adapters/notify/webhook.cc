#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>

#include "adapters/notify/delivery.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kAnswerBytes = 512;             // kept
constexpr std::size_t kMostAnswerBytes = 256 * 1024;  // read at all

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;
using Multi = std::unique_ptr<CURLM, FreeMulti>;
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

struct Answer {
  std::string kept;
  std::size_t size = 0;
};

std::size_t take_answer(char* bytes, std::size_t, std::size_t size, void* to) {
  Answer& answer = *static_cast<Answer*>(to);
  answer.size += size;
  if (answer.size > kMostAnswerBytes) return 0;  // ends the transfer; the status line has been read
  answer.kept.append(bytes, std::min(size, kAnswerBytes - std::min(kAnswerBytes, answer.kept.size())));
  return size;
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

/// False: libcurl cannot do what safety asks for.
bool set_up(CURL* easy, const Webhook& hook, const std::string& body, curl_slist* headers, Answer& answer,
            char* why) {
  bool all = true;
  const auto set = [&all, easy](CURLoption option, auto value) {
    all = curl_easy_setopt(easy, option, value) == CURLE_OK && all;
  };
  set(CURLOPT_ERRORBUFFER, why);
  set(CURLOPT_URL, hook.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, "luzia/" LUZIA_VERSION);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(hook.timeout_ms));
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(CURLOPT_POSTFIELDS, body.c_str());
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_WRITEFUNCTION, &take_answer);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&answer));
  return all;
}

/// Until it is done or a stop is asked for; nullopt: the latter.
std::optional<CURLcode> transfer(CURLM* multi, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [multi] { curl_multi_wakeup(multi); });
  int running = 1;
  while (!stop.stop_requested()) {
    if (const CURLMcode trouble = curl_multi_perform(multi, &running); trouble != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    // It knows its own deadlines: this is only an upper bound.
    curl_multi_poll(multi, nullptr, 0, 60'000, nullptr);
  }
  return std::nullopt;
}

/// An answer that another try may change.
bool may_pass(long status) {
  return status == 408 || status == 425 || status == 429 || status >= 500;
}

HookTry judge(std::optional<CURLcode> code, long status, const char* why, const Answer& answer) {
  HookTry result;
  if (!code) {
    result.detail = "broken off: the daemon stops";
  } else if (status >= 200 && status < 300 && (*code == CURLE_OK || *code == CURLE_WRITE_ERROR)) {
    result.delivered = true;
  } else if (*code != CURLE_OK && *code != CURLE_WRITE_ERROR) {
    result.detail = *why != '\0' ? why : curl_easy_strerror(*code);
    result.final = *code == CURLE_UNSUPPORTED_PROTOCOL || *code == CURLE_URL_MALFORMAT;
  } else {
    result.detail = "HTTP status " + std::to_string(status);
    if (status >= 300 && status < 400)
      result.detail += ": redirects are not followed, set url to the new address";
    if (!answer.kept.empty()) result.detail += ": " + make_harmless(answer.kept.substr(0, 200));
    result.final = !may_pass(status);
  }
  return result;
}

bool init_curl() {
  static std::once_flag once;
  static bool good = false;
  std::call_once(once, [] { good = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; });
  return good;
}

}  // namespace

Delivery send_webhook(const Webhook& hook, const Notice& notice, const std::stop_token& stop) {
  const auto began = Clock::now();
  const WebhookMessage message = webhook_message(hook, notice);
  Answer answer;
  char why[CURL_ERROR_SIZE] = {};
  const HeaderList headers = header_list(message.headers);
  const Easy easy(init_curl() ? curl_easy_init() : nullptr);
  const Multi multi(easy ? curl_multi_init() : nullptr);
  if (!multi || !set_up(easy.get(), hook, message.body, headers.get(), answer, why)) {
    return {HookTry{false, true, "libcurl cannot be set up for the request", 0}, {}};
  }
  std::optional<CURLcode> code = CURLE_FAILED_INIT;
  long status = 0;
  if (curl_multi_add_handle(multi.get(), easy.get()) == CURLM_OK) {
    code = transfer(multi.get(), stop);
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(multi.get(), easy.get());
  }
  Delivery delivery{judge(code, status, why, answer), make_harmless(answer.kept, {.keep_newlines = true})};
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
  delivery.result.elapsed_ms = static_cast<std::uint64_t>(took.count());
  return delivery;
}

}  // namespace luzia
