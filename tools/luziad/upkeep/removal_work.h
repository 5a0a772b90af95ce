// Carries out what JobRemoved orders, once it is durable: the job's directory goes, and after a purge its
// texts. Each part is done again without harm, so a daemon that is killed anywhere leaves it to the next one.
//
// STORE/removed says up to which position of the log everything is carried out; what the rows list beyond it
// (visit_removals) is due. Without that file all removals are looked at again. What cannot be done now, as a
// file that is immutable, is told and tried again every hour and at each start; it holds up nothing else.
// (Rejected: an event for each removal that is done, of which the log would have one for every directory.)
//
// Loop thread; files and texts go on a worker, one removal after another.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/parts.h"

namespace luzia {

class RemovalWork final : public Follower {
 public:
  explicit RemovalWork(Parts& parts) : parts_(parts), timer_(std::make_unique<Timer>(parts.loop)) {}
  ~RemovalWork() { *closed_ = true; }
  RemovalWork(const RemovalWork&) = delete;
  RemovalWork& operator=(const RemovalWork&) = delete;

  /// Start of the daemon, and when a removal has become durable.
  void look();
  /// What is not carried out, and why: one line, empty where nothing is left.
  std::string left() const;
  void close() override { timer_.reset(); }

 private:
  struct Round;
  void begin();
  void over(Round& round);
  void order_rest(const Round& round);

  Parts& parts_;
  std::unique_ptr<Timer> timer_;  // null once closed
  bool working_ = false;
  bool again_ = false;             // something came meanwhile
  std::set<Position> done_;        // by this daemon, beyond what STORE/removed says
  std::vector<std::string> left_;  // why, of each that could not be done
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);  // shared with the work under way
};

}  // namespace luzia
