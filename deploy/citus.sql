-- Puts the schema of a cell on one node of Citus (docs/scale.md). Printed from server/src/storage/schema/citus.ts.
-- Start a server once, so that the schema has its tables, and stop all servers of the cell. Then, as a superuser on the coordinator:
--   psql --set=schema=north --set=role=north --file=deploy/citus.sql postgres://…/countersign
-- A second run changes nothing.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
BEGIN;
ALTER ROLE :"role" SET search_path = :"schema";
ALTER ROLE :"role" SET TimeZone = 'UTC';
ALTER ROLE :"role" SET default_transaction_isolation = 'read committed';
ALTER ROLE :"role" SET enable_seqscan = 'off';
ALTER ROLE :"role" SET jit = 'off';
ALTER ROLE :"role" SET citus.enable_unsafe_triggers = 'on';
SET LOCAL search_path = :"schema";
SET LOCAL citus.enable_unsafe_triggers = 'on';
SELECT citus_schema_distribute(:'schema')
  WHERE NOT EXISTS (SELECT FROM pg_dist_schema WHERE schemaid = current_schema()::regnamespace);
ALTER FUNCTION commit_together SET plan_cache_mode = auto;
SELECT create_distributed_function(oid::regprocedure, colocate_with => format('%I.settings', current_schema()))
  FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname = 'commit_together';
COMMIT;
-- The rows that were copied to the node. The triggers would refuse to remove them.
SET search_path = :"schema";
SET session_replication_role = 'replica';
SELECT count(truncate_local_data_after_distributing_table(oid)) AS tables FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition;
