import { createRoute } from '@tanstack/react-router'
import { createSearchValidator } from '../../ui/search-text.ts'
import { createLazyPage } from '../lazy-page.ts'
import { at } from './root.tsx'

const ledger = createRoute({
  ...at('/ledger'),
  validateSearch: createSearchValidator('name', 'currency', 'owner'),
  component: createLazyPage(() => import('../../pages/ledger/ledger-list.tsx'), 'LedgerList'),
})

const ledgerTransfer = createRoute({
  ...at('/ledger/transfers/$transferId'),
  component: createLazyPage(() => import('../../pages/ledger/transfer-page.tsx'), 'TransferPage'),
})

const journal = createRoute({
  ...at('/ledger/journal'),
  validateSearch: createSearchValidator('from', 'to', 'format', 'currency'),
  component: createLazyPage(() => import('../../pages/ledger/journal-page.tsx'), 'JournalPage'),
})

const clientMoney = createRoute({
  ...at('/client-money'),
  validateSearch: createSearchValidator('from', 'to'),
  component: createLazyPage(() => import('../../pages/client-money/report-list.tsx'), 'ReportList'),
})

const clientMoneyReport = createRoute({
  ...at('/client-money/$reportId'),
  component: createLazyPage(() => import('../../pages/client-money/report-page.tsx'), 'ReportPage'),
})

const reconciliations = createRoute({
  ...at('/reconciliations'),
  validateSearch: createSearchValidator('rail', 'currency', 'status', 'from', 'to'),
  component: createLazyPage(
    () => import('../../pages/reconciliations/reconciliation-list.tsx'),
    'ReconciliationList',
  ),
})

const reconciliation = createRoute({
  ...at('/reconciliations/$reconciliationId'),
  component: createLazyPage(
    () => import('../../pages/reconciliations/reconciliation-page.tsx'),
    'ReconciliationPage',
  ),
})

/** Routes of the ledger and of bank reconciliation. */
export const booksRoutes = [
  ledger,
  ledgerTransfer,
  journal,
  clientMoney,
  clientMoneyReport,
  reconciliations,
  reconciliation,
] as const
