import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textSearch } from '../../ui/filters.tsx'
import { at } from './root.tsx'

const transactions = createRoute({
  ...at('/transactions'),
  validateSearch: textSearch('status', 'type', 'customerId', 'account', 'reference', 'from', 'to'),
  component: lazyRouteComponent(
    () => import('../../pages/transactions/transaction-list.tsx'),
    'TransactionList',
  ),
})

const transaction = createRoute({
  ...at('/transactions/$transactionId'),
  component: lazyRouteComponent(
    () => import('../../pages/transactions/transaction-page.tsx'),
    'TransactionPage',
  ),
})

const approvals = createRoute({
  ...at('/approvals'),
  validateSearch: textSearch('kind', 'customerId'),
  component: lazyRouteComponent(() => import('../../pages/approvals/approval-list.tsx'), 'ApprovalList'),
})

const verifications = createRoute({
  ...at('/verifications'),
  validateSearch: textSearch('status', 'customerId'),
  component: lazyRouteComponent(
    () => import('../../pages/verifications/verification-list.tsx'),
    'VerificationList',
  ),
})

const verification = createRoute({
  ...at('/verifications/$verificationId'),
  component: lazyRouteComponent(
    () => import('../../pages/verifications/verification-page.tsx'),
    'VerificationPage',
  ),
})

const quotes = createRoute({
  ...at('/quotes'),
  validateSearch: textSearch('status', 'customerId', 'from', 'to'),
  component: lazyRouteComponent(() => import('../../pages/quotes/quote-list.tsx'), 'QuoteList'),
})

const quote = createRoute({
  ...at('/quotes/$quoteId'),
  component: lazyRouteComponent(() => import('../../pages/quotes/quote-page.tsx'), 'QuotePage'),
})

const rates = createRoute({
  ...at('/rates'),
  validateSearch: textSearch('sourceCurrency', 'destinationCurrency'),
  component: lazyRouteComponent(() => import('../../pages/quotes/rates.tsx'), 'Rates'),
})

const reconciliations = createRoute({
  ...at('/reconciliations'),
  validateSearch: textSearch('rail', 'currency', 'status', 'from', 'to'),
  component: lazyRouteComponent(
    () => import('../../pages/reconciliations/reconciliation-list.tsx'),
    'ReconciliationList',
  ),
})

const reconciliation = createRoute({
  ...at('/reconciliations/$reconciliationId'),
  component: lazyRouteComponent(
    () => import('../../pages/reconciliations/reconciliation-page.tsx'),
    'ReconciliationPage',
  ),
})

const ledger = createRoute({
  ...at('/ledger'),
  validateSearch: textSearch('name', 'currency', 'owner'),
  component: lazyRouteComponent(() => import('../../pages/ledger/ledger-list.tsx'), 'LedgerList'),
})

const account = createRoute({
  ...at('/accounts/$accountId'),
  validateSearch: textSearch('from', 'to'),
  component: lazyRouteComponent(() => import('../../pages/ledger/account-page.tsx'), 'AccountPage'),
})

const ledgerTransfer = createRoute({
  ...at('/ledger/transfers/$transferId'),
  component: lazyRouteComponent(() => import('../../pages/ledger/transfer-page.tsx'), 'TransferPage'),
})

export const moneyRoutes = [
  transactions,
  transaction,
  approvals,
  verifications,
  verification,
  quotes,
  quote,
  rates,
  reconciliations,
  reconciliation,
  ledger,
  account,
  ledgerTransfer,
] as const
