/** Keeps who has decided what about a customer: a decision is neither changed nor removed. */
export const verificationDecisionsAppendOnly = `
CREATE OR REPLACE FUNCTION verification_decisions_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'verification decisions are append-only' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER verification_decisions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON verification_decisions
  FOR EACH STATEMENT EXECUTE FUNCTION verification_decisions_append_only();
`
