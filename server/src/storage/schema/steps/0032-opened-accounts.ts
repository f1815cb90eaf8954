/** Finds the accounts that were made or opened since a time. A customer's accounts open when its check ends. */
export const openedAccounts = `
CREATE INDEX internal_accounts_updated ON internal_accounts (platform_id, updated_at, id) WHERE type <> 'EMBEDDED_WALLET';
`
