/** Files that were uploaded, and the documents of customers and beneficial owners that they belong to. */
export const documentTables = `
-- The bytes are in the file store, sealed with a key of their own, which is gone once the file is removed.
CREATE TABLE stored_files (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  state text NOT NULL CHECK (state IN ('STAGED', 'KEPT', 'REMOVED')),
  bytes bigint NOT NULL CHECK (bytes >= 0),
  sha256 bytea NOT NULL,
  sealed_key bytea,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT stored_files_key CHECK ((state = 'REMOVED') = (sealed_key IS NULL))
);
CREATE INDEX stored_files_present ON stored_files (platform_id, id) WHERE sealed_key IS NOT NULL;

CREATE TABLE documents (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- A customer or a beneficial owner, and the customer that it belongs to.
  holder_id uuid NOT NULL,
  customer_id uuid NOT NULL REFERENCES customers,
  document_type text NOT NULL,
  side text CHECK (side IN ('FRONT', 'BACK')),
  country text NOT NULL,
  sealed_number bytea,
  shown_number text,
  issuing_authority text,
  -- A calendar date.
  issued_on text,
  file_id uuid NOT NULL UNIQUE REFERENCES stored_files,
  file_name text NOT NULL,
  content_type text NOT NULL CHECK (content_type IN ('application/pdf', 'image/jpeg', 'image/png')),
  bytes bigint NOT NULL CHECK (bytes > 0),
  sha256 bytea NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- From then on it is neither replaced nor deleted by the platform.
  submitted_at timestamptz,
  deleted_at timestamptz,
  version integer NOT NULL
);
CREATE INDEX documents_list ON documents (platform_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_holder ON documents (platform_id, holder_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_customer ON documents (customer_id, id) WHERE deleted_at IS NULL;

-- Every link to the file of a document and every reading by one. Rows are kept for good.
CREATE TABLE document_reads (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  kind text NOT NULL CHECK (kind IN ('LINK', 'READ')),
  document_id uuid NOT NULL REFERENCES documents,
  file_id uuid NOT NULL REFERENCES stored_files,
  asked_by text NOT NULL,
  link_id uuid REFERENCES document_reads,
  address text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  CONSTRAINT document_reads_kind CHECK ((kind = 'LINK') = (expires_at IS NOT NULL) AND (kind = 'READ') = (link_id IS NOT NULL))
);
CREATE INDEX document_reads_asked_by ON document_reads (asked_by, id) WHERE kind = 'LINK';
CREATE INDEX document_reads_document ON document_reads (document_id, created_at, id);
`
