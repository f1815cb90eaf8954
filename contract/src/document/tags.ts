/** A section of the API reference: its introduction and its guide. */
export interface Section {
  readonly introduction: string
  /** A file in `docs/` without its extension. The server shows it at `/docs/guides/<guide>`. */
  readonly guide: string
}

/** All sections, by tag. */
export const SECTIONS: Readonly<Record<string, Section>> = {
  Configuration: {
    introduction:
      'The settings of your platform, such as its currencies, its webhook endpoint and customer sign-in. A change takes effect on the next call.',
    guide: 'api',
  },
  'API tokens': {
    introduction:
      "A backend authenticates by HTTP Basic with a token's `clientId` and `clientSecret`. Give each " +
      'backend a separate token with only the permissions that it needs.',
    guide: 'api',
  },
  Members: {
    introduction:
      'The people on your team: they are invited by a link, sign in to the console with a passkey, and ' +
      "have individual permissions. A signed-in member's calls carry a cookie instead of a token.",
    guide: 'members',
  },
  'Audit trail': {
    introduction:
      'Every change by members, tokens, agents and customers, with its time and origin. No entry can be changed or removed.',
    guide: 'audit',
  },
  'Request log': {
    introduction:
      'The requests of the last days with their responses, with secrets masked. Find one by its request id.',
    guide: 'audit',
  },
  "Customers' tokens": {
    introduction:
      "A token for one customer's browser or app. It gives access only to that customer's records, for at most one hour.",
    guide: 'customer-tokens',
  },
  Customers: {
    introduction:
      'The people and businesses for whom your platform holds and moves money. Each has accounts and an embedded wallet. You can import them from a CSV file.',
    guide: 'customers',
  },
  Verifications: {
    introduction:
      'A customer must be verified before moving money. The sandbox decides immediately, by magic ' +
      'values; in production, a provider or a reviewer on your team decides.',
    guide: 'customers',
  },
  Documents: {
    introduction:
      'Files as evidence about a customer or an owner of a business. They are stored sealed, and can be viewed through a link that is valid for 10 minutes.',
    guide: 'customers',
  },
  'Contact verification': {
    introduction:
      'If your platform requires it, customers prove with a code that an e-mail address or telephone number is theirs.',
    guide: 'customers',
  },
  'Internal accounts': {
    introduction:
      'The balances that this server keeps for customers, for their embedded wallets and for your platform itself.',
    guide: 'payments',
  },
  'External accounts': {
    introduction:
      'Accounts elsewhere: at banks, at mobile money operators and on chains. Money is paid out to them or pulled from them.',
    guide: 'account-types',
  },
  Mandates: {
    introduction: 'Consents of external account holders to SEPA and Bacs direct debits.',
    guide: 'direct-debits',
  },
  Discoveries: {
    introduction: 'The banks and operators that an external account can name.',
    guide: 'account-types',
  },
  Stablecoins: {
    introduction: "Your platform's accounts at providers that issue and redeem stablecoins.",
    guide: 'api',
  },
  'Wallet sign-in': {
    introduction:
      "A customer signs in to a wallet by a code, a passkey or an identity token, and gets a session: a key on the device that signs the wallet's operations.",
    guide: 'sign-in',
  },
  'Exchange rates': {
    introduction: 'The current cost of conversions. Only a quote locks a rate.',
    guide: 'payments',
  },
  Receivers: {
    introduction: 'Look up what a receiver can receive before you create a quote.',
    guide: 'payments',
  },
  'Available UMA Providers': {
    introduction:
      'Providers whose customers can be paid by a UMA address, which looks like an e-mail address with a dollar sign.',
    guide: 'payments',
  },
  Quotes: {
    introduction:
      'A quote states the cost of a payment and locks it until it expires. Create a quote, show it, execute it, then follow its transaction.',
    guide: 'payments',
  },
  Positions: {
    introduction:
      'The amount of each currency that your platform holds or owes after conversions, and its limits.',
    guide: 'positions',
  },
  Transfers: {
    introduction: 'Move money in one currency between an internal and an external account of the same owner.',
    guide: 'payments',
  },
  Payouts: {
    introduction:
      'Many outgoing payments together, from a CSV file or one call: checked first, with totals and a list of faults, then executed with one call.',
    guide: 'bulk-payouts',
  },
  'Own money': {
    introduction:
      "The operator's own fees and capital: registered accounts of the operator, withdrawals to them, and a daily sweep.",
    guide: 'own-money',
  },
  Treasury: {
    introduction:
      'Cold storage for the treasury of a chain: registered addresses of the operator, and movements to and from them.',
    guide: 'stablecoins',
  },
  'Scheduled payments': {
    introduction:
      'Payments on a date or by a rule, such as the last business day of each month, with an event before each payment.',
    guide: 'scheduled-payments',
  },
  'Cross-Currency Transfers': {
    introduction: 'The cost of a withdrawal to a chain.',
    guide: 'stablecoins',
  },
  Transactions: {
    introduction:
      'Every payment, in and out, with its state. Approve or reject incoming payments, and cancel outgoing ones that have not arrived.',
    guide: 'payments',
  },
  Deposits: {
    introduction:
      'Money received through a rail. A deposit that cannot be attributed stays in suspense until it is assigned or returned manually.',
    guide: 'payments',
  },
  Screenings: {
    introduction:
      'Blockchain addresses that were screened against lists, and the payments and deposits held for manual review.',
    guide: 'screening',
  },
  'Funds holds': {
    introduction:
      'Pulled money that its account cannot spend yet, with the reason and the time of its release.',
    guide: 'risk-holds',
  },
  Rails: {
    introduction:
      'Rail reports that could not be attributed, and the daily reconciliation of bank statements with the ledger.',
    guide: 'reconciliation',
  },
  Fees: { introduction: 'The fees that your platform has charged its customers.', guide: 'payments' },
  Books: {
    introduction:
      'The double-entry ledger behind every balance: statements, accounts, bookings, and the reason for each.',
    guide: 'books',
  },
  Invitations: {
    introduction: 'Links with a code, with which a customer invites somebody to join your platform.',
    guide: 'payments',
  },
  Agents: {
    introduction:
      'Programs that act for one customer under a policy that you set. Set them up here, and approve the actions that need approval.',
    guide: 'agents',
  },
  'Agent access': {
    introduction: 'The endpoints for agents, which call them with their own access tokens.',
    guide: 'agents',
  },
  Cards: {
    introduction: "Cards that pay from a customer's accounts at the time of purchase.",
    guide: 'cards',
  },
  'Delegated keys': {
    introduction:
      "A delegated key lets an embedded wallet pay for one card without the holder's signature for each purchase.",
    guide: 'cards',
  },
  Overview: {
    introduction: 'The dashboard: balances, pending work, recent payments, and one search for every record.',
    guide: 'api',
  },
  Sandbox: {
    introduction:
      'Simulates the outside world, with a clock that you move. These calls do not exist in production.',
    guide: 'sandbox',
  },
  'Events and webhooks': {
    introduction:
      'Every change is an event. The server delivers signed events to your webhook endpoint, with retries. The feed has all of them.',
    guide: 'webhooks',
  },
  Webhooks: {
    introduction: 'The requests that the server sends to your webhook endpoint.',
    guide: 'webhooks',
  },
}
