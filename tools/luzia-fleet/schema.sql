-- The schema of a fleet's database: logs as the machines have them, and who may write and read. `luzia-fleet
-- init` runs it in one transaction, and again after an upgrade; the readable tables follow it (tables.h).
--
-- A machine writes through enter_site() and the trigger of site_groups, which run with the rights of the
-- schema's owner and check each write. Errors of their own: LZ001 a group does not continue the site's log;
-- LZ002 another log has this name; LZ003 the site's log went back.

-- Functions that others have put into public are not called. Whoever waits for a table holds up everybody that
-- comes later, so this does not wait for long.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL lock_timeout = '10s';
SELECT pg_advisory_xact_lock(7811617);

CREATE SCHEMA IF NOT EXISTS luzia;

DO $do$
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE feature_not_supported USING
      MESSAGE = format('database %s has the encoding %s, which cannot hold every text', current_database(),
                       current_setting('server_encoding')),
      HINT = 'createdb --encoding=UTF8 --template=template0 makes one that can';
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'luzia_reader') THEN
    CREATE ROLE luzia_reader NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'luzia_machine') THEN
    CREATE ROLE luzia_machine NOLOGIN;
  END IF;
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO luzia_machine, luzia_reader', current_database());
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO luzia_machine', current_database());
END
$do$;
GRANT USAGE ON SCHEMA luzia TO luzia_reader, luzia_machine;

CREATE TABLE IF NOT EXISTS luzia.sites (
  site text PRIMARY KEY,
  genesis bytea,
  begins_at bigint NOT NULL DEFAULT 0,
  position bigint NOT NULL DEFAULT 0,
  chain bytea,
  rows_position bigint NOT NULL DEFAULT 0,
  host text NOT NULL DEFAULT '',
  version text NOT NULL DEFAULT '',
  first_seen timestamptz NOT NULL DEFAULT now(),
  last_seen timestamptz NOT NULL DEFAULT now(),
  fault text,
  fault_at timestamptz);
COMMENT ON TABLE luzia.sites IS 'The machines of the fleet, and how far each log is here';
COMMENT ON COLUMN luzia.sites.genesis IS 'Chain hash of the first group that is here: it identifies the log';
COMMENT ON COLUMN luzia.sites.begins_at IS 'Position of the first event that is here; 0: there is none yet';
COMMENT ON COLUMN luzia.sites.position IS 'Position of the last event that is here';
COMMENT ON COLUMN luzia.sites.chain IS 'Chain hash after that event';
COMMENT ON COLUMN luzia.sites.rows_position IS 'The readable tables show at least everything up to this position';
COMMENT ON COLUMN luzia.sites.fault IS 'Why a log was refused; it was not mixed with this one';

CREATE TABLE IF NOT EXISTS luzia.site_groups (
  site text NOT NULL,
  first_position bigint NOT NULL,
  last_position bigint NOT NULL,
  previous bytea NOT NULL,
  chain bytea NOT NULL,
  frames bytea NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (site, first_position),
  CHECK (first_position > 0 AND last_position >= first_position)) PARTITION BY LIST (site);
COMMENT ON TABLE luzia.site_groups IS 'The logs, group by group, as the machines have stored them (LOG_FORMAT.md)';
COMMENT ON COLUMN luzia.site_groups.frames IS 'The events, as they are in the log';
COMMENT ON COLUMN luzia.site_groups.recorded_at IS 'Time of the last event of the group';
DO $do$
BEGIN
  ALTER TABLE luzia.site_groups ALTER COLUMN frames SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;  -- PostgreSQL's own compression, which is slower
END
$do$;

CREATE TABLE IF NOT EXISTS luzia.machine_roles (
  role name PRIMARY KEY, site text NOT NULL);
COMMENT ON TABLE luzia.machine_roles IS 'Which site a login role may write';
CREATE TABLE IF NOT EXISTS luzia.reader_projects (
  role name NOT NULL, project text NOT NULL, PRIMARY KEY (role, project));
COMMENT ON TABLE luzia.reader_projects IS 'Which projects a login role may read; * is all of them';

REVOKE ALL ON luzia.site_groups FROM PUBLIC, luzia_reader, luzia_machine;
GRANT INSERT ON luzia.site_groups TO luzia_machine;
GRANT SELECT ON luzia.sites TO luzia_reader, luzia_machine;
GRANT SELECT ON luzia.machine_roles TO luzia_machine;
GRANT SELECT ON luzia.reader_projects TO luzia_reader;
ALTER TABLE luzia.machine_roles ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS own ON luzia.machine_roles;
CREATE POLICY own ON luzia.machine_roles FOR SELECT TO luzia_machine USING (role = session_user);
ALTER TABLE luzia.reader_projects ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS own ON luzia.reader_projects;
CREATE POLICY own ON luzia.reader_projects FOR SELECT TO luzia_reader USING (role = session_user);

-- The owner of the schema, and whoever has its role, may write every site.
CREATE OR REPLACE FUNCTION luzia.check_writer(of_site text) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  IF pg_has_role(session_user, current_user, 'MEMBER') OR
     EXISTS (SELECT FROM luzia.machine_roles m WHERE m.role = session_user AND m.site = of_site) THEN
    RETURN;
  END IF;
  RAISE insufficient_privilege USING
    MESSAGE = format('role %s may not write site %s', session_user, of_site),
    HINT = format('luzia-fleet init --machine %s gives a role that may', of_site);
END
$fn$;

-- The partition of a site. init makes it, so that no machine holds a lock which stops the others.
CREATE OR REPLACE FUNCTION luzia.make_partition(of_site text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  part text := 'groups_' || md5(of_site);
BEGIN
  IF to_regclass('luzia.' || part) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE luzia.%I (LIKE luzia.site_groups INCLUDING ALL)', part);
  EXECUTE format('ALTER TABLE luzia.site_groups ATTACH PARTITION luzia.%I FOR VALUES IN (%L)', part, of_site);
END
$fn$;

-- Locks the site until the end of the transaction and says how far its log is here. Makes it if it is new.
CREATE OR REPLACE FUNCTION luzia.enter_site(of_site text, its_host text, its_version text) RETURNS luzia.sites
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  held luzia.sites;
BEGIN
  PERFORM luzia.check_writer(of_site);
  its_host := left(its_host, 255);
  its_version := left(its_version, 255);
  SELECT * INTO held FROM luzia.sites s WHERE s.site = of_site FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO luzia.sites (site) VALUES (of_site) ON CONFLICT DO NOTHING;
    PERFORM luzia.make_partition(of_site);
    SELECT * INTO held FROM luzia.sites s WHERE s.site = of_site FOR UPDATE;
  END IF;
  IF held.last_seen < clock_timestamp() - interval '10 seconds' OR held.host <> its_host OR
     held.version <> its_version THEN
    UPDATE luzia.sites s SET last_seen = clock_timestamp(), host = its_host, version = its_version,
      fault = CASE WHEN s.fault_at > clock_timestamp() - interval '10 minutes' THEN s.fault END
    WHERE s.site = of_site RETURNING * INTO held;
  END IF;
  RETURN held;
END
$fn$;

-- Before the row is there: one of another site would make that site's machine wait until the transaction ends.
CREATE OR REPLACE FUNCTION luzia.check_group() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(NEW.site);
  RETURN NEW;
END
$fn$;
CREATE OR REPLACE TRIGGER check_group BEFORE INSERT ON luzia.site_groups
  FOR EACH ROW EXECUTE FUNCTION luzia.check_group();

CREATE OR REPLACE FUNCTION luzia.check_groups() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  held luzia.sites;
  span record;
  oldest record;
  newest_chain bytea;
  wrong record;
BEGIN
  SELECT min(g.site) AS site, max(g.site) AS other, min(g.first_position) AS first, max(g.last_position) AS last
    INTO span FROM given g;
  IF span.site IS NULL THEN RETURN NULL; END IF;
  IF span.site <> span.other THEN
    RAISE EXCEPTION 'groups of two sites, % and %, in one statement', span.site, span.other
      USING ERRCODE = 'LZ001';
  END IF;
  SELECT * INTO held FROM luzia.sites s WHERE s.site = span.site FOR UPDATE;
  SELECT g.previous, g.chain INTO oldest FROM given g WHERE g.first_position = span.first;
  IF held.genesis IS NOT NULL AND span.first = held.begins_at AND oldest.chain <> held.genesis THEN
    RAISE EXCEPTION 'site % is another log: its first group, at position %, has the chain hash %, not %',
      span.site, span.first, encode(oldest.chain, 'hex'), encode(held.genesis, 'hex') USING ERRCODE = 'LZ002';
  END IF;
  IF held.genesis IS NOT NULL AND span.first <= held.position THEN
    RAISE EXCEPTION 'site % went back: a group at position % was given, and % is here already',
      span.site, span.first, held.position USING ERRCODE = 'LZ003';
  END IF;
  SELECT * INTO wrong FROM (
    SELECT g.first_position AS given_position, g.previous AS given_chain,
      lag(g.last_position, 1, CASE WHEN held.genesis IS NULL THEN span.first - 1 ELSE held.position END)
        OVER (ORDER BY g.first_position) + 1 AS position,
      lag(g.chain, 1, CASE WHEN held.genesis IS NULL THEN oldest.previous ELSE held.chain END)
        OVER (ORDER BY g.first_position) AS chain
    FROM given g) AS link
  WHERE link.given_position <> link.position OR link.given_chain <> link.chain
  ORDER BY link.given_position LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'site %: the group at position % after the hash % does not continue the log: '
      'expected position % after the hash %',
      span.site, wrong.given_position, encode(wrong.given_chain, 'hex'), wrong.position,
      encode(wrong.chain, 'hex') USING ERRCODE = 'LZ001';
  END IF;
  SELECT g.chain INTO newest_chain FROM given g WHERE g.last_position = span.last;
  UPDATE luzia.sites s SET position = span.last, chain = newest_chain, last_seen = clock_timestamp(),
    genesis = coalesce(s.genesis, oldest.chain),
    begins_at = CASE WHEN s.genesis IS NULL THEN span.first ELSE s.begins_at END
  WHERE s.site = span.site;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'site % was not entered', span.site USING ERRCODE = 'LZ001';
  END IF;
  RETURN NULL;
END
$fn$;
CREATE OR REPLACE TRIGGER check_groups AFTER INSERT ON luzia.site_groups REFERENCING NEW TABLE AS given
  FOR EACH STATEMENT EXECUTE FUNCTION luzia.check_groups();

CREATE OR REPLACE FUNCTION luzia.set_rows_position(of_site text, to_position bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  UPDATE luzia.sites s SET rows_position = to_position WHERE s.site = of_site AND to_position <= s.position;
END
$fn$;

-- An empty fault says that there is none.
CREATE OR REPLACE FUNCTION luzia.note_fault(of_site text, its_fault text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  UPDATE luzia.sites s SET fault = nullif(left(its_fault, 1000), ''), fault_at = clock_timestamp()
  WHERE s.site = of_site;
END
$fn$;

-- Deletes rows of a readable table at these places (ctid) and says how many. Machines have no right to DELETE:
-- with it, they could lock the whole table.
CREATE OR REPLACE FUNCTION luzia.delete_rows(of_table text, of_site text, places tid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  deleted bigint;
BEGIN
  PERFORM luzia.check_writer(of_site);
  IF NOT EXISTS (SELECT FROM pg_policies p WHERE p.schemaname = 'luzia' AND p.tablename = of_table AND
                                                 p.policyname = 'own_site') THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s is no readable table', of_table);
  END IF;
  EXECUTE format('DELETE FROM luzia.%I WHERE site = $1 AND ctid = ANY ($2)', of_table) USING of_site, places;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$fn$;

-- Removes the site's log; the rows of the readable tables are for the caller to delete. The partition stays:
-- to drop it would lock the whole table. Machines have no right to it: what one has recorded here, nobody who
-- has got hold of the machine can remove.
CREATE OR REPLACE FUNCTION luzia.forget_site(of_site text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  PERFORM FROM luzia.sites s WHERE s.site = of_site FOR UPDATE;
  PERFORM luzia.make_partition(of_site);
  EXECUTE format('TRUNCATE luzia.%I', 'groups_' || md5(of_site));
  DELETE FROM luzia.sites s WHERE s.site = of_site;
END
$fn$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA luzia FROM PUBLIC, luzia_machine;
GRANT EXECUTE ON FUNCTION luzia.enter_site, luzia.set_rows_position, luzia.note_fault, luzia.delete_rows
  TO luzia_machine;
