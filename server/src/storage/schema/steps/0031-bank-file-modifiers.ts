/** The file id modifier of ACH, which tells the files of one day apart at the bank. */
export const bankFileModifiers = `
ALTER TABLE bank_files ADD COLUMN modifier text;
CREATE UNIQUE INDEX bank_files_modifier
  ON bank_files (platform_id, (format->>'destination'), (format->>'origin'), left(made_on, 10), modifier)
  WHERE modifier IS NOT NULL;
`
