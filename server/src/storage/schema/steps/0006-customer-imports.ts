/** Files of customers: how far each was read, and which of its rows were refused. */
export const customerImports = `
CREATE TABLE customer_imports (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  state text NOT NULL CHECK (state IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  file_id uuid NOT NULL REFERENCES stored_files,
  -- The header, once the file was looked through.
  columns jsonb,
  -- The checkpoint: the byte of the file at which the next row begins. It moves with the customers of the rows before it.
  next_byte bigint NOT NULL CHECK (next_byte >= 0),
  total integer NOT NULL CHECK (total >= 0),
  successful integer NOT NULL CHECK (successful >= 0),
  failed integer NOT NULL CHECK (failed >= 0),
  completed_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT customer_imports_completed_at CHECK ((state IN ('PENDING', 'PROCESSING')) = (completed_at IS NULL))
);

-- The first thousand rows that were refused. What the row says is not kept.
CREATE TABLE customer_import_errors (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  import_id uuid NOT NULL REFERENCES customer_imports,
  row_number integer NOT NULL,
  correlation_id text NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  details jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX customer_import_errors_row ON customer_import_errors (import_id, row_number);

-- Imports have a lane of their own, so that neither payments nor other platforms wait behind a long file.
DROP INDEX jobs_due_main;
CREATE INDEX jobs_due_main ON jobs (platform_id, due_at, id)
  WHERE kind NOT IN ('customers.import', 'message.deliver', 'webhook.ask', 'webhook.deliver');
CREATE INDEX jobs_due_imports ON jobs (platform_id, due_at, id) WHERE kind IN ('customers.import');
`
