// A flow as a file (TOML): steps, what they need of one another, who does them. Pure but for `prompt_file`,
// which is read beside the file. Any thread.
//
//   description = "Release"        project = "web"      tags = ["release"]
//   max_running = 2                keep_going = false   agent = "claude"     (of steps that name none)
//
//   [[steps]]
//   name = "build"                 prompt = "make -j8"  or  prompt_file = "build.md"; without either people
//   do it needs = ["plan"]               agent, gate, retries, timeout = "30m", description, tags, priority
//
//   [[follow_ups]]
//   text = "tell the customers"    after = "build" (a step; without it: the flow), when = "completed" or
//   "failed"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

struct FlowFile {
  wire::CreateFlowT flow;
  std::vector<Error> errors;  // all that is wrong, each with file:line:column; the flow is of no use then
};

/// `folder`: where `prompt_file` is looked up.
FlowFile parse_flow_file(std::string_view text, const std::string& file_name, const std::string& folder);

}  // namespace luzia
