/** What is counted so that nobody guesses codes for ever, floods a person with messages, or asks for challenges without end. */
export const signInLimits = `
-- Wrong codes in a row, by wallet: of its e-mail credential and its SMS credential together. It is counted before the code is
-- looked at; a sign-in by code, a signed operation of a locked wallet and the operator set it back to 0.
CREATE TABLE code_failures (
  id text PRIMARY KEY REFERENCES internal_accounts,
  platform_id text NOT NULL REFERENCES platforms,
  failures integer NOT NULL CHECK (failures >= 0),
  locked_at timestamptz
);

-- Messages with codes in the present hour and day: of a platform to one recipient, and of a platform (recipient '').
CREATE TABLE message_counts (
  platform_id text NOT NULL REFERENCES platforms,
  recipient text NOT NULL,
  hour timestamptz NOT NULL,
  in_hour integer NOT NULL,
  day timestamptz NOT NULL,
  in_day integer NOT NULL,
  PRIMARY KEY (platform_id, recipient)
);

-- The challenges of a credential that nobody has answered.
CREATE INDEX signing_requests_sign_in ON signing_requests (target, created_at DESC)
  WHERE operation = 'credential_verify' AND consumed_at IS NULL;
`
