/**
 * Protects rows that record who decided or changed something: only personal data may be removed, and only
 * while the customer's data is erased. The first argument is the table, because a shard has a different name.
 * The others are the columns that may become null or a fixed word.
 */
export const onlyErased = `
CREATE OR REPLACE FUNCTION only_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was jsonb := to_jsonb(OLD);
  becomes jsonb := to_jsonb(NEW);
  personal text[] := TG_ARGV[1:];
  customer uuid;
BEGIN
  IF TG_ARGV[0] = 'verification_decisions' THEN
    customer := (SELECT customer_id FROM verifications WHERE id = OLD.verification_id);
  ELSIF TG_ARGV[0] = 'payment_decisions' THEN
    customer := (SELECT customer_id FROM transactions WHERE id = OLD.transaction_id);
  ELSE
    customer := coalesce(OLD.customer_id, (
      SELECT customer_id FROM documents WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM internal_accounts WHERE id = OLD.object_id
      UNION ALL SELECT a.customer_id FROM credentials AS c JOIN internal_accounts AS a ON a.id = c.account_id WHERE c.id = OLD.object_id
      UNION ALL SELECT a.customer_id FROM sessions AS s JOIN internal_accounts AS a ON a.id = s.account_id WHERE s.id = OLD.object_id
      UNION ALL SELECT a.customer_id FROM delegated_keys AS k JOIN internal_accounts AS a ON a.id = k.account_id WHERE k.id = OLD.object_id
      UNION ALL SELECT cardholder_id FROM cards WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM agents WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM verifications WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM beneficial_owners WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM external_accounts WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM account_changes WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM mandates WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM invitations WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM agent_actions WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM quotes WHERE id = OLD.object_id
      UNION ALL SELECT customer_id FROM transactions WHERE id = OLD.object_id
      LIMIT 1));
  END IF;
  IF (was - personal) = (becomes - personal)
    AND NOT EXISTS (SELECT FROM unnest(personal) AS c WHERE becomes->c <> was->c
      AND becomes->c NOT IN ('null', '"erased"', '[]', '{"isErased": true}'))
    AND EXISTS (SELECT FROM erasures WHERE id = customer AND platform_id = OLD.platform_id AND state = 'ERASING')
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'rows of % are neither changed nor removed', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER verification_decisions_only_erased BEFORE UPDATE ON verification_decisions
  FOR EACH ROW EXECUTE FUNCTION only_erased('verification_decisions', 'reason', 'errors');

CREATE TRIGGER payment_decisions_only_erased BEFORE UPDATE ON payment_decisions
  FOR EACH ROW EXECUTE FUNCTION only_erased('payment_decisions', 'reason', 'note');

CREATE TRIGGER audit_events_only_erased BEFORE UPDATE ON audit_events
  FOR EACH ROW EXECUTE FUNCTION only_erased('audit_events', 'actor_name', 'address', 'user_agent', 'before', 'after');
`
