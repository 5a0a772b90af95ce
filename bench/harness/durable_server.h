// What a machine can do for a durable dispatch when nothing but the durable part is done: the same client and
// frames, one socket, one store. Requests gather while a write is under way, and the next write takes them
// all.
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

/// Answers any request with an Accepted once a record of 300 bytes for it is synced in a RocksDB of its own.
/// Ends the program (give_up) where the system refuses what it needs. Owned and ended by one thread.
class DurableServer {
 public:
  /// Listens at `socket`; `store` is made, and removed in the end.
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
  std::unordered_map<int, Connection> connections_;  // of the serving thread
  std::vector<std::uint8_t> scratch_;
  flatbuffers::FlatBufferBuilder builder_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::vector<Asked> asked_, written_;  // under mutex_
  bool ending_ = false;                 // under mutex_
  std::thread serving_, committing_;
};

}  // namespace luzia::bench
