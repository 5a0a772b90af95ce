#include "engine/base/ids.h"

#include <algorithm>

namespace luzia {
namespace {

constexpr std::string_view kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr TimeUs kEpochUs = 1'735'689'600LL * kSecondUs;  // 2025-01-01T00:00:00Z
constexpr int kTickCharacters = 10;
constexpr int kSequenceBits = 10;
constexpr TimeUs kMostMillis = TimeUs{1} << (5 * kTickCharacters - kSequenceBits);

std::string encode(std::uint64_t tick, std::uint16_t site_number) {
  std::string id(kIdLength, '0');
  for (std::size_t i = kTickCharacters; i-- > 0; tick >>= 5) id[i] = kAlphabet[tick & 31];
  for (std::size_t i = kIdLength; i-- > kTickCharacters; site_number >>= 5)
    id[i] = kAlphabet[site_number & 31];
  return id;
}

std::uint64_t decode_tick(std::string_view id) {
  std::uint64_t tick = 0;
  for (char c : id.substr(0, kTickCharacters)) tick = tick << 5 | kAlphabet.find(c);
  return tick;
}

}  // namespace

IdSource::IdSource(std::uint16_t site_number, std::string_view last_id) : site_number_(site_number & 0x7fff) {
  if (is_job_id(last_id)) last_tick_ = decode_tick(last_id);
}

std::string IdSource::next(TimeUs now) {
  // A clock set beyond the range of the characters would repeat earlier ids, so it is treated as standing
  // still.
  const bool can_be_written = now >= kEpochUs && (now - kEpochUs) / kMillisecondUs < kMostMillis;
  const std::uint64_t millis =
      can_be_written ? static_cast<std::uint64_t>((now - kEpochUs) / kMillisecondUs) : 0;
  last_tick_ = std::max(millis << kSequenceBits, last_tick_ + 1);
  return encode(last_tick_, site_number_);
}

std::string id_of_past(TimeUs time, std::uint64_t hash) {
  constexpr std::uint64_t kSequence = 1024, kSites = 0x8000;
  // Whole seconds since 1970 are few enough to sort before the first real id.
  const TimeUs before = std::max<TimeUs>(0, time) / kSecondUs;
  const TimeUs since = std::max<TimeUs>(before, (time - kEpochUs) / kMillisecondUs);
  return encode(static_cast<std::uint64_t>(since) * kSequence + hash % kSequence,
                static_cast<std::uint16_t>(hash / kSequence % kSites));
}

bool is_job_id(std::string_view text) {
  return text.size() == kIdLength && is_job_id_prefix(text);
}

bool is_job_id_prefix(std::string_view text) {
  return !text.empty() && text.size() <= kIdLength &&
         text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

}  // namespace luzia
