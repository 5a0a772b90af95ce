// The connection to PostgreSQL, against a real server.
#include "adapters/postgres/postgres.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "adapters/postgres/postgres_url.h"
#include "tests/matchers.h"
#include "tests/postgres_server.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;

class PostgresTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = PostgresServer::start(); }
  static void TearDownTestSuite() { server_.reset(); }

  static PostgresOptions options() { return {.url = server_->url("postgres")}; }
  static Postgres connected(const PostgresOptions& with = options()) {
    auto database = Postgres::connect(with);
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }
  static std::string code_of_connect(const PostgresOptions& with) {
    const auto database = Postgres::connect(with);
    return database ? "" : database.error().code;
  }

  static std::unique_ptr<PostgresServer> server_;
};

std::unique_ptr<PostgresServer> PostgresTest::server_;

TEST_F(PostgresTest, ValuesReadBack) {
  Postgres database = connected();
  const std::string bytes("\0\xFFz", 3), text = "it's \"q\"\\ \xC3\xA9\n";
  const std::array<PostgresValue, 4> values = {PostgresValue{text, false}, PostgresValue{},
                                               PostgresValue{bytes, true}, PostgresValue{"-7", false}};
  const auto rows =
      database.run("SELECT $1::text AS a, $2::text AS b, $3::bytea AS c, $4::bigint AS d", values);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_THAT(rows->columns, ElementsAre("a", "b", "c", "d"));
  ASSERT_THAT(rows->rows, SizeIs(1));
  EXPECT_EQ(rows->rows[0], (PostgresRow{text, std::nullopt, "\\x00ff7a", "-7"}));
}

TEST_F(PostgresTest, CopiedLinesReadBack) {
  Postgres database = connected();
  const std::vector<PostgresRow> rows = {{"a\tb\\n\r\nc", std::nullopt}, {"\\N", ""}, {"\\.", "x"}};
  ASSERT_TRUE(database.script("CREATE TEMPORARY TABLE t (a text, b text)"));
  ASSERT_TRUE(database.copy_begin("COPY t FROM STDIN"));
  for (const PostgresRow& row : rows) ASSERT_TRUE(database.copy_write(copy_text(row)));
  const Status copied = database.copy_finish();
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(database.run("SELECT a, b FROM t ORDER BY ctid")->rows, rows);
}

TEST_F(PostgresTest, LargeCopyIsWhole) {
  Postgres database = connected();
  ASSERT_TRUE(database.script("CREATE TEMPORARY TABLE t (a text)"));
  ASSERT_TRUE(database.copy_begin("COPY t FROM STDIN"));
  const std::string line = copy_text({std::string(100'000, 'x')});
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(database.copy_write(line));
  ASSERT_TRUE(database.copy_finish());
  EXPECT_EQ(database.run("SELECT sum(length(a)) FROM t")->rows[0][0], "20000000");
}

TEST_F(PostgresTest, NamesAndTextsAreQuoted) {
  Postgres database = connected();
  const std::string odd = "a\"b'; DROP TABLE x; \\ --";
  ASSERT_TRUE(database.script("CREATE TEMPORARY TABLE " + pg_name(odd) + " (a int)"));
  const auto rows = database.run("SELECT " + pg_text(odd) + " FROM " + pg_name(odd) + " UNION ALL SELECT " +
                                 pg_text("it's"));
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->rows, (std::vector<PostgresRow>{{"it's"}}));
  EXPECT_EQ(database.run("SELECT " + pg_text(odd))->rows[0][0], odd);
}

TEST_F(PostgresTest, FailedTransactionLeavesNothing) {
  Postgres database = connected();
  ASSERT_TRUE(database.script("CREATE TEMPORARY TABLE t (a int PRIMARY KEY)"));
  EXPECT_FALSE(database.transaction([&]() -> Status {
    EXPECT_TRUE(database.run("INSERT INTO t VALUES (1)"));
    EXPECT_TRUE(database.copy_begin("COPY t FROM STDIN"));
    EXPECT_TRUE(database.copy_write("2\n"));
    return fail(ErrorKind::trouble, "stopped", "stopped");
  }));
  // The failure of a statement counts even if the caller does not look.
  EXPECT_FALSE(database.transaction([&]() -> Status {
    EXPECT_TRUE(database.run("INSERT INTO t VALUES (3)"));
    EXPECT_FALSE(database.run("INSERT INTO t VALUES (3)"));
    return {};
  }));
  EXPECT_EQ(database.run("SELECT count(*) FROM t")->rows[0][0], "0");
  EXPECT_TRUE(database.transaction([&] {
    return database.transaction([&]() -> Status { return database.script("INSERT INTO t VALUES (4)"); });
  }));
  EXPECT_EQ(database.run("SELECT count(*) FROM t")->rows[0][0], "1");
}

TEST_F(PostgresTest, ErrorsCarryTheServersCode) {
  Postgres database = connected();
  const auto wrong = database.run("SELECT * FROM no_such_table");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, "database_error");
  EXPECT_EQ(database.last_sqlstate(), "42P01");
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("no_such_table"), Not(HasSubstr("\n"))));
  EXPECT_TRUE(database.run("SELECT 1")) << "the connection goes on";
  ASSERT_TRUE(
      database.script("DROP ROLE IF EXISTS nobody_in_particular; CREATE ROLE nobody_in_particular LOGIN"));
  Postgres other = connected({.url = server_->url_of("nobody_in_particular", "postgres")});
  const auto refused = other.run("SELECT * FROM pg_authid");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "database_refused");
}

TEST_F(PostgresTest, StatementHasADeadline) {
  PostgresOptions hasty = options();
  hasty.statement_patience = milliseconds(500);
  Postgres database = connected(hasty);
  EXPECT_FALSE(database.run("SELECT pg_sleep(60)"));
  EXPECT_EQ(database.last_sqlstate(), "57014") << "the server says why";
  EXPECT_TRUE(database.is_usable());
  // A server that cannot end the statement by itself:
  ASSERT_TRUE(database.script("SET statement_timeout = 0"));
  const auto silent = database.run("SELECT pg_sleep(60)");
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, "database_unreachable");
  EXPECT_FALSE(database.is_usable());
  EXPECT_EQ(database.run("SELECT 1").error().code, "database_unreachable");
}

TEST_F(PostgresTest, HurryEndsAWait) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  PostgresOptions with = options();
  with.hurry_fd = ends[0];
  Postgres database = connected(with);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(database.run("SELECT pg_sleep(60)"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(PostgresTest, KilledServerIsUnreachableUntilItIsBack) {
  Postgres database = connected();
  server_->kill();
  EXPECT_EQ(database.run("SELECT 1").error().code, "database_unreachable");
  const PostgresOptions away{.url = server_->url_of("postgres", "postgres")};
  EXPECT_EQ(code_of_connect(away), "database_unreachable");
  server_->restart();
  EXPECT_EQ(connected(away).run("SELECT 1")->rows[0][0], "1");
}

TEST_F(PostgresTest, SecondHostIsTriedAfterTheFirst) {
  const PostgresOptions two{.url = "host=/no/such/folder," + server_->folder() +
                                   " user=postgres dbname=postgres"};
  EXPECT_TRUE(connected(two).run("SELECT 1"));
}

TEST_F(PostgresTest, ServerThatOnlyReadsIsNotUsed) {
  Postgres database = connected();
  (void)server_->url("readable");
  ASSERT_TRUE(database.script("ALTER DATABASE readable SET default_transaction_read_only = on"));
  PostgresOptions with{.url = server_->url_of("postgres", "readable")};
  EXPECT_EQ(code_of_connect(with), "database_unreachable");
  with.url += " target_session_attrs=any";
  EXPECT_TRUE(Postgres::connect(with));
}

TEST_F(PostgresTest, BadUrlsAndLoginsAreNamed) {
  EXPECT_EQ(code_of_connect({.url = "postgresql://[::"}), "bad_database_url");
  EXPECT_EQ(code_of_connect({.url = "host=a colour=red"}), "bad_database_url");
  EXPECT_EQ(code_of_connect({.url = server_->url_of("no_such_role", "postgres")}), "database_refused");
  EXPECT_EQ(code_of_connect({.url = server_->url_of("postgres", "no_such_database")}), "database_refused");
  for (const char* url : {"postgresql://ana:secret1@host/db", "host=x password=secret1",
                          "host=x password=secret1 c=d", "postgresql://ana:secret1@[host/db"}) {
    const auto refused = Postgres::connect({.url = url});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "bad_database_url");
    EXPECT_THAT(refused.error().message + refused.error().hint, Not(HasSubstr("secret1")));
    EXPECT_THAT(shown_database(url), Not(HasSubstr("secret1")));
  }
  EXPECT_EQ(shown_database("postgresql://ana@host:5433/db?sslmode=require"), "postgresql://ana@host:5433/db");
  EXPECT_EQ(shown_database("host=a,b port=1,2 dbname=db user=x"), "postgresql://x@a:1,b:2/db");
  EXPECT_EQ(shown_database("host=/run/pg dbname=db", "luzia-a"), "postgresql://luzia-a@%2Frun%2Fpg/db");
}

TEST_F(PostgresTest, OtherMachinesMustSpeakTls) {
  const auto mode_of = [](const std::string& url) -> std::string {
    const auto words = connection_words({.url = url});
    EXPECT_TRUE(words) << url;
    if (!words) return "";
    const auto found = std::ranges::find(*words, "sslmode", &std::pair<std::string, std::string>::first);
    return found == words->end() ? "" : found->second;
  };
  for (const char* url : {"postgresql://r@db.example/luzia", "postgresql://r@127.0.0.1,10.0.0.7/luzia",
                          "host=/run/postgresql hostaddr=10.0.0.7", "postgresql://r@[fd00::1]:5432/luzia"})
    EXPECT_EQ(mode_of(url), "require") << url;
  for (const char* url : {"postgresql://r@localhost/luzia", "postgresql:///luzia", "host=/run/postgresql",
                          "postgresql://r@127.0.0.1,[::1]/luzia", "service=fleet",
                          "postgresql://r@db.example/luzia?sslmode=verify-full"})
    EXPECT_EQ(mode_of(url), "") << url;
}

TEST_F(PostgresTest, PasswordComesFromAFileOfItsOwn) {
  const ScratchFolder folder;
  PostgresOptions with = options();
  with.password_file = folder.file("missing");
  EXPECT_EQ(code_of_connect(with), "password_file");
  with.password_file = folder.write("password", "\n");
  EXPECT_EQ(code_of_connect(with), "password_file") << "others may read it";
  ::chmod(with.password_file.c_str(), 0600);
  EXPECT_EQ(code_of_connect(with), "password_file") << "it is empty";
  folder.write("password", "pass word\n");
  EXPECT_EQ(code_of_connect(with), "") << "this server asks for none";
}

TEST_F(PostgresTest, PasswordIsEncryptedBeforeItIsSent) {
  Postgres database = connected();
  const auto text = database.encrypted_password("ana", "secret1");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, AllOf(StartsWith("SCRAM-SHA-256$"), Not(HasSubstr("secret1"))));
}

}  // namespace
}  // namespace luzia
