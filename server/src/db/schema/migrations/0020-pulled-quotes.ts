/** The platform pays for itself; an account elsewhere pays, from which the money is pulled in first. */
export const pulledQuotes = `
-- Null where the platform itself pays.
ALTER TABLE quotes ALTER COLUMN customer_id DROP NOT NULL;
-- An account here, or one elsewhere.
ALTER TABLE quotes DROP CONSTRAINT IF EXISTS quotes_source_account_id_fkey;
-- How far the money of an account elsewhere is; null where none is pulled, or not yet.
ALTER TABLE quotes ADD COLUMN pull_state text
  CHECK (pull_state IN ('PENDING', 'PULLED', 'FAILED', 'RETURNED'));
`
