/**
 * Customer verification: beneficial owners, decisions, documents, the hosted page, contacts, and customer
 * imports.
 */
export const verificationTables = `
CREATE TABLE beneficial_owners (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  roles jsonb NOT NULL,
  ownership_percentage integer NOT NULL CHECK (ownership_percentage BETWEEN 0 AND 100),
  -- Without the identifier, which is sealed with a data key. Its last characters are stored for display.
  personal_info jsonb NOT NULL,
  sealed_identifier bytea NOT NULL,
  shown_identifier text NOT NULL,
  kyc_status text NOT NULL CHECK (kyc_status IN ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED')),
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX beneficial_owners_page ON beneficial_owners (customer_id, created_at DESC, id DESC);

CREATE TABLE verifications (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  status text NOT NULL CHECK (status IN
    ('RESOLVE_ERRORS', 'READY_FOR_VERIFICATION', 'IN_PROGRESS', 'PENDING_MANUAL_REVIEW', 'APPROVED', 'REJECTED')),
  -- Everything that must be resolved, and the part requested by a reviewer or provider.
  errors jsonb NOT NULL,
  requested jsonb NOT NULL,
  requested_at timestamptz,
  -- The number of submissions, and a digest of the case as last submitted.
  submission integer NOT NULL,
  case_digest text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- A customer has at most one undecided verification.
CREATE UNIQUE INDEX verifications_one_open ON verifications (customer_id) WHERE status NOT IN ('APPROVED', 'REJECTED');
CREATE INDEX verifications_page ON verifications (platform_id, created_at DESC, id DESC);
CREATE INDEX verifications_customer ON verifications (customer_id, created_at DESC, id DESC);
CREATE INDEX verifications_status ON verifications (platform_id, status, created_at DESC, id DESC);

CREATE TABLE verification_decisions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  verification_id uuid NOT NULL REFERENCES verifications,
  submission integer NOT NULL,
  decision text NOT NULL CHECK (decision IN ('APPROVE', 'REJECT', 'REQUEST_INFORMATION', 'REFER', 'REOPEN')),
  reason text,
  errors jsonb NOT NULL,
  decider text NOT NULL CHECK (decider IN ('TOKEN', 'MEMBER', 'OPERATOR', 'PROVIDER', 'SANDBOX')),
  -- The token, the team member, or the provider's event.
  decider_id text,
  created_at timestamptz NOT NULL
);
CREATE INDEX verification_decisions_page ON verification_decisions (verification_id, created_at DESC, id DESC);
-- A provider event decides once.
CREATE UNIQUE INDEX verification_decisions_event ON verification_decisions (verification_id, decider_id)
  WHERE decider = 'PROVIDER';

-- The bytes are in the file store, sealed with a separate key, which is deleted when the file is removed.
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
  -- A customer or beneficial owner, and the customer that it belongs to.
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
  -- From then on the platform can neither replace nor delete it.
  submitted_at timestamptz,
  deleted_at timestamptz,
  version integer NOT NULL
);
CREATE INDEX documents_list ON documents (platform_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_holder ON documents (platform_id, holder_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_customer ON documents (customer_id, id) WHERE deleted_at IS NULL;
CREATE INDEX documents_of_customer ON documents (customer_id);

-- Links to document files, and downloads through them. Rows are kept permanently.
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

-- The URL of a link is derived from its row by a keyed digest, so it is not stored.
CREATE TABLE kyc_links (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  -- The URL to which the page redirects the visitor.
  redirect_uri text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- When the link was opened, the SHA-256 in hex of the secret in the visitor's cookie, and the time of the visitor's last request.
  opened_at timestamptz,
  session_hash text,
  seen_at timestamptz,
  -- The number of files uploaded on the page.
  uploads integer NOT NULL CHECK (uploads >= 0),
  CONSTRAINT kyc_links_opened CHECK (num_nonnulls(opened_at, session_hash, seen_at) IN (0, 3))
);
CREATE INDEX kyc_links_customer ON kyc_links (customer_id);

-- Codes sent to contacts of customers.
CREATE TABLE contact_codes (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  channel text NOT NULL CHECK (channel IN ('EMAIL', 'SMS')),
  -- The email address or phone number that it was sent to and verifies.
  contact text NOT NULL,
  -- A keyed digest of the code. The code itself is not stored.
  code_mac bytea NOT NULL,
  tries integer NOT NULL CHECK (tries >= 0),
  expires_at timestamptz NOT NULL,
  -- When it was used, or replaced by a later one.
  ended_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX contact_codes_one_live ON contact_codes (customer_id, channel) WHERE ended_at IS NULL;
CREATE INDEX contact_codes_recent ON contact_codes (customer_id, channel, created_at DESC);

CREATE TABLE customer_imports (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  state text NOT NULL CHECK (state IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  file_id uuid NOT NULL REFERENCES stored_files,
  -- The columns in order, once the file was scanned.
  columns jsonb,
  -- The byte offset of the next row. It is committed together with the customers of earlier rows.
  next_byte bigint NOT NULL CHECK (next_byte >= 0),
  total integer NOT NULL CHECK (total >= 0),
  successful integer NOT NULL CHECK (successful >= 0),
  failed integer NOT NULL CHECK (failed >= 0),
  completed_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT customer_imports_completed_at CHECK ((state IN ('PENDING', 'PROCESSING')) = (completed_at IS NULL))
);

-- The first thousand rejected rows. Their content is not stored.
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
`
