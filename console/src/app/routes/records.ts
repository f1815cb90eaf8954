import { createRoute } from '@tanstack/react-router'
import { createSearchValidator } from '../../ui/search-text.ts'
import { createLazyPage } from '../lazy-page.ts'
import { at } from './root.tsx'

const customers = createRoute({
  ...at('/customers'),
  validateSearch: createSearchValidator(
    'search',
    'customerType',
    'verification',
    'currency',
    'from',
    'to',
    'deleted',
  ),
  component: createLazyPage(() => import('../../pages/customers/customer-list.tsx'), 'CustomerList'),
})

const customer = createRoute({
  ...at('/customers/$customerId'),
  component: createLazyPage(() => import('../../pages/customers/customer-page.tsx'), 'CustomerPage'),
})

const transactions = createRoute({
  ...at('/transactions'),
  validateSearch: createSearchValidator(
    'status',
    'type',
    'customerId',
    'account',
    'reason',
    'currency',
    'least',
    'most',
    'reference',
    'from',
    'to',
  ),
  component: createLazyPage(() => import('../../pages/transactions/transaction-list.tsx'), 'TransactionList'),
})

const transaction = createRoute({
  ...at('/transactions/$transactionId'),
  component: createLazyPage(() => import('../../pages/transactions/transaction-page.tsx'), 'TransactionPage'),
})

const quotes = createRoute({
  ...at('/quotes'),
  validateSearch: createSearchValidator('status', 'customerId', 'from', 'to'),
  component: createLazyPage(() => import('../../pages/quotes/quote-list.tsx'), 'QuoteList'),
})

const quote = createRoute({
  ...at('/quotes/$quoteId'),
  component: createLazyPage(() => import('../../pages/quotes/quote-page.tsx'), 'QuotePage'),
})

const rates = createRoute({
  ...at('/rates'),
  validateSearch: createSearchValidator('sourceCurrency', 'destinationCurrency'),
  component: createLazyPage(() => import('../../pages/quotes/rate-list.tsx'), 'Rates'),
})

const payouts = createRoute({
  ...at('/payouts'),
  validateSearch: createSearchValidator('status'),
  component: createLazyPage(() => import('../../pages/payouts/payout-list.tsx'), 'PayoutList'),
})

const payoutBatch = createRoute({
  ...at('/payouts/$payoutBatchId'),
  validateSearch: createSearchValidator('status'),
  component: createLazyPage(() => import('../../pages/payouts/payout-page.tsx'), 'PayoutPage'),
})

const schedules = createRoute({
  ...at('/schedules'),
  validateSearch: createSearchValidator('status'),
  component: createLazyPage(() => import('../../pages/schedules/schedule-list.tsx'), 'ScheduleList'),
})

const paymentSchedule = createRoute({
  ...at('/schedules/$paymentScheduleId'),
  validateSearch: createSearchValidator('status'),
  component: createLazyPage(() => import('../../pages/schedules/schedule-page.tsx'), 'SchedulePage'),
})

const ownMoney = createRoute({
  ...at('/own-money'),
  component: createLazyPage(() => import('../../pages/own-money/own-money-page.tsx'), 'OwnMoneyPage'),
})

const deposits = createRoute({
  ...at('/deposits'),
  validateSearch: createSearchValidator('status', 'currency', 'least', 'most'),
  component: createLazyPage(() => import('../../pages/deposits/deposit-list.tsx'), 'DepositList'),
})

const holds = createRoute({
  ...at('/holds'),
  validateSearch: createSearchValidator('status', 'customerId', 'account'),
  component: createLazyPage(() => import('../../pages/holds/hold-list.tsx'), 'HoldList'),
})

const mandates = createRoute({
  ...at('/mandates'),
  validateSearch: createSearchValidator('status', 'customerId'),
  component: createLazyPage(() => import('../../pages/mandates/mandate-list.tsx'), 'MandateList'),
})

const mandate = createRoute({
  ...at('/mandates/$mandateId'),
  component: createLazyPage(() => import('../../pages/mandates/mandate-page.tsx'), 'MandatePage'),
})

const cards = createRoute({
  ...at('/cards'),
  validateSearch: createSearchValidator('state', 'cardholderId', 'currency', 'platformCardId'),
  component: createLazyPage(() => import('../../pages/cards/card-list.tsx'), 'CardList'),
})

const card = createRoute({
  ...at('/cards/$cardId'),
  component: createLazyPage(() => import('../../pages/cards/card-page.tsx'), 'CardPage'),
})

const agents = createRoute({
  ...at('/agents'),
  validateSearch: createSearchValidator('customerId', 'state', 'connected', 'from', 'to'),
  component: createLazyPage(() => import('../../pages/agents/agent-list.tsx'), 'AgentList'),
})

const agent = createRoute({
  ...at('/agents/$agentId'),
  component: createLazyPage(() => import('../../pages/agents/agent-page.tsx'), 'AgentPage'),
})

const policy = createRoute({
  ...at('/agents/$agentId/policy'),
  component: createLazyPage(() => import('../../pages/agents/policy-page.tsx'), 'PolicyPage'),
})

const account = createRoute({
  ...at('/accounts/$accountId'),
  validateSearch: createSearchValidator('from', 'to'),
  component: createLazyPage(() => import('../../pages/accounts/account-page.tsx'), 'AccountPage'),
})

/** Routes of customers, their accounts and their payments. */
export const recordsRoutes = [
  customers,
  customer,
  transactions,
  transaction,
  quotes,
  quote,
  rates,
  payouts,
  payoutBatch,
  schedules,
  ownMoney,
  paymentSchedule,
  deposits,
  holds,
  mandates,
  mandate,
  cards,
  card,
  agents,
  agent,
  policy,
  account,
] as const
