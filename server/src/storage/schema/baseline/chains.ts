/** EVM rails: our addresses, requested payments, transactions with their nonces, and observed transfers. */
export const chainTables = `
-- The chain of a rail: which one it is for ever, how far its logs were followed, and which process works there. The id follows
-- from the rail.
CREATE TABLE chains (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL UNIQUE,
  -- As EIP-155 has it.
  chain_number bigint NOT NULL,
  genesis text NOT NULL,
  -- What was read of each token: decimals, and the domain of its signatures.
  tokens jsonb NOT NULL,
  -- The last block whose logs were booked, and the highest one that ever was.
  followed_block bigint NOT NULL CHECK (followed_block >= 0),
  followed_hash text NOT NULL,
  followed_time timestamptz NOT NULL,
  highest_block bigint NOT NULL CHECK (highest_block >= followed_block),
  -- The latest time of a block that ever was followed: days before it are closed.
  latest_time timestamptz NOT NULL,
  -- How often an address of cold storage began to be followed, or was begun again. What is read before that is not booked after it.
  cold_version integer NOT NULL,
  -- The address of the treasury. A rotation gives it another one.
  treasury_id uuid NOT NULL,
  swept_at timestamptz NOT NULL,
  claimed_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

-- An address whose key derives from a seed in the enclave: the chain's own seed by the path, or a wallet's
-- seed; or cold storage, whose key the operator keeps elsewhere. The id follows from the rail and what the address is for. Addresses are in lower case.
CREATE TABLE chain_addresses (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  role text NOT NULL CHECK (role IN ('TREASURY', 'GAS', 'DEPOSIT', 'WALLET', 'COLD')),
  -- Empty for cold storage.
  path text NOT NULL,
  -- Of a deposit address: an internal account, or a quote that is paid in. Of a wallet: its account. Of cold storage: its registration.
  owner_id uuid,
  -- The block whose balance of cold storage was taken over: it is followed after it. Null: not yet, or of another role.
  opened_block bigint,
  created_at timestamptz NOT NULL,
  CONSTRAINT chain_addresses_owned CHECK ((role IN ('DEPOSIT', 'WALLET', 'COLD')) = (owner_id IS NOT NULL))
);
CREATE UNIQUE INDEX chain_addresses_address ON chain_addresses (rail, address);
CREATE INDEX chain_addresses_page ON chain_addresses (rail, created_at, id);
CREATE INDEX chain_addresses_cold ON chain_addresses (rail, address) WHERE role = 'COLD';

-- A token transfer that is to be made: a payment (with the id of its record in rail_payments), a sweep, or a movement of the
-- treasury (MOVE).
CREATE TABLE chain_payments (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('OUT', 'PULL', 'SWEEP', 'MOVE')),
  -- Its name at the rail; of a sweep its own id, of a movement the id of its record.
  payment_id uuid NOT NULL,
  token text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  sender_id uuid NOT NULL REFERENCES chain_addresses,
  sender text NOT NULL,
  recipient text NOT NULL,
  -- EIP-3009: the nonce of the authorization, which follows from the payment, and the last authorization that was signed. A
  -- wallet's was signed when its customer stamped it, with a second one for the fee. Null: a plain transfer.
  nonce text,
  valid_before bigint,
  signature text,
  fee_amount bigint CHECK (fee_amount > 0),
  fee_recipient text,
  fee_nonce text,
  fee_signature text,
  state text NOT NULL CHECK (state IN ('WAITING', 'SENT', 'PAID', 'FAILED')),
  -- What it does on the chain is in no block before this one.
  from_block bigint NOT NULL CHECK (from_block >= 0),
  -- The transaction that carries it now, or carried it last. Nothing that is signed has left this server while attempts is 0.
  transaction_id uuid,
  attempts integer NOT NULL CHECK (attempts >= 0),
  -- Not looked at before this time, and why it waits.
  due_at timestamptz NOT NULL,
  note text,
  transaction_hash text,
  block_number bigint,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT chain_payments_fee CHECK ((fee_amount IS NULL) = (fee_nonce IS NULL) AND (fee_amount IS NULL) = (fee_recipient IS NULL)),
  CONSTRAINT chain_payments_paid CHECK ((state = 'PAID') = (block_number IS NOT NULL))
);
CREATE INDEX chain_payments_waiting ON chain_payments (rail, due_at, id) WHERE state = 'WAITING';
CREATE INDEX chain_payments_sent ON chain_payments (rail, id) WHERE state = 'SENT';
CREATE INDEX chain_payments_unswept ON chain_payments (rail, updated_at) WHERE kind = 'SWEEP' AND state = 'FAILED';
CREATE UNIQUE INDEX chain_payments_nonce ON chain_payments (rail, sender, nonce) WHERE nonce IS NOT NULL;
CREATE UNIQUE INDEX chain_payments_fee_nonce ON chain_payments (rail, sender, fee_nonce) WHERE fee_nonce IS NOT NULL;

-- A transaction of one of our senders. Its nonce belongs to this content for ever: what replaces it pays more for the gas and
-- says the same.
CREATE TABLE chain_transactions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  sender_id uuid NOT NULL REFERENCES chain_addresses,
  sender text NOT NULL,
  nonce bigint NOT NULL CHECK (nonce >= 0),
  recipient text NOT NULL,
  data text NOT NULL,
  gas_limit bigint NOT NULL CHECK (gas_limit > 0),
  -- What it carries; null for one that moves coin between addresses of the treasury.
  payment_id uuid REFERENCES chain_payments,
  state text NOT NULL CHECK (state IN ('OPEN', 'MINED', 'DONE')),
  -- Every signed form, oldest first: hash, raw, coin and fees in wei as text, and when it was made.
  attempts jsonb NOT NULL,
  -- Of the form that is in a block.
  transaction_hash text,
  block_number bigint,
  block_hash text,
  succeeded boolean,
  -- Wei.
  cost numeric(40) CHECK (cost >= 0),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT chain_transactions_mined CHECK ((state = 'OPEN') = (block_number IS NULL))
);
CREATE UNIQUE INDEX chain_transactions_nonce ON chain_transactions (rail, sender, nonce);
CREATE INDEX chain_transactions_hash ON chain_transactions (rail, transaction_hash) WHERE transaction_hash IS NOT NULL;
CREATE INDEX chain_transactions_open ON chain_transactions (rail, sender, nonce) WHERE state <> 'DONE';

-- A transfer of a token of ours from or to an address of ours, in a block that was confirmed. The id follows from rail,
-- transaction and log. One from a wallet to another address of ours, for no payment, is there twice: SPENT and DEPOSIT. So is a
-- payment or a spending that arrives in cold storage, and one from there to a wallet.
CREATE TABLE chain_movements (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  currency text NOT NULL,
  token text NOT NULL,
  transaction_hash text NOT NULL,
  log_index integer NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  happened_at timestamptz NOT NULL,
  sender text NOT NULL,
  recipient text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  -- DEPOSIT: from outside. PAYMENT: to outside, for a payment. OWN: between addresses of ours. SPENT: to outside, for no payment
  -- of ours: the holder of a wallet's key has paid by himself. TO_COLD, FROM_COLD: between the treasury and cold storage. COLD_IN,
  -- COLD_OUT: between cold storage and outside.
  kind text NOT NULL CHECK (kind IN ('DEPOSIT', 'PAYMENT', 'OWN', 'SPENT', 'TO_COLD', 'FROM_COLD', 'COLD_IN', 'COLD_OUT')),
  -- The deposit or payment; of FROM_COLD the movement of the treasury.
  item_id uuid,
  -- UNSURE: its block is gone, and whether it comes again is not known. GONE: it did not.
  state text NOT NULL CHECK (state IN ('BOOKED', 'UNSURE', 'GONE')),
  -- The day of the statement that has it, and of the one that takes it back: never before the latest time that was followed, so
  -- that a day that is closed stays as it is.
  booked_at timestamptz NOT NULL,
  gone_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT chain_movements_gone CHECK ((state = 'GONE') = (gone_at IS NOT NULL))
);
CREATE INDEX chain_movements_block ON chain_movements (rail, block_number);
CREATE INDEX chain_movements_transaction ON chain_movements (rail, transaction_hash);
CREATE INDEX chain_movements_day ON chain_movements (rail, currency, booked_at);
CREATE INDEX chain_movements_gone_day ON chain_movements (rail, currency, gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX chain_movements_recipient ON chain_movements (rail, recipient);
CREATE INDEX chain_movements_sender ON chain_movements (rail, sender);
CREATE INDEX chain_movements_created ON chain_movements (rail, created_at);
CREATE INDEX chain_movements_unsure ON chain_movements (rail, id) WHERE state = 'UNSURE';

-- Blocks that were followed up to, so that the place where a deep reorganisation began is found. A row is used again: the id
-- follows from the number modulo how many are kept.
CREATE TABLE chain_blocks (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX chain_blocks_number ON chain_blocks (rail, number);
`
