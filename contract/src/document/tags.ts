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
      'The settings of your platform: its currencies, its webhook endpoint, the sign-in of customers. A change takes effect with the next call.',
    guide: 'api',
  },
  'API tokens': {
    introduction:
      'A backend signs in by HTTP Basic with the `tokenId` and the `clientSecret` of a token. Give each backend a separate token with only the permissions that it needs.',
    guide: 'api',
  },
  Members: {
    introduction:
      'The people of your platform: they are invited by a link, sign in to the console with a passkey, and have individual permissions. The calls of a signed-in member carry a cookie in place of a token.',
    guide: 'members',
  },
  'Audit trail': {
    introduction:
      'Every change by members, tokens, agents and customers, with its time and origin. No entry can be changed or removed.',
    guide: 'audit',
  },
  'Request log': {
    introduction:
      'The requests of the last days with their responses, secrets masked. Find one by its request id.',
    guide: 'audit',
  },
  "Customers' tokens": {
    introduction:
      "A token for the browser of one customer: it reaches that customer's records and nothing else, for an hour at most.",
    guide: 'customer-tokens',
  },
  Customers: {
    introduction:
      'The people and businesses for whom your platform holds and moves money. Each has accounts and an embedded wallet. You can import them from a CSV file.',
    guide: 'customers',
  },
  Verifications: {
    introduction:
      'Before a customer moves money, somebody decides who they are. The sandbox decides immediately, by magic values; in production a provider or a person of yours does.',
    guide: 'customers',
  },
  Documents: {
    introduction:
      'Files as evidence about a customer or an owner of a business. They are stored sealed, and shown through a link that is valid for ten minutes.',
    guide: 'customers',
  },
  'Contact verification': {
    introduction:
      'If your platform requires it, customers prove with a code that the e-mail address or the telephone number is theirs.',
    guide: 'customers',
  },
  'Internal accounts': {
    introduction:
      'The balances that this server keeps, of customers, their embedded wallets, and your platform itself.',
    guide: 'payments',
  },
  'External accounts': {
    introduction:
      'Accounts elsewhere: at banks, at mobile money operators and on chains. Money is paid out to them or pulled from them.',
    guide: 'account-types',
  },
  Mandates: {
    introduction: 'Consents of the holders of external accounts to SEPA direct debits.',
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
      'A customer signs in to a wallet by a code, a passkey or an identity token, and gets a session: a key on the device that signs the operations of the wallet.',
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
      'A quote says what a payment costs and locks it for a while. Create one, show it, execute it; follow its transaction.',
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
      'Many payments out together, from a CSV file or one call: checked first, with totals and a list of faults, then executed with one call.',
    guide: 'bulk-payouts',
  },
  'Own money': {
    introduction:
      "The operator's own fees and capital: registered accounts of the operator, withdrawals to them, and a daily sweep.",
    guide: 'own-money',
  },
  Treasury: {
    introduction:
      'Money of the treasury of a chain in cold storage: registered addresses of the operator, movements there and back.',
    guide: 'stablecoins',
  },
  'Scheduled payments': {
    introduction:
      'Payments at a time, or by a rule such as the last business day of each month, with an event before each payment.',
    guide: 'scheduled-payments',
  },
  'Cross-Currency Transfers': {
    introduction: 'The cost of a withdrawal to a chain.',
    guide: 'stablecoins',
  },
  Transactions: {
    introduction:
      'Every payment, in and out, with its state. Approve or reject incoming payments, cancel outgoing ones that have not arrived.',
    guide: 'payments',
  },
  Deposits: {
    introduction:
      'Money that came in by a rail. A deposit that cannot be attributed waits in suspense until a person assigns or returns it.',
    guide: 'payments',
  },
  Screenings: {
    introduction:
      'Addresses on chains that were screened against lists, and the payments and deposits that wait for a person.',
    guide: 'screening',
  },
  'Funds holds': {
    introduction:
      'Pulled money that its account cannot spend yet, with the reason and the time of its release.',
    guide: 'risk-holds',
  },
  Rails: {
    introduction:
      'Reports of rails that could not be attributed, and the daily comparison of their statements with the books.',
    guide: 'reconciliation',
  },
  Fees: { introduction: 'The fees that your platform has charged its customers.', guide: 'payments' },
  Books: {
    introduction:
      'The double-entry ledger under every balance: statements, accounts, bookings, and why each was made.',
    guide: 'books',
  },
  Invitations: {
    introduction: 'A customer invites somebody to join your platform, by a code in a link.',
    guide: 'payments',
  },
  Agents: {
    introduction:
      'Programs that act for one customer under a policy of yours. Set them up here, and approve what their policy leaves to a person.',
    guide: 'agents',
  },
  'Agent access': {
    introduction: 'The endpoints for agents, which call them with their own access tokens.',
    guide: 'agents',
  },
  Cards: {
    introduction: 'Cards that pay from accounts of a customer, immediately when they are used.',
    guide: 'cards',
  },
  'Delegated keys': {
    introduction:
      'A delegated key lets an embedded wallet pay for one card without a signature of its holder for each purchase.',
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
      'Every change is an event. The server delivers events to your webhook endpoint, signed, until it responds; the feed has them all.',
    guide: 'webhooks',
  },
  Webhooks: {
    introduction: 'The requests that the server sends to your webhook endpoint.',
    guide: 'webhooks',
  },
}
