// Clients that read or follow a job's output, or look for words in it. Workers read; the watcher's hints wake
// followers. Loop thread.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/queries/queries.h"
#include "tools/luziad/queries/turns.h"
#include "tools/luziad/queries/word_scan.h"
#include "tools/luziad/secrets/secret_book.h"
#include "tools/luziad/watching/output_reader.h"

namespace luzia {

class Tails final : public Follower {
 public:
  Tails(Workers& workers, const Store& store, const Desk& desk, const OutputWatcher& watcher,
        Queries& queries, SecretBook& secrets)
      : workers_(workers),
        store_(store),
        desk_(desk),
        watcher_(watcher),
        queries_(queries),
        secrets_(secrets) {}

  Status add(const RequestId& to, const Caller& caller, const wire::Tail& request);
  void job_changed(const JobState& job) override { look(job.job); }
  /// The job's output has grown, or its attempt has ended.
  void look(const std::string& job);
  /// Ends the tails of clients that may no longer see the project.
  void config_changed() override;
  /// Whether a client follows the job's output.
  bool watches(const std::string& job) const;
  void drained(ConnectionId connection);
  void forget(const RequestId& request) { tails_.erase(request); }
  void connection_closed(ConnectionId connection) { erase_connection(tails_, connection); }
  void clear() { tails_.clear(); }

 private:
  struct Tailing {
    Caller caller;
    std::string job, project;
    std::uint32_t attempt = 0;
    std::string dir;
    std::string user;                         // of the job
    std::optional<std::uint32_t> owner = {};  // of the files: the user's number; none: not asked for yet
    std::uint64_t offset = 0;
    std::int64_t last_lines = -1;
    std::uint64_t end = ~std::uint64_t{0};   // of an ended attempt: before the exit line
    std::optional<ForeignLog> foreign = {};  // of a tracked job
    std::uint64_t first = 0;                 // bytes before it are not the tracked job's, in generation 0
    schema::CheckpointT read = {};           // its file, once it is over
    bool live = false;
    bool earlier = false;  // an earlier attempt: the row no longer has its size
    bool reading = false;
    bool again = false;                       // a hint came while reading
    std::optional<std::uint32_t> generation;  // of the file being read, if the watcher has reported it
    bool began_anew = false;                  // and the follower is still to be notified
    std::shared_ptr<OutputReader> reader;
    std::uint64_t until = 0;                                 // read only so many bytes; 0: all
    std::optional<WordQuery> words = {};                     // to look for
    std::shared_ptr<const schema::JobSpecT> secretive = {};  // of a job with secrets
    std::optional<std::uint32_t> secrets_of = {};            // of which agents, as in JobState.routes_run
  };
  struct Search {
    RequestId to;
    Tailing at;
    Result<WordsFound> found = WordsFound{};
    std::uint64_t size = 0;
    bool over = false;
  };
  /// Of whose files: to ask for an account takes longer than to search a short output.
  struct KnownOwner {
    std::string user;
    std::uint32_t owner = kNoOwner;
    TimeUs asked_us = 0;
  };
  /// What a worker searches in a row, for the same words.
  struct Searches {
    std::vector<Search> all = {};
    std::optional<WordScan> scan = {};
    KnownOwner owner = {};
  };
  Status begin(const RequestId& to, const view::Job& job, const ViewReader& rows, Tailing tailing);
  void read(const RequestId& to);
  Result<std::uint64_t> open_to_end(Tailing& at) const;
  Result<std::string> read_chunk(Tailing& at) const;
  void find(const RequestId& to, Tailing tailing);
  void find_slowly(const RequestId& to, Tailing tailing);
  void begin_searches();
  Searches next_searches();
  void take_ready(Searches& searches);
  void keep_ready(Searches& searches);
  void search_all(Searches& searches) const;
  Result<WordsFound> find_words(Search& search, std::optional<WordScan>& scan) const;
  void take_found(const Search& search);
  static void note_secrets(Tailing& tailing, const JobState& job);
  /// Sets the end of the attempt's output from the job's current state.
  void settle_end(Tailing& tailing);
  bool settle_by_row(Tailing& tailing);
  void settle_log(Tailing& tailing);
  static void become_earlier(Tailing& tailing);
  static void see_generation(Tailing& tailing, std::uint32_t generation);
  static void begin_anew(Tailing& tailing);
  const LiveTail* live_tail(const Tailing& tailing) const;
  void take_chunk(const RequestId& to, const Tailing& at, const Result<std::string>& bytes);

  /// Workers that search, on as many processors; launches, cancels and the reading of output need some, too.
  const std::size_t most_searches_ = std::clamp(std::thread::hardware_concurrency(), 2U, 4U);
  Workers& workers_;
  Store store_;
  Desk desk_;
  const OutputWatcher& watcher_;
  Queries& queries_;
  SecretBook& secrets_;
  std::size_t searching_ = 0;  // workers
  std::deque<Search> waiting_;
  /// Of the last searches: most ask for the same in another output, and of the same person.
  std::vector<std::pair<WordScan, KnownOwner>> ready_;
  static constexpr std::size_t kMostSlow = 2;
  // Reads of ended attempts with secrets, and searches in what has secrets: they may run programs for these
  // first.
  Turns slow_{kMostSlow};
  std::map<RequestId, Tailing> tails_;
};

}  // namespace luzia
