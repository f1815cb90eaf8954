export interface GuideGroup {
  readonly title: string
  /** Files of `docs/`, in reading order. */
  readonly names: readonly string[]
}

/** Guides grouped by reader task. A guide outside all groups is reachable only through links. */
export const GUIDE_GROUPS: readonly GuideGroup[] = [
  {
    title: 'Get started',
    names: [
      'first-payment.md',
      'api.md',
      'sdk.md',
      'cli.md',
      'sandbox.md',
      'errors.md',
      'generated-clients.md',
    ],
  },
  {
    title: 'Customers and wallets',
    names: [
      'customers.md',
      'customers-import.md',
      'sign-in.md',
      'signing.md',
      'wallet-kit.md',
      'customer-tokens.md',
    ],
  },
  {
    title: 'Payments',
    names: [
      'payments.md',
      'bulk-payouts.md',
      'scheduled-payments.md',
      'own-money.md',
      'account-types.md',
      'direct-debits.md',
      'stablecoins.md',
      'cards.md',
      'agents.md',
      'webhooks.md',
      'screening.md',
      'risk-holds.md',
      'account-verification.md',
      'account-changes.md',
    ],
  },
  {
    title: 'Books and controls',
    names: [
      'books.md',
      'books-for-accountants.md',
      'client-money.md',
      'reconciliation.md',
      'operations-month.md',
      'positions.md',
      'audit.md',
    ],
  },
  { title: 'Your team', names: ['console.md', 'members.md'] },
  {
    title: 'Run a server',
    names: [
      'production.md',
      'deploy.md',
      'operations.md',
      'backups.md',
      'reliability.md',
      'scale.md',
      'testing.md',
    ],
  },
  {
    title: 'Connect a bank',
    names: [
      'connectors/README.md',
      'connectors/build-a-connector.md',
      'connectors/bank-files.md',
      'connectors/formats.md',
      'connectors/dealing.md',
    ],
  },
]
