// Shared by the decoders of all agents: turns a JSON line into bounded findings and recognizes the phrases
// that several agents use. Pure, any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agents/json_line.h"
#include "engine/ports/line_decoder.h"

namespace luzia {

/// Bounds of one finding, in bytes of UTF-8. Longer texts are cut at a character boundary.
inline constexpr std::size_t kMaxName = 256;  // ids, names of tools and models
inline constexpr std::size_t kMaxSubject = 512;
inline constexpr std::size_t kMaxPath = 1024;
inline constexpr std::size_t kMaxReason = 1024;
inline constexpr std::size_t kMaxAnswer = 4 * 1024;
inline constexpr std::size_t kMaxInput = 16 * 1024;
/// Most items kept of a list; the rest is dropped. With these bounds the largest event stays below 150 KiB.
inline constexpr std::size_t kMaxTodos = 200;
inline constexpr std::size_t kMaxOfferedTools = 512, kMaxOfferedServers = 64;
inline constexpr std::size_t kMaxFiles = 20;
inline constexpr std::size_t kMaxModels = 20;
inline constexpr std::size_t kMaxBlocks = 100;  // parts of one message that are examined

/// Collects what one line means; the evidence is the whole line.
class LineFindings {
 public:
  LineFindings(const Line& line, std::string_view rule, std::vector<RecordOutput::Finding>& findings)
      : line_(line), rule_(rule), findings_(findings) {}

  template <class Fact>
  void report(Fact fact) {
    add<schema::ReportFactUnion>(std::move(fact));
  }
  template <class Fact>
  void tool(Fact fact) {
    add<schema::ToolFactUnion>(std::move(fact));
  }
  void tool(schema::ToolCalledT called);
  /// Adds the return and, if the call failed because permission was denied, the denial too.
  void tool_return(schema::ToolReturnedT returned);
  template <class Fact>
  void usage(Fact fact) {
    add<schema::UsageFactUnion>(std::move(fact));
  }
  /// Nothing if there is no id.
  void session(JsonValue id, JsonValue model = {}, JsonValue version = {});
  void error(std::string_view where, std::string_view kind, std::uint32_t api_status, std::string_view text);
  /// A usage limit that the agent reported in words only.
  void usage_limit(std::string_view text);
  void conclude(schema::AgentOutcome outcome, std::string_view subtype, std::string_view text);

 private:
  template <class Union, class Fact>
  void add(Fact fact) {
    Union wrapped;
    wrapped.Set(std::move(fact));
    append(RecordOutput::Finding{std::move(wrapped), {}});
  }
  void append(RecordOutput::Finding finding);

  const Line& line_;
  std::string_view rule_;
  std::vector<RecordOutput::Finding>& findings_;
};

/// What one message used so far, as one of its lines says. An agent may print several lines of a message.
struct UsedByMessage {
  std::string message;  // its id
  schema::UsageReportedT usage;
};

/// What one agent's JSON lines mean. Stateless.
class AgentFormat {
 public:
  virtual ~AgentFormat() = default;
  /// The format's name in an agent's profile; also the rule named in the evidence.
  virtual std::string_view name() const = 0;
  /// Whether the object is a line of this agent, of a known or unknown type. No two formats own the same
  /// line.
  virtual bool owns(const JsonLine& line) const = 0;
  virtual void find(const JsonLine& line, LineFindings& findings) const = 0;
  /// What a line of text means that the agent prints among its own lines.
  virtual void find_in_text(std::string_view line, LineFindings& findings) const {
    static_cast<void>(line), static_cast<void>(findings);
  }
  /// The session that the line names, whatever else it says; empty: none.
  virtual std::string session_of(const JsonLine& line) const {
    return static_cast<void>(line), std::string();
  }
  /// Whether lines say what single messages used before a line reports the whole.
  virtual bool counts_messages() const { return false; }
  virtual std::optional<UsedByMessage> used_by_message(const JsonLine& line) const {
    return static_cast<void>(line), std::nullopt;
  }
  /// What the agent itself says in words; empty if the line has none.
  virtual std::string said(const JsonLine& line) const = 0;
  /// Appends tool output and error messages; each piece ends with a newline (see LineDecoder::decode).
  virtual void texts(const JsonLine& line, std::string& text) const = 0;
};

using FormatPtr = std::shared_ptr<const AgentFormat>;

/// At most `max_bytes` of a string; empty for any other value.
std::string clipped(JsonValue value, std::size_t max_bytes);
std::string clipped(std::string_view text, std::size_t max_bytes);

/// The id of a session. It comes back in the command that resumes the session, perhaps in a line for a shell,
/// so it must be a plain word and no option: an agent cannot give itself `--yolo` in this way. Empty for
/// anything else.
std::string session_id_in(JsonValue id);

/// "2026-11-21T09:03:07.347Z" in microseconds since 1970; 0 for anything else.
std::int64_t iso_time_us(std::string_view text);
/// A count of seconds or milliseconds since 1970, as microseconds; 0 where it is out of range.
std::int64_t seconds_us(JsonValue seconds);
std::int64_t milliseconds_us(JsonValue milliseconds);

/// The text by which a person recognizes a call: the command, path, pattern, ... in its input, else its first
/// text.
std::string subject_of(JsonValue input);
/// The files that a tool's input names.
std::vector<std::string> files_of(JsonValue input);

/// Reads a complete todo list: objects with a text (under `text_key`) and a status.
schema::TodoReportedT whole_list(JsonValue items, std::string_view text_key);
schema::TodoStatus todo_status(std::string_view word);

/// Whether an error says that a usage limit ended the work. False for a momentary overload, which passes by
/// itself, and for an empty account, which does not pass at all.
bool says_usage_limit(std::string_view error);
/// kSessionGone or kLoginMissing, if the error says that the session to resume does not exist (any more), or
/// that nobody has logged in; else empty.
std::string_view known_error(std::string_view error);
/// An exit code; none if it is out of range.
std::optional<std::int32_t> exit_code_in(JsonValue code);
/// The HTTP status in a number, at most 999; 0 if there is none.
std::uint32_t api_status_in(JsonValue status);
/// The HTTP status, a number that follows `before` in a text; 0 if there is none.
std::uint32_t status_after(std::string_view text, std::string_view before);

/// Appends a piece of the text within a line, as LineDecoder::decode returns it.
void append_piece(std::string& text, std::string_view piece);
/// Appends message content: a string, or an array of objects {type "text", text}.
void append_content(std::string& text, JsonValue content);
/// The text of such content, at most `max_bytes`.
std::string content_text(JsonValue content, std::size_t max_bytes);

}  // namespace luzia
