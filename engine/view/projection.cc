#include "engine/view/projection.h"

#include "engine/view/overlay_store.h"

namespace luzia {

std::string row_key(const ProjectionInfo& info, std::string_view key) {
  std::string result;
  result.reserve(2 + key.size());
  result.push_back(static_cast<char>(info.id));
  result.push_back(static_cast<char>(info.version));
  result.append(key);
  return result;
}

void add_row(RowBatch& batch, const ProjectionInfo& info, std::string_view key,
             std::optional<std::string_view> value) {
  const char view[] = {static_cast<char>(info.id), static_cast<char>(info.version)};
  batch.add({view, sizeof view}, key, value);
}

std::string row_end(const ProjectionInfo& info) {
  return {static_cast<char>(info.id), static_cast<char>(info.version + 1)};
}

std::vector<ProjectionInfo> list_views(const ProjectionRegistry& registry) {
  const OverlayStore no_rows;
  const auto reader = no_rows.snapshot();
  std::vector<ProjectionInfo> views;
  for (const ProjectionFactory make : registry) {
    for (const ProjectionInfo& info : make([&]() -> const ViewReader& { return *reader; })->views()) {
      views.push_back(info);
    }
  }
  std::sort(views.begin(), views.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return views;
}

std::string joined_key(std::initializer_list<std::string_view> names) {
  std::string key;
  for (const std::string_view name : names) key.append(name).push_back('\0');
  if (!key.empty()) key.pop_back();
  return key;
}

std::string after_prefix(std::string prefix) {
  prefix.back() = '\1';
  return prefix;
}

std::string big_endian_32(std::uint32_t number) {
  std::string result(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) result[i] = static_cast<char>(number >> (8 * (3 - i)));
  return result;
}

std::string big_endian_64(std::uint64_t number) {
  return big_endian_32(static_cast<std::uint32_t>(number >> 32)) +
         big_endian_32(static_cast<std::uint32_t>(number));
}

std::uint64_t number_from_big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

}  // namespace luzia
