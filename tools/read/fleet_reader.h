// The rows of all sites of a fleet: a program `luzia-fleet read` reads them from the database, so that no
// other one speaks with it. One thread at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "adapters/socket/fleet_frame.h"
#include "engine/base/descriptor.h"
#include "tools/read/machines_source.h"

namespace luzia {

class FleetReader : public std::enable_shared_from_this<FleetReader> {
 public:
  /// Starts the program. `config_file`: as --config; empty: the default places. `no_fleet_program` (trouble).
  static Result<std::shared_ptr<FleetReader>> start(const std::string& config_file);
  /// Ends it.
  ~FleetReader();
  FleetReader(const FleetReader&) = delete;
  FleetReader& operator=(const FleetReader&) = delete;

  /// Asks which sites there are, and waits for the answer. Errors: those of luzia-fleet, such as `no_fleet`,
  /// `not_a_reader`, `database_unreachable`; `fleet_silent` (trouble): no answer within that time.
  Status find_sites(std::chrono::milliseconds most);
  /// By name, as of the last find_sites().
  std::vector<const wire::FleetSiteT*> sites() const;
  /// Each site as a machine that is asked: of one that is unreachable, or refused, the rows are those that it
  /// had. All are asked with one question. They keep this alive.
  std::vector<MachineToAsk> to_ask();
  /// Whether each question has its whole answer, so that others can be asked.
  bool is_idle() const { return !is_broken_ && open_.empty(); }

 private:
  friend class SiteOfFleet;
  struct Site {
    std::unique_ptr<wire::FleetSiteT> said;
    std::optional<wire::QueryT> wanted = {};  // not sent yet
    std::uint64_t question = 0;               // that it is asked
    std::optional<Result<RowPage>> answer = {};
  };

  FleetReader(Descriptor socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}
  Status send(wire::FleetQuestionT question);
  /// Sends what is wanted: equal questions at once.
  void ask_wanted();
  /// Takes what has arrived. Does not wait.
  void take_arrived();
  void take_answer(wire::FleetAnswerT& answer);
  void take_site(std::uint64_t question, std::unique_ptr<wire::FleetSiteT> said);
  void break_off(const Error& error);

  Descriptor socket_;
  pid_t pid_;
  FrameReader reader_;
  std::uint64_t asked_ = 0, listing_ = 0;  // the last question, and the last one for sites
  std::vector<std::uint64_t> open_;        // questions without their whole answer
  std::vector<Site> sites_, found_;        // found_: by find_sites(), so far
  std::optional<Error> refused_;           // of find_sites()
  bool is_broken_ = false;
};

/// A source over the sites of the fleet. Errors as find_sites().
Result<std::vector<MachineToAsk>> fleet_sites(const std::string& config_file, std::chrono::milliseconds most);

}  // namespace luzia
