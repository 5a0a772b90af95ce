// Parses the text of a configuration file: the configuration or the error.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "adapters/config/config.h"

namespace luzia {

/// The configuration in `toml`; the test fails if it is refused.
inline Config config_of(const std::string& toml) {
  auto config = parse_config(toml, "luzia.toml");
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config ? *std::move(config) : Config{};
}

/// Why `toml` is refused; the test fails if it is accepted.
inline Error config_error_of(const std::string& toml) {
  const auto config = parse_config(toml, "luzia.toml");
  EXPECT_FALSE(config.has_value()) << toml;
  return config ? Error{} : config.error();
}

}  // namespace luzia
