// Which other tool calls stand in the message of one, as the transcript of Claude Code's session says. One
// thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia::hook {

/// `unknown`: the call is not in the transcript (a subagent's is elsewhere), or its message is not complete.
enum class Company { unknown, alone, others };
Company company_of(std::string_view transcript, std::string_view call_id);

/// Whether the call is known to be the only one of its message. Of several that are deferred Claude Code
/// (2.1.197) keeps the last alone: the others vanish with their decisions. It writes the transcript a moment
/// after it runs the hook, so this waits until the call is there and nothing more comes; up to some seconds.
bool is_alone_in_message(const std::string& transcript_path, std::string_view call_id);

/// The end of a transcript; empty: there is none that can be read. Nothing is waited for.
std::string read_transcript(const std::string& path);

}  // namespace luzia::hook
