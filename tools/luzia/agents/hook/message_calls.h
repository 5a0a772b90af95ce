// Finds out from the transcript of a Claude Code session which tool calls share one message. One thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia::hook {

/// Whether a call shares its message with other calls. `unknown`: the call is not in the transcript (a
/// subagent has its own), or its message is incomplete.
enum class Company { unknown, alone, others };
Company company_of(std::string_view transcript, std::string_view call_id);

/// Whether the call is known to be the only one of its message. If several calls of a message are deferred,
/// Claude Code (2.1.197) keeps only the last: the others vanish with their decisions. It writes the
/// transcript shortly after it runs the hook, so this function waits until the call is there and the file no
/// longer changes; at most 5 s.
bool is_alone_in_message(const std::string& transcript_path, std::string_view call_id);

/// The last 16 MiB of a transcript; empty: it cannot be read. Does not wait.
std::string read_transcript(const std::string& path);

}  // namespace luzia::hook
