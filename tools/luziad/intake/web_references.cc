#include "tools/luziad/intake/web_references.h"

#include <algorithm>
#include <array>

#include "engine/base/lower_case.h"
#include "engine/base/utf8.h"
#include "engine/learning/learning.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxOpenCalls = 100;
/// As agents name their own tools, in lower case.
constexpr std::array<std::string_view, 6> kWebTools = {"webfetch",   "websearch",         "web_fetch",
                                                       "web_search", "google_web_search", "fetch_webpage"};

/// Empty: the call read nothing from the web.
std::string reference_of(const schema::ToolCalled& call) {
  const std::string tool = lower_case(text(call.tool()));
  const std::string_view subject = text(call.subject());
  const bool is_line =
      std::ranges::none_of(subject, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (subject.empty() || !is_line || std::ranges::find(kWebTools, tool) == kWebTools.end()) return {};
  const bool is_address = subject.starts_with("https://") || subject.starts_with("http://");
  return bounded_utf8((is_address ? "" : "search: ") + std::string(subject), kMaxReference);
}

}  // namespace

void WebReferences::take(const schema::Event& event) {
  const auto* tool = event.payload_as_ToolEvent();
  if (tool == nullptr) return;
  if (const auto* call = tool->fact_as_ToolCalled()) {
    std::string reference = reference_of(*call);
    if (!reference.empty() && open_.size() < kMaxOpenCalls)
      open_.emplace_back(text(call->call_id()), std::move(reference));
    return;
  }
  const auto* done = tool->fact_as_ToolReturned();
  if (done == nullptr) return;
  const auto call =
      std::ranges::find(open_, text(done->call_id()), &std::pair<std::string, std::string>::first);
  if (call == open_.end()) return;
  if (done->succeeded()) {
    std::erase(found_, call->second);
    found_.push_back(std::move(call->second));
  }
  open_.erase(call);
}

std::vector<std::string> WebReferences::newest(std::size_t most) const {
  const std::size_t count = std::min(most, found_.size());
  return {found_.end() - static_cast<std::ptrdiff_t>(count), found_.end()};
}

}  // namespace luzia
