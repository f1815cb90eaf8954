/**
 * Prevents changing or removing rows that record who decided or changed something. `only-erased.ts` lists the
 * changes that an erasure may make.
 */
export const appendOnly = `
CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are neither changed nor removed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER verification_decisions_append_only BEFORE DELETE OR TRUNCATE ON verification_decisions
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

CREATE TRIGGER payment_decisions_append_only BEFORE DELETE OR TRUNCATE ON payment_decisions
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

CREATE TRIGGER proof_blocks_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON proof_blocks
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

CREATE TRIGGER ledger_checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

CREATE TRIGGER client_money_reports_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON client_money_reports
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

CREATE TRIGGER audit_events_append_only BEFORE DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- The parts of a divided table have the triggers that are for its rows.
CREATE TRIGGER audit_events_parts_append_only BEFORE DELETE ON audit_events
  FOR EACH ROW EXECUTE FUNCTION append_only();
`
