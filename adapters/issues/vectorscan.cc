#include "adapters/issues/vectorscan.h"

#include <hs/hs.h>

#include <cassert>
#include <new>

#include "adapters/issues/database_cache.h"

namespace luzia {
namespace {

constexpr unsigned kFlags = HS_FLAG_MULTILINE;

struct FreeError {
  void operator()(hs_compile_error_t* error) const { hs_free_compile_error(error); }
};
using CompileError = std::unique_ptr<hs_compile_error_t, FreeError>;

struct FreeDatabase {
  void operator()(hs_database_t* database) const { hs_free_database(database); }
};
using Database = std::unique_ptr<hs_database_t, FreeDatabase>;

/// The cache's key: everything that a database depends on.
Hash key_of(const std::vector<std::string>& expressions) {
  std::string all = std::string(hs_version()) + "/" + std::to_string(kFlags) + "\n";
  for (const std::string& expression : expressions) all += expression + "\n";
  return blake2b({as_bytes(all)});
}

/// Expressions with the flags to compile them with.
struct Request {
  std::vector<const char*> texts;
  std::vector<unsigned> flags, ids;

  void add(const std::string& text, unsigned flag, std::size_t id) {
    texts.push_back(text.c_str());
    flags.push_back(flag);
    ids.push_back(static_cast<unsigned>(id));
  }
  CompileError compile(Database& database) const {
    hs_database_t* made = nullptr;
    hs_compile_error_t* error = nullptr;
    if (!texts.empty()) {
      hs_compile_multi(texts.data(), flags.data(), ids.data(), static_cast<unsigned>(texts.size()),
                       HS_MODE_BLOCK, nullptr, &made, &error);
    }
    database.reset(made);
    return CompileError(error);
  }
};

/// Why Vectorscan rejects an expression; empty: it accepts it.
std::string trouble_with(const std::string& expression, unsigned flags) {
  Request alone;
  alone.add(expression, flags, 0);
  Database database;
  const CompileError error = alone.compile(database);
  return error ? error->message : "";
}

std::string packed(std::span<const ExpressionDatabase::Refusal> refusals, std::string_view database) {
  std::string text;
  const auto number = [&text](std::size_t value) {
    for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(value >> shift & 0xFF);
  };
  number(refusals.size());
  for (const auto& refusal : refusals) {
    number(refusal.expression);
    number(refusal.reason.size());
    text += refusal.reason;
  }
  return text.append(database);
}

/// Parses what packed() wrote; the checksum guarantees that the text is complete.
std::vector<ExpressionDatabase::Refusal> unpack(std::string_view& text) {
  const auto number = [&text] {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= std::size_t{static_cast<std::uint8_t>(text[i])} << 8 * i;
    text.remove_prefix(4);
    return value;
  };
  std::vector<ExpressionDatabase::Refusal> refusals(number());
  for (auto& refusal : refusals) {
    refusal.expression = number();
    const std::size_t size = number();
    refusal.reason = text.substr(0, size);
    text.remove_prefix(size);
  }
  return refusals;
}

void free_scratch(hs_scratch* scratch) {
  hs_free_scratch(scratch);
}

class VectorscanDatabase final : public ExpressionDatabase {
 public:
  ~VectorscanDatabase() override { hs_free_database(database_); }

  bool take(std::string_view cached);
  Status compile(const std::vector<std::string>& expressions);
  const hs_database_t* database() const { return database_; }
  Scratch new_scratch() const override;

 private:
  bool scan_block(std::string_view text, hs_scratch* scratch, Call call, void* context) const override;

  hs_database_t* database_ = nullptr;  // null: no expressions
};

/// False: the database is for another processor.
bool VectorscanDatabase::take(std::string_view cached) {
  refusals_ = unpack(cached);
  from_cache_ =
      cached.empty() || hs_deserialize_database(cached.data(), cached.size(), &database_) == HS_SUCCESS;
  return from_cache_;
}

Status VectorscanDatabase::compile(const std::vector<std::string>& expressions) {
  refusals_.clear();
  Request all;
  for (std::size_t i = 0; i < expressions.size(); ++i) all.add(expressions[i], kFlags, i);
  Database database;
  CompileError error = all.compile(database);
  if (error) {
    // Some are too large: test each alone, once.
    Request taken;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      unsigned flags = kFlags;
      std::string trouble = trouble_with(expressions[i], flags);
      if (!trouble.empty()) trouble = trouble_with(expressions[i], flags |= HS_FLAG_PREFILTER);
      if (trouble.empty()) {
        taken.add(expressions[i], flags, i);
      } else {
        refusals_.push_back({i, trouble});
      }
    }
    error = taken.compile(database);
  }
  if (error) {
    return fail(ErrorKind::trouble, "vectorscan_compile",
                std::string("preparing the patterns of known issues: ") + error->message,
                "load fewer patterns, or simpler ones");
  }
  database_ = database.release();
  return {};
}

ExpressionDatabase::Scratch VectorscanDatabase::new_scratch() const {
  hs_scratch_t* scratch = nullptr;
  if (database_ != nullptr && hs_alloc_scratch(database_, &scratch) != HS_SUCCESS) throw std::bad_alloc();
  return Scratch(scratch, FreeScratch{free_scratch});
}

bool VectorscanDatabase::scan_block(std::string_view text, hs_scratch* scratch, Call call,
                                    void* context) const {
  if (database_ == nullptr) return true;
  const hs_error_t result =
      hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0, scratch, call, context);
  assert(result == HS_SUCCESS || result == HS_SCAN_TERMINATED);
  return result == HS_SUCCESS;
}

}  // namespace

std::unique_ptr<ExpressionDatabase> ExpressionDatabase::open_cached(
    const std::vector<std::string>& expressions, const std::string& cache_folder,
    const std::string& made_folder) {
  if (expressions.empty() || hs_valid_platform() != HS_SUCCESS) return nullptr;
  auto made = std::make_unique<VectorscanDatabase>();
  const Hash key = key_of(expressions);
  for (const std::string* folder : {&made_folder, &cache_folder}) {
    const auto cached = DatabaseCache(*folder, key).read();
    if (cached && made->take(*cached)) return std::unique_ptr<ExpressionDatabase>(std::move(made));
  }
  return nullptr;
}

Result<std::unique_ptr<ExpressionDatabase>> ExpressionDatabase::open(
    const std::vector<std::string>& expressions, const std::string& cache_folder,
    const std::string& made_folder) {
  if (hs_valid_platform() != HS_SUCCESS) {
    return fail(ErrorKind::trouble, "vectorscan_platform",
                "preparing the patterns of known issues: this processor lacks what Vectorscan needs",
                "they are looked for without it, slower");
  }
  if (auto cached = open_cached(expressions, cache_folder, made_folder)) return cached;
  auto made = std::make_unique<VectorscanDatabase>();
  if (expressions.empty()) return std::unique_ptr<ExpressionDatabase>(std::move(made));
  LUZIA_TRY(made->compile(expressions));
  char* bytes = nullptr;
  std::size_t size = 0;
  if (made->database() == nullptr || hs_serialize_database(made->database(), &bytes, &size) == HS_SUCCESS) {
    DatabaseCache(cache_folder, key_of(expressions)).write(packed(made->refusals(), {bytes, size}));
    std::free(bytes);
  }
  return std::unique_ptr<ExpressionDatabase>(std::move(made));
}

}  // namespace luzia
