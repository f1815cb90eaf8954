/** Settings of the whole database, the keys of the enclave, and platforms. */
export const platformTables = `
-- The mode of the database and shared server settings, by name.
CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);

-- One data key per rotation of the master key, sealed with the master key. A sealed value starts with the generation of its data key.
CREATE TABLE data_keys (
  generation integer PRIMARY KEY CHECK (generation > 0),
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL,
  -- When all data had been resealed with this data key.
  resealed_at timestamptz
);

-- Enclave keys by name, sealed with a data key.
CREATE TABLE enclave_secrets (
  name text PRIMARY KEY,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE platforms (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  config jsonb NOT NULL,
  -- Sandbox: how far the platform's clock is ahead of the machine's clock.
  clock_offset_ms bigint NOT NULL,
  version integer NOT NULL,
  -- Sandbox: when the platform was reset, and the platform that took over its tokens. Jobs of a closed platform do not run.
  closed_at timestamptz,
  successor_id uuid REFERENCES platforms,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT platforms_closed CHECK ((closed_at IS NULL) = (successor_id IS NULL))
);
CREATE INDEX platforms_open ON platforms (id) WHERE closed_at IS NULL;
`
