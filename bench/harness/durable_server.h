// The upper bound for durable dispatches on a machine: a server that does only the durable part. It uses the
// same client and frames, one socket, one store. Requests that arrive during a write gather, and the next
// write takes them all.
#pragma once

#include <rocksdb/db.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "adapters/socket/frame.h"

namespace luzia::bench {

/// Answers any request with an Accepted once a 300-byte record for it is synced in its own RocksDB. If the
/// system denies a resource, ends the program (give_up). Owned and destroyed by one thread.
class DurableServer {
 public:
  /// Listens at `socket`. Creates `store`; the destructor removes it.
  DurableServer(const std::string& socket, std::string store);
  ~DurableServer();
  DurableServer(const DurableServer&) = delete;
  const std::string& socket() const { return socket_; }

 private:
  struct Asked {
    int client;
    std::uint64_t request;
  };
  struct Connection {
    FrameReader reader;
    std::string out;
  };
  void serve();
  void accept_client();
  void read_from(int client);
  void answer(const std::vector<Asked>& written);
  void commit();

  std::string socket_, store_;
  std::unique_ptr<rocksdb::DB> db_;
  int listener_ = -1, events_ = -1, wake_ = -1;
  std::unordered_map<int, Connection> connections_;  // used by the serving thread only
  std::vector<std::uint8_t> scratch_;
  flatbuffers::FlatBufferBuilder builder_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::vector<Asked> asked_, written_;  // under mutex_
  bool ending_ = false;                 // under mutex_
  std::thread serving_, committing_;
};

}  // namespace luzia::bench
