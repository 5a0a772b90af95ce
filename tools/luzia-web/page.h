// The files of the page, embedded in the program. Constants; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tools/luzia-web/exchange.h"

namespace luzia::web {

/// One file: its address, its type, its bytes as they are and compressed by gzip, and a hash of them.
struct PageFile {
  std::string_view path, type, hash;
  std::span<const std::uint8_t> plain, gzip;
};

/// Generated from the files that page/dist/files.json names.
std::span<const PageFile> page_files();

/// The file at this address. nullopt: there is none.
std::optional<Answer> page_answer(const Request& request);

}  // namespace luzia::web
