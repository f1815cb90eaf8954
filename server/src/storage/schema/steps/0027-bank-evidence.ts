/** Deposits that files of banks have told of, found by what another file says of the same money. */
export const bankEvidence = `
CREATE INDEX deposits_of_banks ON deposits (rail, amount) WHERE details ? 'from';
CREATE INDEX deposits_entry_reference ON deposits (rail, (details->>'entryReference')) WHERE details ? 'from';
`
