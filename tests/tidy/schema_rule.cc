#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

enum class Kind { none, table, structure, enumeration, union_type };

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Reads a schema token by token; a member ends at `,`, at `;` or at the closing brace.
class SchemaReader {
 public:
  SchemaReader(const SourceFile& file, Findings& findings) : file_(file), findings_(findings) {
    // Only the same or a newer version reads frames of the socket, so their unions and fields may be numbered
    // by order. Stored bytes are permanent.
    stored_ = !file.path.ends_with("/protocol.fbs");
  }

  void read() {
    for (line_ = 0; line_ < file_.code.size(); ++line_) {
      for (char c : file_.code[line_]) take(c);
      take(' ');
    }
  }

 private:
  void take(char c) {
    if (c == '{') {
      begin();
    } else if (c == '}') {
      end_member();
      kind_ = Kind::none;
    } else if (c == ';' || (c == ',' && is_list())) {
      end_member();
    } else {
      if (member_.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) return;
      if (member_.empty()) member_line_ = line_;
      member_ += c;
    }
  }

  bool is_list() const { return kind_ == Kind::enumeration || kind_ == Kind::union_type; }

  void begin() {
    const std::string word = member_.substr(0, member_.find(' '));
    if (word == "table") kind_ = Kind::table;
    if (word == "struct") kind_ = Kind::structure;
    if (word == "enum") kind_ = Kind::enumeration;
    if (word == "union") kind_ = Kind::union_type;
    if (kind_ == Kind::structure && stored_)
      say("no structs in stored events: they cannot grow; make it a table");
    member_.clear();
  }

  void end_member() {
    const std::string member = std::move(member_);
    member_.clear();
    if (member.find_first_not_of(" \t") == std::string::npos) return;
    const std::string name = member.substr(0, member.find_first_of(" :=("));
    const bool has_value = member.find('=') != std::string::npos;
    if (kind_ == Kind::enumeration && !has_value) say(name + ": every enum member has an explicit value");
    if (!stored_) return;
    if (kind_ == Kind::union_type && !has_value) say(name + ": every union member has an explicit value");
    if (kind_ == Kind::table && !has_id(member)) say(name + ": every stored field has an explicit (id: N)");
  }

  static bool has_id(const std::string& member) {
    const std::size_t open = member.find('(');
    if (open == std::string::npos) return false;
    for (std::size_t at = member.find("id", open); at != std::string::npos; at = member.find("id", at + 1)) {
      if (is_word(member[at - 1]) || (at + 2 < member.size() && is_word(member[at + 2]))) continue;
      if (member.find_first_not_of(' ', at + 2) == member.find(':', at + 2)) return true;
    }
    return false;
  }

  void say(std::string message) { findings_.push_back({file_.path, member_line_ + 1, std::move(message)}); }

  const SourceFile& file_;
  Findings& findings_;
  bool stored_ = true;
  Kind kind_ = Kind::none;
  std::string member_;
  std::size_t line_ = 0, member_line_ = 0;
};

}  // namespace

Findings check_schema(const SourceFile& file) {
  Findings findings;
  if (file.has_extension(".fbs")) SchemaReader(file, findings).read();
  return findings;
}

}  // namespace luzia::tidy
