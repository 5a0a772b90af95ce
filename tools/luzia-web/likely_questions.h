// What reads ask the daemon first, so that the next read of the same can be asked at once, and its words be
// parsed while the daemon works. A guess and no more: who asks so compares it with what the read then wants.
// Loop thread. Rejected: to keep answers. They are those of a moment.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "protocol.fb.h"

namespace luzia::web {

class LikelyQuestions {
 public:
  /// Reads that are remembered.
  static constexpr std::size_t kMost = 256;

  /// What this read asked each time so far; null: it is unknown, or differs from time to time.
  const wire::QueryT* find(const std::string& read) const {
    const auto found = kept_.find(read);
    return found != kept_.end() && found->second.question ? &*found->second.question : nullptr;
  }

  /// What it asks this time. Returns whether that is what find() has said.
  bool note(const std::string& read, const wire::QueryT& question) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(wire::Query::Pack(builder, &question));
    std::string bytes(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    const auto found = kept_.find(read);
    if (found == kept_.end()) {
      if (kept_.size() >= kMost) kept_.clear();
      kept_.emplace(read, Kept{std::move(bytes), wire::QueryT(question)});
      return false;
    }
    if (found->second.bytes != bytes) found->second.question.reset();
    return found->second.question.has_value();
  }

 private:
  struct Kept {
    std::string bytes;                     // of the first time
    std::optional<wire::QueryT> question;  // nullopt: it was another one since
  };
  std::map<std::string, Kept> kept_;
};

}  // namespace luzia::web
