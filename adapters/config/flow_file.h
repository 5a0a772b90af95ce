// Parses a flow file (TOML): steps, their dependencies, and the agent or people who do them. Pure, except
// that it reads a `prompt_file` from the flow file's folder. Any thread.
//
//   description = "Release"        project = "web"      tags = ["release"]
//   max_running = 2                keep_going = false   agent = "claude"     (for steps that name none)
//
//   [[steps]]
//   name = "build"                 prompt = "make -j8"  or  prompt_file = "build.md"; neither: for people
//   needs = ["plan"]               agent, gate, retries, timeout = "30m", description, tags, priority
//
//   [[follow_ups]]
//   text = "tell the customers"    after = "build" (a step; if missing, the flow)
//                                  when = "completed" or "failed"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

struct FlowFile {
  wire::CreateFlowT flow;
  std::vector<Error> errors;  // all errors, each with file:line:column; if any, do not use the flow
};

/// `folder`: where `prompt_file` is looked up.
FlowFile parse_flow_file(std::string_view text, const std::string& file_name, const std::string& folder);

}  // namespace luzia
