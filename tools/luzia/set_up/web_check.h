// What luzia doctor says about [web]: whether luzia-web runs if it should, and how long its certificate is
// good. Reads files only. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/config/config.h"
#include "engine/base/time.h"
#include "view_flow.fb.h"

namespace luzia {

/// The end of validity of the first certificate of a PEM file (RFC 5280, 4.1.2.5); nullopt: there is none, or
/// it cannot be read.
std::optional<TimeUs> certificate_end(std::string_view pem);

struct WebFault {
  bool serious;  // nobody gets in
  std::string what, fix;
};

/// Faults of the files of [web] at that time.
std::vector<WebFault> certificate_faults(const WebListening& web, TimeUs now);
/// Of an enabled luzia-web that does not run, or has no program.
std::vector<WebFault> running_faults(const WebConfig& web, const std::string& store);

/// Devices that take pushes, but no program that sends them. `program`: luzia-push; empty: there is none.
std::optional<WebFault> push_fault(const std::vector<const view::Device*>& devices,
                                   const std::string& program);

}  // namespace luzia
