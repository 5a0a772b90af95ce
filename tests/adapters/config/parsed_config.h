// What the text of a configuration file means, and how it is refused.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "adapters/config/config.h"

namespace luzia {

/// The configuration that `toml` says; the test fails where it is refused.
inline Config config_of(const std::string& toml) {
  auto config = parse_config(toml, "luzia.toml");
  EXPECT_TRUE(config.has_value()) << config.error().message;
  return config ? *std::move(config) : Config{};
}

/// Why `toml` is refused; the test fails where it is taken.
inline Error config_error_of(const std::string& toml) {
  const auto config = parse_config(toml, "luzia.toml");
  EXPECT_FALSE(config.has_value()) << toml;
  return config ? Error{} : config.error();
}

}  // namespace luzia
