/** EVM rails: our addresses, requested payments, transactions with their nonces, and observed transfers. */
export const chainTables = `
-- The chain of a rail: its permanent identity, how far its logs were followed, and which process works on it. The id is
-- derived from the rail.
CREATE TABLE chains (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL UNIQUE,
  -- The EIP-155 chain id.
  chain_number bigint NOT NULL,
  genesis text NOT NULL,
  -- Facts read from each token's contract: decimals, and the domain of its signatures.
  tokens jsonb NOT NULL,
  -- The last block whose logs are booked, and the highest block whose logs were ever booked.
  followed_block bigint NOT NULL CHECK (followed_block >= 0),
  followed_hash text NOT NULL,
  followed_time timestamptz NOT NULL,
  highest_block bigint NOT NULL CHECK (highest_block >= followed_block),
  -- The latest time of any followed block. Earlier days are closed.
  latest_time timestamptz NOT NULL,
  -- Incremented when following a cold storage address starts or restarts. Data read before that is not booked afterwards.
  cold_version integer NOT NULL,
  -- The record of the treasury address. A rotation changes it.
  treasury_id uuid NOT NULL,
  swept_at timestamptz NOT NULL,
  claimed_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

-- An address whose key is derived from a seed in the enclave: from the chain's own seed by the path, or from a wallet's
-- seed; or a cold storage address, whose key the operator keeps elsewhere. The id is derived from the rail and the purpose. Addresses are in lower case.
CREATE TABLE chain_addresses (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  role text NOT NULL CHECK (role IN ('TREASURY', 'GAS', 'DEPOSIT', 'WALLET', 'COLD')),
  -- Empty for cold storage.
  path text NOT NULL,
  -- For deposit addresses an internal account or a quote, for wallets their account, for cold storage its registration.
  owner_id uuid,
  -- The block after which a cold storage address is followed, starting with its balance at that block. Null until then, and for other roles.
  opened_block bigint,
  created_at timestamptz NOT NULL,
  CONSTRAINT chain_addresses_owned CHECK ((role IN ('DEPOSIT', 'WALLET', 'COLD')) = (owner_id IS NOT NULL))
);
CREATE UNIQUE INDEX chain_addresses_address ON chain_addresses (rail, address);
CREATE INDEX chain_addresses_page ON chain_addresses (rail, created_at, id);
CREATE INDEX chain_addresses_cold ON chain_addresses (rail, address) WHERE role = 'COLD';

-- A requested token transfer: a payment (with the id of its record in rail_payments), a sweep, or a treasury movement
-- (MOVE).
CREATE TABLE chain_payments (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('OUT', 'PULL', 'SWEEP', 'MOVE')),
  -- The payment's id at the rail, the sweep's own id, or the id of the movement's record.
  payment_id uuid NOT NULL,
  token text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  sender_id uuid NOT NULL REFERENCES chain_addresses,
  sender text NOT NULL,
  recipient text NOT NULL,
  -- EIP-3009: the nonce of the authorization, which is derived from the payment, and the last signed authorization. A
  -- wallet's transfer was signed when its customer stamped it, with a second one for the fee. Null for plain transfers.
  nonce text,
  valid_before bigint,
  signature text,
  fee_amount bigint CHECK (fee_amount > 0),
  fee_recipient text,
  fee_nonce text,
  fee_signature text,
  state text NOT NULL CHECK (state IN ('WAITING', 'SENT', 'PAID', 'FAILED')),
  -- The first block that could contain its transaction.
  from_block bigint NOT NULL CHECK (from_block >= 0),
  -- The transaction that carries it, or carried it last. While attempts is 0, nothing signed has left this server.
  transaction_id uuid,
  attempts integer NOT NULL CHECK (attempts >= 0),
  -- When to check it again, and why it waits.
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

-- A transaction from one of our addresses. Its nonce permanently belongs to this content: a replacement pays more for gas and
-- is otherwise identical.
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
  -- The transfer that it carries. Null if it moves coin between treasury addresses.
  payment_id uuid REFERENCES chain_payments,
  state text NOT NULL CHECK (state IN ('OPEN', 'MINED', 'DONE')),
  -- All signed versions, oldest first: hash, raw bytes, coin and fees in wei as strings, and creation time.
  attempts jsonb NOT NULL,
  -- The hash of the version that is in a block.
  transaction_hash text,
  block_number bigint,
  block_hash text,
  succeeded boolean,
  -- In wei.
  cost numeric(40) CHECK (cost >= 0),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT chain_transactions_mined CHECK ((state = 'OPEN') = (block_number IS NULL))
);
CREATE UNIQUE INDEX chain_transactions_nonce ON chain_transactions (rail, sender, nonce);
CREATE INDEX chain_transactions_hash ON chain_transactions (rail, transaction_hash) WHERE transaction_hash IS NOT NULL;
CREATE INDEX chain_transactions_open ON chain_transactions (rail, sender, nonce) WHERE state <> 'DONE';

-- A transfer of a configured token from or to one of our addresses, in a confirmed block. The id is derived from rail,
-- transaction and log. A transfer without a payment from a wallet to another of our addresses has two rows: SPENT and DEPOSIT.
-- So do payments and spending that arrive in cold storage, and transfers from cold storage to a wallet.
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
  -- DEPOSIT: from outside. PAYMENT: to outside, for a payment. OWN: between our addresses. SPENT: to outside without one of our
  -- payments, made by the holder of a wallet's key. TO_COLD, FROM_COLD: between the treasury and cold storage. COLD_IN,
  -- COLD_OUT: between cold storage and outside.
  kind text NOT NULL CHECK (kind IN ('DEPOSIT', 'PAYMENT', 'OWN', 'SPENT', 'TO_COLD', 'FROM_COLD', 'COLD_IN', 'COLD_OUT')),
  -- The deposit or payment, or for FROM_COLD the treasury movement.
  item_id uuid,
  -- UNSURE: its block has left the chain, and it may reappear in another one. GONE: it has not reappeared.
  state text NOT NULL CHECK (state IN ('BOOKED', 'UNSURE', 'GONE')),
  -- The days of the statements that contain and reverse it. They are never before the latest followed time, so
  -- closed days do not change.
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

-- Recently followed blocks, for finding where a deep reorganization started. Rows are reused: the id
-- is derived from the block number modulo the number of kept rows.
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
