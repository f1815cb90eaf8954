/**
 * Queues the transfers ended by a statement for the hash chain (`proofs/chain.ts`). Jobs create the blocks,
 * so that payments do not wait for them. Uses two statements, because Citus cannot plan one that combines a
 * table with a transition table.
 */
export const queueEndedTransfers = `
CREATE OR REPLACE FUNCTION queue_ended_transfers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ended record;
BEGIN
  FOR ended IN
    SELECT platform_id, array_agg(id ORDER BY id) AS ids FROM changed WHERE state <> 'pending' GROUP BY platform_id
  LOOP
    INSERT INTO proof_queue (platform_id, transfer_ids) VALUES (ended.platform_id, ended.ids);
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER ledger_transfers_made AFTER INSERT ON ledger_transfers REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION queue_ended_transfers();

CREATE TRIGGER ledger_transfers_ended AFTER UPDATE ON ledger_transfers REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION queue_ended_transfers();
`
