/** Payments planned for a time or repeated by a rule, and the outcome of each. */
export const paymentScheduleTables = `
CREATE TABLE payment_schedules (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null for the platform's own schedules.
  customer_id uuid REFERENCES customers,
  state text NOT NULL CHECK (state IN ('AWAITING_APPROVAL', 'ACTIVE', 'PAUSED', 'ENDED', 'CANCELED')),
  name text,
  source_account_id uuid NOT NULL REFERENCES internal_accounts,
  destination_account_id uuid NOT NULL REFERENCES external_accounts,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  payment_rail text,
  remittance_information text,
  -- The rule with its calendar, time and limits.
  timing jsonb NOT NULL,
  notice_seconds integer NOT NULL CHECK (notice_seconds >= 0),
  if_missed text NOT NULL CHECK (if_missed IN ('PAY', 'SKIP')),
  -- The next date that is not paid, refused or skipped.
  next_date text,
  next_number integer NOT NULL CHECK (next_number >= 1),
  next_at timestamptz,
  is_announced boolean NOT NULL,
  -- Future dates to skip.
  skipped_dates jsonb NOT NULL,
  version integer NOT NULL,
  ended_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT payment_schedules_next CHECK ((next_date IS NULL) = (next_at IS NULL)),
  CONSTRAINT payment_schedules_ended CHECK ((state IN ('ENDED', 'CANCELED')) = (ended_at IS NOT NULL)),
  CONSTRAINT payment_schedules_over CHECK ((state IN ('ENDED', 'CANCELED')) = (next_date IS NULL))
);
CREATE INDEX payment_schedules_waiting ON payment_schedules (platform_id) WHERE state = 'AWAITING_APPROVAL';
CREATE INDEX payment_schedules_page ON payment_schedules (platform_id, created_at DESC, id DESC);
CREATE INDEX payment_schedules_customer ON payment_schedules (customer_id) WHERE customer_id IS NOT NULL;

CREATE TABLE payment_occurrences (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  schedule_id uuid NOT NULL REFERENCES payment_schedules DEFERRABLE INITIALLY DEFERRED,
  number integer NOT NULL CHECK (number >= 1),
  date text NOT NULL,
  pays_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('UPCOMING', 'SENT', 'FAILED', 'SKIPPED', 'MISSED')),
  code text,
  message text,
  field text,
  -- The payment's row is written by another statement of the same commit.
  transaction_id uuid REFERENCES transactions DEFERRABLE INITIALLY DEFERRED,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT payment_occurrences_sent CHECK ((state = 'SENT') = (transaction_id IS NOT NULL)),
  CONSTRAINT payment_occurrences_fault CHECK ((state = 'FAILED') = (code IS NOT NULL))
);
-- Prevents two runs or processes from paying a date twice.
CREATE UNIQUE INDEX payment_occurrences_date ON payment_occurrences (schedule_id, date);
CREATE UNIQUE INDEX payment_occurrences_number ON payment_occurrences (schedule_id, number);
-- A payment belongs to at most one date.
CREATE UNIQUE INDEX payment_occurrences_transaction ON payment_occurrences (transaction_id) WHERE transaction_id IS NOT NULL;
`
