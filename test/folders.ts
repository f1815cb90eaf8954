/**
 * The folders of each room from the ground up. A folder imports from itself and from folders that come before it, types
 * included, so no two folders can import each other. A new folder gets its place here. `.` is the room's own files.
 */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'contract/src': [
    'core',
    'accounts',
    'customers',
    'auth',
    'payments',
    'cards',
    'agents',
    'platforms',
    'signing',
    'events',
    'sandbox',
    '.',
    'document',
  ],
  'server/src': [
    // Pure functions: no database, no time of their own.
    'json',
    'formats',
    'outgoing',
    'bank-files/formats',
    'crypto',
    'crypto/otp',
    'crypto/webauthn',
    'crypto/oidc',
    'pricing',
    'settings',
    // The database.
    'db/engine',
    'db/functions',
    'db/schema/baseline',
    'db/schema',
    'db/read',
    'db/commit',
    // What an operation is, and what the outside is to it.
    'ports',
    'op',
    'enclave',
    // What every noun builds on.
    'kept-answers',
    'ledger',
    'jobs',
    'events',
    'signing',
    'stored-files',
    'magic-values',
    // The nouns.
    'accounts',
    'platforms',
    'tokens',
    'transactions',
    'credentials',
    'sessions',
    'customers',
    'beneficial-owners',
    'customer-imports',
    'documents',
    'verifications',
    'external-accounts',
    'stablecoin-accounts',
    'exchange-rates',
    'fees',
    'uma',
    'invitations',
    'receivers',
    'webhooks',
    'receipts',
    'agents',
    'quotes',
    'transfers',
    'withdrawals',
    'agent-actions',
    'approvals',
    'cards',
    'customer-deletion',
    'delivery',
    'sign-in',
    'contact-verification',
    'kyc-links',
    'kyc-page',
    'signed-retry',
    // What implements the ports.
    'file-stores',
    'bank-files/stores',
    'bank-files',
    'rates',
    'verifiers',
    'stablecoin-providers',
    'sandbox',
    'observability',
    // HTTP, and the process.
    'http',
    'service',
    'admin',
    '.',
  ],
  'cli/src': ['terminal', 'admin', 'agents', 'cards', 'customers', 'demo', 'mcp', '.'],
}

/** Where a file is: its room's `src` and its folder below that, or undefined outside of a room with an order. */
export function folderOf(path: string): { readonly room: string; readonly folder: string } | undefined {
  const [, room, below] = /^(\w+\/src)\/(.+)$/.exec(path) ?? []
  if (room === undefined || below === undefined || !(room in FOLDERS)) return undefined
  return { room, folder: below.includes('/') ? below.slice(0, below.lastIndexOf('/')) : '.' }
}
