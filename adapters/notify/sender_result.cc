// What the programs that send notices say of it, in the way of post_request.h.
#include <algorithm>

#include "adapters/notify/delivery.h"
#include "adapters/notify/post_request.h"
#include "engine/base/whole_number.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

/// "NAME VALUE" among the lines after the first; empty: it is not said.
std::string_view said_value(std::string_view said, std::string_view name) {
  while (!said.empty()) {
    said.remove_prefix(std::min(said.size(), said.find('\n')));
    if (!said.empty()) said.remove_prefix(1);
    const std::string_view line = said.substr(0, said.find('\n'));
    if (line.starts_with(name) && line.substr(name.size()).starts_with(' '))
      return line.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

bool has_spoken(const CommandRun& run) {
  return run.exit_code == post_request::kTryAgain || run.exit_code == post_request::kNever;
}

Delivery delivery_of(const CommandRun& run) {
  Delivery delivery;
  HookTry& result = delivery.result;
  result.elapsed_ms = run.elapsed_ms;
  result.delivered = run.exit_code == post_request::kDelivered;
  if (result.delivered) return delivery;
  result.final = run.exit_code == post_request::kNever;
  result.detail = has_spoken(run) ? make_harmless(run.output.substr(0, run.output.find('\n'))) : run.end;
  return delivery;
}

Delivery delivery_with_words(const CommandRun& run) {
  constexpr std::uint64_t kLongestPauseMs = 1'000'000'000;
  Delivery delivery = delivery_of(run);
  if (delivery.result.delivered) return delivery;
  const auto seconds = parse_whole_number<std::uint32_t>(said_value(run.output, "retry_after"));
  delivery.result.retry_after_ms = std::min(std::uint64_t{1'000} * seconds.value_or(0), kLongestPauseMs);
  delivery.gone = has_spoken(run) && !said_value(run.output, "gone").empty();
  return delivery;
}

}  // namespace luzia
