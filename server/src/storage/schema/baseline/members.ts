/** The team members of a platform, who sign in to the console (decision 0054), and its API tokens. */
export const memberTables = `
-- Roles that platforms define: named sets of permissions.
CREATE TABLE member_roles (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  name text NOT NULL,
  permissions text[] NOT NULL,
  -- Incremented when the role or its set of members changes.
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX member_roles_one_name ON member_roles (platform_id, lower(name)) WHERE deleted_at IS NULL;
CREATE INDEX member_roles_page ON member_roles (platform_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE members (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  name text NOT NULL,
  email text NOT NULL,
  permissions text[] NOT NULL,
  -- The role that grants the permissions. Null if they were granted individually.
  role_id uuid REFERENCES member_roles,
  state text NOT NULL CHECK (state IN ('INVITED', 'ACTIVE', 'REMOVED')),
  -- The only invitation that can be accepted, if any.
  invitation_id uuid,
  -- The last code sent. Null once it is used.
  code_id uuid,
  last_sign_in_at timestamptz,
  -- The channel for the member's digests. Null if they are disabled.
  notify_by text CHECK (notify_by IN ('EMAIL', 'WEBHOOK')),
  notify_about text[] NOT NULL,
  notify_minutes integer NOT NULL,
  -- The job of the next digest, and the records that were waiting at the last one.
  digest_job_id uuid,
  digest_records uuid[] NOT NULL,
  -- Incremented when the member's permissions change.
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT members_digest CHECK ((notify_by IS NULL) = (digest_job_id IS NULL))
);
CREATE UNIQUE INDEX members_one_email ON members (platform_id, lower(email)) WHERE state <> 'REMOVED';
CREATE INDEX members_by_email ON members (lower(email)) WHERE state <> 'REMOVED';
CREATE INDEX members_of_role ON members (role_id) WHERE state <> 'REMOVED' AND role_id IS NOT NULL;
CREATE INDEX members_newest ON members (platform_id, created_at DESC, id DESC);

-- Links that sign in a team member once: invitations and sandbox links.
CREATE TABLE member_links (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  member_id uuid NOT NULL REFERENCES members,
  purpose text NOT NULL CHECK (purpose IN ('INVITATION', 'SIGN_IN')),
  -- SHA-256 of the secret in the link, in hex.
  secret_hash text NOT NULL UNIQUE,
  -- The token or team member that created the link. It is valid while its creator has the permissions that it grants.
  maker text NOT NULL CHECK (maker IN ('OPERATOR', 'TOKEN', 'MEMBER')),
  maker_id uuid,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  created_at timestamptz NOT NULL,
  CONSTRAINT member_links_maker CHECK ((maker = 'OPERATOR') = (maker_id IS NULL))
);

CREATE TABLE member_codes (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  member_id uuid NOT NULL REFERENCES members,
  -- A keyed digest of the code. The code itself is not stored.
  code_mac bytea NOT NULL,
  tries integer NOT NULL CHECK (tries >= 0),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX member_codes_recent ON member_codes (member_id, created_at DESC);

CREATE TABLE member_passkeys (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  member_id uuid NOT NULL REFERENCES members,
  name text NOT NULL,
  -- base64url of the authenticator's id.
  webauthn_id text NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL CHECK (sign_count >= 0),
  -- When the latest challenge that it signed was created. Earlier ones are no longer accepted.
  challenged_at timestamptz,
  last_used_at timestamptz,
  removed_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX member_passkeys_once ON member_passkeys (webauthn_id) WHERE removed_at IS NULL;
CREATE INDEX member_passkeys_of_member ON member_passkeys (member_id) WHERE removed_at IS NULL;

-- Browsers in which a team member is signed in, in real time.
CREATE TABLE member_sessions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  member_id uuid NOT NULL REFERENCES members,
  method text NOT NULL CHECK (method IN ('PASSKEY', 'CODE', 'LINK')),
  -- The session ends with the passkey that started it.
  passkey_id uuid REFERENCES member_passkeys,
  -- SHA-256 of the cookie, in hex.
  secret_hash text NOT NULL UNIQUE,
  address text NOT NULL,
  user_agent text,
  last_seen_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX member_sessions_newest ON member_sessions (platform_id, created_at DESC) WHERE ended_at IS NULL;
CREATE INDEX member_sessions_of_member ON member_sessions (member_id, created_at DESC) WHERE ended_at IS NULL;

-- Approvals of actions that several team members must approve.
CREATE TABLE approval_votes (
  platform_id uuid NOT NULL REFERENCES platforms,
  -- An agent's action, a transaction, a screening or a batch; for a deposit, the ballot.
  object_id uuid NOT NULL,
  member_id uuid NOT NULL REFERENCES members,
  -- Starts at 1. Concurrent votes cannot have the same place, so one of them sees the other.
  place integer NOT NULL CHECK (place > 0),
  at timestamptz NOT NULL,
  -- The deposit being decided. object_id is derived from it and the choice, so that votes for different choices do not add up.
  deposit_id uuid,
  choice jsonb,
  PRIMARY KEY (object_id, place),
  UNIQUE (object_id, member_id),
  CHECK ((deposit_id IS NULL) = (choice IS NULL))
);
CREATE INDEX approval_votes_of_deposit ON approval_votes (deposit_id) WHERE deposit_id IS NOT NULL;

CREATE TABLE api_tokens (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  client_id text NOT NULL UNIQUE,
  name text NOT NULL,
  permissions text[] NOT NULL,
  -- SHA-256. The secret itself is not stored.
  secret_hash bytea NOT NULL,
  -- The team member who created it, or who created the token that created it.
  maker_member_id uuid REFERENCES members,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE INDEX api_tokens_page ON api_tokens (platform_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX api_tokens_of_member ON api_tokens (maker_member_id) WHERE deleted_at IS NULL AND maker_member_id IS NOT NULL;
`
