-- Orders to the machines of a fleet, and who may place and take them; runs after schema.sql, in its transaction.
--
-- The functions run with the rights of the schema's owner and check each caller: nobody else writes these
-- tables. Errors of their own: LZ004 the id is taken by another order; LZ005 no machine takes such an order;
-- LZ006 it is too late for that.

DO $do$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'luzia_operator') THEN
    CREATE ROLE luzia_operator NOLOGIN;
  END IF;
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO luzia_operator', current_database());
END
$do$;
GRANT USAGE ON SCHEMA luzia TO luzia_operator;

CREATE SEQUENCE IF NOT EXISTS luzia.order_fence;
CREATE TABLE IF NOT EXISTS luzia.orders (
  id text PRIMARY KEY,
  site text,
  label text,
  project text NOT NULL,
  kind text NOT NULL,
  about text,
  about_site text,
  request bytea NOT NULL,
  placed_by name NOT NULL,
  placed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'open'
    CHECK (state IN ('open', 'claimed', 'accepted', 'done', 'refused', 'expired')),
  passed_by text[] NOT NULL DEFAULT '{}',
  claimed_by text,
  fence bigint,
  lease_until timestamptz,
  job text,
  reply bytea,
  error text,
  done_at timestamptz);
CREATE INDEX IF NOT EXISTS orders_under_way ON luzia.orders (placed_at)
  WHERE state IN ('open', 'claimed', 'accepted');
CREATE INDEX IF NOT EXISTS orders_over ON luzia.orders (done_at) WHERE done_at IS NOT NULL;
COMMENT ON TABLE luzia.orders IS 'What operators asked machines to do, and what became of it';
COMMENT ON COLUMN luzia.orders.site IS 'The machine it is for; NULL: any that has the label, or any at all';
COMMENT ON COLUMN luzia.orders.about IS 'The job that it is about; of a dispatch: the job that it replaces';
COMMENT ON COLUMN luzia.orders.about_site IS 'The machine that has this job';
COMMENT ON COLUMN luzia.orders.request IS
  'The request of the daemon''s protocol (a ClientFrame), with its secrets; once the order is over, its SHA-256';
COMMENT ON COLUMN luzia.orders.fence IS 'Number of the last claim: what an earlier claim reports counts no more';
COMMENT ON COLUMN luzia.orders.lease_until IS 'From then on another machine may claim it, unless it is accepted';
COMMENT ON COLUMN luzia.orders.passed_by IS 'Machines that could not do it, so that others are asked';
COMMENT ON COLUMN luzia.orders.reply IS 'The reply of the daemon''s protocol (a ServerFrame)';

CREATE TABLE IF NOT EXISTS luzia.order_takers (
  site text PRIMARY KEY, kinds text[] NOT NULL, labels text[] NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp());
COMMENT ON TABLE luzia.order_takers IS 'Which orders each machine takes, and its labels, as it says itself';
CREATE TABLE IF NOT EXISTS luzia.fenced_jobs (
  job text PRIMARY KEY, site text NOT NULL, project text NOT NULL, by_order text NOT NULL, to_site text NOT NULL,
  fenced_at timestamptz NOT NULL DEFAULT clock_timestamp(), heard_at timestamptz, result text);
COMMENT ON TABLE luzia.fenced_jobs IS 'Jobs that were started anew elsewhere: their machine is to stop them';
COMMENT ON COLUMN luzia.fenced_jobs.heard_at IS 'When the job''s own machine had heard of it';
CREATE TABLE IF NOT EXISTS luzia.operator_projects (
  role name NOT NULL, project text NOT NULL, PRIMARY KEY (role, project));
COMMENT ON TABLE luzia.operator_projects IS 'In which projects a login role may place orders; * is all of them';

REVOKE ALL ON luzia.orders, luzia.order_takers, luzia.fenced_jobs, luzia.operator_projects
  FROM PUBLIC, luzia_reader, luzia_machine, luzia_operator;
GRANT SELECT ON luzia.order_takers, luzia.operator_projects, luzia.sites TO luzia_operator;
-- Not the requests of each other.
GRANT SELECT (id, site, label, project, kind, about, about_site, placed_by, placed_at, expires_at, state,
  passed_by, claimed_by, fence, lease_until, job, reply, error, done_at) ON luzia.orders TO luzia_operator;
ALTER TABLE luzia.operator_projects ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS own ON luzia.operator_projects;
CREATE POLICY own ON luzia.operator_projects FOR SELECT TO luzia_operator USING (role = session_user);
ALTER TABLE luzia.orders ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS own_projects ON luzia.orders;
CREATE POLICY own_projects ON luzia.orders FOR SELECT TO luzia_operator USING (
  EXISTS (SELECT FROM luzia.operator_projects o
          WHERE o.role = session_user AND o.project IN ('*', orders.project)));

-- The owner of the schema, and whoever has its role, may order in every project.
CREATE OR REPLACE FUNCTION luzia.may_order(of_project text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
  SELECT pg_has_role(session_user, current_user, 'MEMBER') OR
    EXISTS (SELECT FROM luzia.operator_projects o
            WHERE o.role = session_user AND o.project IN ('*', of_project))
$fn$;

-- Whether the machine may take the order, as far as the two say. Of an order that replaces a job, the job's own
-- machine is none of them.
CREATE OR REPLACE FUNCTION luzia.suits(of_order luzia.orders, of_site text, its_kinds text[], its_labels text[])
RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
  SELECT of_order.kind = ANY (its_kinds) AND NOT of_site = ANY (of_order.passed_by) AND
    (of_order.site = of_site OR
     (of_order.site IS NULL AND (of_order.label IS NULL OR of_order.label = ANY (its_labels)))) AND
    NOT (of_order.kind = 'dispatch' AND of_order.about_site IS NOT DISTINCT FROM of_site)
$fn$;

-- Places the order, or finds the same one under its id. `to_whom`: a site, a label, or any. `its_about`: the job
-- that it is about; its site gets the order, unless the order is a dispatch that replaces it.
CREATE OR REPLACE FUNCTION luzia.place_order(its_id text, to_whom text, its_kind text, its_project text,
  its_about text, its_request bytea, its_seconds bigint) RETURNS luzia.orders
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  made luzia.orders;
  held luzia.orders;
BEGIN
  -- A violated constraint would show the row, with secrets, in the server's log.
  IF its_project IS NULL OR its_id !~ '^[!-"$-~]{1,100}$' OR octet_length(its_request) NOT BETWEEN 1 AND 1048576 OR
     octet_length(its_project) > 1000 OR its_kind NOT IN ('dispatch', 'answer', 'approve', 'cancel', 'retry') THEN
    RAISE check_violation USING MESSAGE = 'this is no order: its id, kind or project is wrong, or it has over 1 MiB';
  END IF;
  made.id := its_id;
  made.kind := its_kind;
  made.project := its_project;
  made.about := its_about;
  made.passed_by := '{}';
  IF EXISTS (SELECT FROM luzia.sites s WHERE s.site = to_whom) OR
     EXISTS (SELECT FROM luzia.order_takers t WHERE t.site = to_whom) THEN
    made.site := to_whom;
  ELSIF to_whom <> 'any' THEN
    made.label := to_whom;
  END IF;
  -- Any machine may say that it has a job of this id. Who names the machine is not held up by that.
  IF its_about IS NOT NULL THEN
    SELECT min(j.site), coalesce(min(j.project), '') INTO made.about_site, made.project
    FROM luzia.jobs j
    WHERE j.id = its_about AND (its_kind = 'dispatch' OR j.site = made.site OR NOT EXISTS (
            SELECT FROM luzia.jobs named WHERE named.id = its_about AND named.site = made.site))
    HAVING count(*) < 2;
    IF made.about_site IS NULL OR NOT luzia.may_order(made.project) THEN
      RAISE EXCEPTION 'no machine alone has job % in a project in which role % may place orders', its_about,
        session_user USING ERRCODE = 'LZ005', HINT = 'if several say so, name one: luzia --on fleet:SITE';
    END IF;
  ELSIF NOT luzia.may_order(made.project) THEN
    RAISE insufficient_privilege USING
      MESSAGE = format('role %s may place no orders in project %s', session_user, made.project),
      HINT = format('luzia-fleet init --operator %s --projects %s allows it', session_user, made.project);
  END IF;
  IF its_kind = 'dispatch' AND its_about IS NOT NULL AND made.project <> its_project THEN
    RAISE EXCEPTION 'job % is of project %, not of %', its_about, made.project, its_project
      USING ERRCODE = 'LZ005';
  END IF;
  IF its_kind <> 'dispatch' THEN
    IF made.site IS NOT NULL AND made.site <> made.about_site THEN
      RAISE EXCEPTION 'job % is of site %, not of %', its_about, made.about_site, made.site USING ERRCODE = 'LZ005';
    END IF;
    made.site := made.about_site;
    made.label := NULL;
  END IF;
  SELECT * INTO held FROM luzia.orders o WHERE o.id = its_id;
  IF NOT FOUND THEN
    IF NOT EXISTS (SELECT FROM luzia.order_takers t WHERE luzia.suits(made, t.site, t.kinds, t.labels)) THEN
      RAISE EXCEPTION 'no machine takes an order of the kind % for %', its_kind, coalesce(made.site, to_whom)
        USING ERRCODE = 'LZ005', HINT = 'a machine takes those that [fleet] orders in its luzia.toml names';
    END IF;
    IF its_kind = 'dispatch' AND its_about IS NOT NULL AND NOT EXISTS (
         SELECT FROM luzia.order_takers t WHERE t.site = made.about_site AND 'retry' = ANY (t.kinds)) THEN
      RAISE EXCEPTION 'site % takes no order to retry, so it would not stop job %', made.about_site, its_about
        USING ERRCODE = 'LZ005', HINT = 'cancel it there, then dispatch its task';
    END IF;
    IF (SELECT count(*) >= 10000 OR sum(octet_length(o.request)) >= 268435456 FROM luzia.orders o
        WHERE o.placed_by = session_user AND o.state IN ('open', 'claimed', 'accepted')) THEN
      RAISE EXCEPTION '10000 orders of role %, or 256 MiB of them, are under way', session_user
        USING ERRCODE = 'LZ005',
        HINT = 'luzia-fleet withdraw takes those back that no machine has';
    END IF;
    INSERT INTO luzia.orders (id, site, label, project, kind, about, about_site, request, placed_by, expires_at)
    VALUES (its_id, made.site, made.label, made.project, its_kind, its_about, made.about_site, its_request,
            session_user, clock_timestamp() + make_interval(secs => least(greatest(its_seconds, 1), 2592000)))
    ON CONFLICT DO NOTHING;
    SELECT * INTO held FROM luzia.orders o WHERE o.id = its_id;
    PERFORM pg_notify('luzia_orders', '');
  END IF;
  IF held.placed_by <> session_user OR held.request NOT IN (its_request, sha256(its_request)) OR
     held.kind <> its_kind OR held.about IS DISTINCT FROM its_about OR held.label IS DISTINCT FROM made.label OR
     held.site IS DISTINCT FROM made.site THEN
    RAISE EXCEPTION 'order % is there already, and is another one', its_id
      USING ERRCODE = 'LZ004', HINT = 'leave --command-id out, or choose another';
  END IF;
  RETURN held;
END
$fn$;

-- Whatever ends an order: its request, with secrets, goes, and what is kept of it is short.
CREATE OR REPLACE FUNCTION luzia.end_order() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  NEW.done_at := clock_timestamp();
  NEW.lease_until := NULL;
  NEW.request := sha256(NEW.request);
  NEW.error := left(NEW.error, 1000);
  IF octet_length(NEW.reply) > 1048576 THEN NEW.reply := NULL; END IF;
  PERFORM pg_notify('luzia_replies', '');
  RETURN NEW;
END
$fn$;
CREATE OR REPLACE TRIGGER end_order BEFORE UPDATE OF state ON luzia.orders FOR EACH ROW
  WHEN (NEW.state IN ('done', 'refused', 'expired') AND OLD.done_at IS NULL)
  EXECUTE FUNCTION luzia.end_order();

-- Forgets what was over 30 days ago, too.
CREATE OR REPLACE FUNCTION luzia.expire_orders() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
  DELETE FROM luzia.orders o WHERE o.id IN (
    SELECT d.id FROM luzia.orders d WHERE d.done_at < clock_timestamp() - interval '30 days'
    ORDER BY d.done_at LIMIT 1000 FOR UPDATE SKIP LOCKED);
  UPDATE luzia.orders o SET state = 'expired' WHERE o.id IN (
    SELECT d.id FROM luzia.orders d
    WHERE d.expires_at <= clock_timestamp() AND
          (d.state = 'open' OR (d.state = 'claimed' AND d.lease_until <= clock_timestamp()))
    ORDER BY d.placed_at LIMIT 1000 FOR UPDATE SKIP LOCKED)
$fn$;

-- The order as it stands now, for who placed it.
CREATE OR REPLACE FUNCTION luzia.look_order(of_id text) RETURNS luzia.orders
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  held luzia.orders;
BEGIN
  PERFORM luzia.expire_orders();
  SELECT * INTO held FROM luzia.orders o WHERE o.id = of_id AND luzia.may_order(o.project);
  held.request := NULL;
  RETURN held;
END
$fn$;

-- Takes back an order that no machine has accepted.
CREATE OR REPLACE FUNCTION luzia.withdraw_order(of_id text) RETURNS luzia.orders
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  held luzia.orders;
BEGIN
  PERFORM luzia.expire_orders();
  -- What is accepted is not locked: its machine would wait for whoever leaves this transaction open.
  SELECT * INTO held FROM luzia.orders o
  WHERE o.id = of_id AND o.state IN ('open', 'claimed') AND luzia.may_order(o.project) FOR UPDATE;
  IF NOT FOUND THEN
    SELECT * INTO held FROM luzia.orders o WHERE o.id = of_id AND luzia.may_order(o.project);
  END IF;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF held.state = 'accepted' OR held.state = 'done' THEN
    RAISE EXCEPTION 'site % has accepted order % already', held.claimed_by, of_id USING ERRCODE = 'LZ006',
      HINT = CASE WHEN held.job IS NOT NULL THEN format('luzia --on fleet:any cancel %s', held.job) ELSE '' END;
  END IF;
  IF held.state IN ('open', 'claimed') THEN
    UPDATE luzia.orders o SET state = 'refused', claimed_by = NULL,
      error = format('withdrawn by %s', session_user) WHERE o.id = of_id RETURNING * INTO held;
  END IF;
  held.request := NULL;
  RETURN held;
END
$fn$;

-- What a machine takes from now on.
CREATE OR REPLACE FUNCTION luzia.offer_orders(of_site text, its_kinds text[], its_labels text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  IF cardinality(its_labels) > 100 OR octet_length(array_to_string(its_kinds || its_labels, ',')) > 10000 THEN
    RAISE EXCEPTION 'over 100 labels, or 10 kB of them, of site %', of_site USING ERRCODE = 'LZ005';
  END IF;
  INSERT INTO luzia.order_takers AS t (site, kinds, labels) VALUES (of_site, its_kinds, its_labels)
  ON CONFLICT (site) DO UPDATE SET kinds = its_kinds, labels = its_labels, since = clock_timestamp()
  WHERE t.kinds <> its_kinds OR t.labels <> its_labels;
END
$fn$;

-- The oldest order that the machine may take, or NULLs. The claim ends after 30 s. An order that is not for this
-- machine alone is left to others until it has this age, in milliseconds, and longer if this machine let its
-- claim end.
DROP FUNCTION IF EXISTS luzia.claim_order(text, text[], text[]);
CREATE OR REPLACE FUNCTION luzia.claim_order(of_site text, its_kinds text[], its_labels text[],
  least_age bigint DEFAULT 0) RETURNS luzia.orders
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  held luzia.orders;
BEGIN
  PERFORM luzia.check_writer(of_site);
  PERFORM luzia.expire_orders();
  SELECT * INTO held FROM luzia.orders o
  WHERE (o.state = 'open' OR (o.state = 'claimed' AND o.lease_until <= clock_timestamp())) AND
        o.expires_at > clock_timestamp() AND
        (o.site = of_site OR
         (o.site IS NULL AND
          greatest(o.placed_at + make_interval(secs => least_age / 1000.0),
                   CASE WHEN o.claimed_by = of_site THEN o.lease_until + interval '10 seconds' END)
            <= clock_timestamp())) AND
        luzia.suits(o, of_site, its_kinds, its_labels)
  ORDER BY o.placed_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE luzia.orders o SET state = 'claimed', claimed_by = of_site, fence = nextval('luzia.order_fence'),
    lease_until = clock_timestamp() + interval '30 seconds' WHERE o.id = held.id RETURNING * INTO held;
  RETURN held;
END
$fn$;

-- Whether the claim still holds. From then on the order is this machine's, and what it replaces is fenced.
CREATE OR REPLACE FUNCTION luzia.accept_order(of_site text, of_id text, its_fence bigint, its_job text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  held luzia.orders;
BEGIN
  PERFORM luzia.check_writer(of_site);
  IF its_job !~ '^[0-9a-z]{1,100}$' THEN
    RAISE check_violation USING MESSAGE = 'order ' || of_id || ': no job has such an id';
  END IF;
  SELECT * INTO held FROM luzia.orders o WHERE o.id = of_id FOR UPDATE;
  IF NOT FOUND OR held.claimed_by IS DISTINCT FROM of_site OR held.fence IS DISTINCT FROM its_fence THEN
    RETURN false;
  END IF;
  IF held.state IN ('accepted', 'done') THEN RETURN held.job IS NOT DISTINCT FROM its_job; END IF;
  IF held.state <> 'claimed' OR greatest(held.expires_at, held.lease_until) <= clock_timestamp() THEN
    RETURN false;
  END IF;
  UPDATE luzia.orders o SET state = 'accepted', job = its_job, lease_until = NULL WHERE o.id = of_id;
  IF held.kind = 'dispatch' AND held.about IS NOT NULL THEN
    INSERT INTO luzia.fenced_jobs (job, site, project, by_order, to_site)
    VALUES (held.about, held.about_site, held.project, of_id, of_site)
    ON CONFLICT (job) DO UPDATE SET site = held.about_site, project = held.project, by_order = of_id,
      to_site = of_site, fenced_at = clock_timestamp(), heard_at = NULL, result = NULL;
    PERFORM pg_notify('luzia_orders', '');
  END IF;
  RETURN true;
END
$fn$;

-- The end of an order that the machine has claimed or accepted. False: it is no longer the machine's.
CREATE OR REPLACE FUNCTION luzia.finish_order(of_site text, of_id text, its_fence bigint, its_state text,
  its_reply bytea, its_error text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  IF its_state NOT IN ('done', 'refused') THEN RETURN false; END IF;
  UPDATE luzia.orders o SET state = its_state, reply = its_reply, error = its_error
  WHERE o.id = of_id AND o.claimed_by = of_site AND o.fence = its_fence AND o.state IN ('claimed', 'accepted');
  RETURN FOUND;
END
$fn$;

-- The machine cannot do it. Another may; if none is left, the order is refused.
CREATE OR REPLACE FUNCTION luzia.pass_order(of_site text, of_id text, its_fence bigint, its_reply bytea,
  its_error text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
DECLARE
  held luzia.orders;
BEGIN
  PERFORM luzia.check_writer(of_site);
  UPDATE luzia.orders o SET passed_by = o.passed_by || of_site, state = 'open', lease_until = NULL
  WHERE o.id = of_id AND o.claimed_by = of_site AND o.fence = its_fence AND o.state = 'claimed'
  RETURNING * INTO held;
  IF NOT FOUND THEN RETURN; END IF;
  IF EXISTS (SELECT FROM luzia.order_takers t WHERE luzia.suits(held, t.site, t.kinds, t.labels)) THEN
    PERFORM pg_notify('luzia_orders', '');
  ELSE
    UPDATE luzia.orders o SET state = 'refused', reply = its_reply, error = its_error WHERE o.id = of_id;
  END IF;
END
$fn$;

-- Claims of the machine's program before: it is gone, and what it holds was looked through.
CREATE OR REPLACE FUNCTION luzia.release_claims(of_site text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  UPDATE luzia.orders o SET state = 'open', claimed_by = NULL, lease_until = NULL
  WHERE o.id IN (SELECT d.id FROM luzia.orders d WHERE d.claimed_by = of_site AND d.state = 'claimed'
                 FOR UPDATE SKIP LOCKED);
END
$fn$;

-- Orders that the machine has accepted and not finished.
CREATE OR REPLACE FUNCTION luzia.accepted_orders(of_site text) RETURNS SETOF luzia.orders
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  RETURN QUERY SELECT * FROM luzia.orders o WHERE o.claimed_by = of_site AND o.state = 'accepted'
    ORDER BY o.placed_at LIMIT 1000;
END
$fn$;

-- Whether an order waits that the machine and others may take.
CREATE OR REPLACE FUNCTION luzia.has_shared_order(of_site text, its_kinds text[], its_labels text[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  RETURN EXISTS (SELECT FROM luzia.orders o
    WHERE (o.state = 'open' OR (o.state = 'claimed' AND o.lease_until <= clock_timestamp())) AND
          o.expires_at > clock_timestamp() AND o.site IS NULL AND luzia.suits(o, of_site, its_kinds, its_labels));
END
$fn$;

-- Orders that the machine refused, of one day; for its own people.
CREATE OR REPLACE FUNCTION luzia.refused_orders(of_site text) RETURNS SETOF luzia.orders
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  RETURN QUERY SELECT * FROM luzia.orders o
    WHERE o.state = 'refused' AND o.done_at > clock_timestamp() - interval '1 day' AND o.claimed_by = of_site
    ORDER BY o.done_at DESC LIMIT 10;
END
$fn$;
-- Who may place orders in this fleet, for the machine's own people.
CREATE OR REPLACE FUNCTION luzia.operators_for(of_site text) RETURNS TABLE (role name, projects text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  RETURN QUERY SELECT o.role, left(string_agg(o.project, ', ' ORDER BY o.project), 200)
    FROM luzia.operator_projects o GROUP BY o.role ORDER BY o.role LIMIT 50;
END
$fn$;

-- Jobs of the machine that were started anew elsewhere, and of which it has not heard.
CREATE OR REPLACE FUNCTION luzia.fences_of(of_site text) RETURNS SETOF luzia.fenced_jobs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  RETURN QUERY SELECT * FROM luzia.fenced_jobs f WHERE f.site = of_site AND f.heard_at IS NULL
    ORDER BY f.fenced_at LIMIT 1000;
END
$fn$;
CREATE OR REPLACE FUNCTION luzia.hear_fence(of_site text, of_job text, its_order text, its_result text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $fn$
BEGIN
  PERFORM luzia.check_writer(of_site);
  UPDATE luzia.fenced_jobs f SET heard_at = clock_timestamp(), result = left(its_result, 1000)
  WHERE f.job = of_job AND f.site = of_site AND f.by_order = its_order;
END
$fn$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA luzia FROM PUBLIC;
GRANT EXECUTE ON FUNCTION luzia.place_order, luzia.look_order, luzia.withdraw_order TO luzia_operator;
GRANT EXECUTE ON FUNCTION luzia.offer_orders, luzia.claim_order, luzia.accept_order, luzia.finish_order,
  luzia.pass_order, luzia.release_claims, luzia.accepted_orders, luzia.fences_of, luzia.hear_fence,
  luzia.has_shared_order, luzia.refused_orders, luzia.operators_for
  TO luzia_machine;
