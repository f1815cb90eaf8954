/** Files that were uploaded, and the documents of customers and beneficial owners that they belong to. */
export const documentTables = `
-- The bytes are in the file store, sealed with a key of their own, which is gone once the file is removed.
CREATE TABLE stored_files (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  state text NOT NULL CHECK (state IN ('STAGED', 'KEPT', 'REMOVED')),
  bytes bigint NOT NULL CHECK (bytes >= 0),
  sha256 bytea NOT NULL,
  sealed_key bytea,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT stored_files_key CHECK ((state = 'REMOVED') = (sealed_key IS NULL))
);
`
