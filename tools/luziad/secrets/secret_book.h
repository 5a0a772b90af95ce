// Knows the values of the secrets that attempts were given, to black them out. In memory alone: a new daemon
// learns them from the luzia-run of an attempt, which holds them as long as it lives, else from where they
// were read. Any thread; calls that may block say so.
//
// Rejected: keeping fingerprints of values in the store, to find them in old output too. Short values could
// be guessed from them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "adapters/launcher/launcher.h"
#include "engine/base/time.h"
#include "tools/luziad/secrets/secret_values.h"

namespace luzia {

class SecretBook {
 public:
  explicit SecretBook(SecretSurroundings around) : around_(std::move(around)) {}

  /// Reads the values for an attempt that is about to start: NAME=VALUE. `of_all`: the spec with the secrets
  /// of earlier attempts too, which must be known before this one may say something. Blocks. Errors: those of
  /// read_secrets().
  Result<std::vector<std::string>> read_for_start(const std::string& job, const schema::JobSpecT& spec,
                                                  const schema::JobSpecT& of_all);
  /// Whether known() blacks out all secrets of the spec, or everything.
  bool is_settled(const std::string& job, const schema::JobSpecT& spec) const;
  /// What blacks out the job's secrets; null: nothing is known of them, or it has none.
  std::shared_ptr<const Redactor> known(const std::string& job) const;
  /// Learns what an attempt was given that an earlier daemon started. False: its luzia-run does not tell.
  bool ask_runner(const std::string& job, const schema::JobSpecT& spec, const ProcessId& runner);
  /// Until read_again() has read the values, known() is blind.
  void await(const std::string& job);
  /// The same as ask_runner() from where the values were read. Blocks. If that fails, known() is blind.
  void read_again(const std::string& job, const schema::JobSpecT& spec);
  /// For showing output of the job, also after its end. Blocks. `secret_unavailable`: nothing may be shown,
  /// because the values to black out cannot be read any more.
  Result<std::shared_ptr<const Redactor>> for_reading(const std::string& job, const schema::JobSpecT& spec);
  /// Its values may be forgotten if there are many.
  void attempt_over(const std::string& job);

 private:
  static constexpr std::size_t kMostEnded = 1'000;
  static constexpr std::size_t kMostBytes = std::size_t{64}
                                            << 20;  // of redactors: then those of ended jobs go
  static constexpr TimeUs kFailureHolds = 30 * kSecondUs;
  using Place = std::tuple<std::string, schema::SecretKind, std::vector<std::string>>;  // name, kind, source
  struct Entry {
    std::vector<SecretValue> values;           // of all attempts that this daemon knows
    std::set<Place> places;                    // whose values these are
    std::shared_ptr<const Redactor> redactor;  // one for all jobs with the same values
    bool live = false;
    std::uint64_t used = 0;
    std::string unread;       // why its values could not be read lately
    TimeUs unread_since = 0;  // monotonic
    bool knows(const schema::JobSpecT& spec) const;
  };
  bool knows(const std::string& job, const schema::JobSpecT& spec) const;
  static std::set<Place> places_of(const schema::JobSpecT& spec);
  std::shared_ptr<const Redactor> remember(const std::string& job, const schema::JobSpecT& spec,
                                           const std::vector<SecretValue>& values, bool live);
  void forget_some();

  const SecretSurroundings around_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> jobs_;
  std::uint64_t uses_ = 0;
};

}  // namespace luzia
