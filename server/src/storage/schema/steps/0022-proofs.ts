/** The hash chain over the transfers of each platform that have ended. Decision 0057. */
export const proofs = `
-- Nothing ends a transfer between this count and the trigger of proof_queue, which is made in the same transaction.
LOCK TABLE ledger_transfers IN SHARE ROW EXCLUSIVE MODE;

-- One row: how many transfers had ended before there was a chain.
CREATE TABLE proof_start (transfer_count bigint NOT NULL);
INSERT INTO proof_start SELECT count(*) FROM ledger_transfers WHERE state <> 'pending';

-- Transfers that have ended and are in no block yet, those of a statement together. Written by a trigger.
CREATE TABLE proof_queue (
  platform_id uuid NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  transfer_ids uuid[] NOT NULL,
  PRIMARY KEY (platform_id, position)
);

CREATE TABLE proof_blocks (
  platform_id uuid NOT NULL,
  -- From 1, without gaps.
  number bigint NOT NULL,
  transfer_ids uuid[] NOT NULL,
  -- Eight bytes of a digest for each transfer, to name one that was changed.
  digests bytea NOT NULL,
  -- All transfers up to this block.
  transfer_count bigint NOT NULL,
  -- Of the block before and of the transfers.
  hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (platform_id, number)
);

CREATE TABLE ledger_checkpoints (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  block_number bigint NOT NULL,
  transfer_count bigint NOT NULL,
  hash bytea NOT NULL,
  payload text NOT NULL,
  signature bytea NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (platform_id, block_number)
);
CREATE INDEX ledger_checkpoints_page ON ledger_checkpoints (platform_id, created_at DESC, id DESC);
`
