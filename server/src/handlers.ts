import type { API, EndpointName } from '@countersign/contract/api'
import { backfillAccounts } from './accounts/backfill.ts'
import { customerInternalAccountList, platformInternalAccountList } from './accounts/handlers.ts'
import { internalAccountExport, internalAccountUpdate } from './accounts/wallet-handlers.ts'
import { credentialChallenge, credentialList, credentialVerify } from './credentials/handlers.ts'
import { credentialCreate, credentialDelete } from './credentials/registration-handlers.ts'
import {
  customerCreate,
  customerDelete,
  customerGet,
  customerList,
  customerUpdate,
} from './customers/handlers.ts'
import { sandboxInboxList } from './delivery/handlers.ts'
import { deliverMessage } from './delivery/jobs.ts'
import {
  customerExternalAccountCreate,
  customerExternalAccountDelete,
  customerExternalAccountGet,
  customerExternalAccountList,
} from './external-accounts/handlers.ts'
import type { JobHandler, JobKind } from './jobs/kinds.ts'
import type { Implementation } from './operation.ts'
import { configGet, configUpdate } from './platforms/handlers.ts'
import { quoteCreate, quoteExecute, quoteGet } from './quotes/handlers.ts'
import { expireQuote, settleTransaction } from './quotes/jobs.ts'
import { sandboxAccountFund, sandboxClockAdvance, sandboxClockGet } from './sandbox/handlers.ts'
import { sessionDelete, sessionList, sessionRefresh } from './sessions/handlers.ts'
import { tokenCreate, tokenDelete, tokenGet, tokenList } from './tokens/handlers.ts'
import { transactionGet, transactionList } from './transactions/handlers.ts'

/** What does each endpoint of the contract. An endpoint without a handler does not compile. */
export const HANDLERS: { readonly [Name in EndpointName]: Implementation<(typeof API)[Name]> } = {
  config_get: configGet,
  config_update: configUpdate,
  token_create: tokenCreate,
  token_list: tokenList,
  token_get: tokenGet,
  token_delete: tokenDelete,
  customer_create: customerCreate,
  customer_list: customerList,
  customer_get: customerGet,
  customer_update: customerUpdate,
  customer_delete: customerDelete,
  customer_internal_account_list: customerInternalAccountList,
  platform_internal_account_list: platformInternalAccountList,
  internal_account_update: internalAccountUpdate,
  internal_account_export: internalAccountExport,
  customer_external_account_create: customerExternalAccountCreate,
  customer_external_account_list: customerExternalAccountList,
  customer_external_account_get: customerExternalAccountGet,
  customer_external_account_delete: customerExternalAccountDelete,
  credential_list: credentialList,
  credential_challenge: credentialChallenge,
  credential_verify: credentialVerify,
  credential_create: credentialCreate,
  credential_delete: credentialDelete,
  session_list: sessionList,
  session_refresh: sessionRefresh,
  session_delete: sessionDelete,
  quote_create: quoteCreate,
  quote_get: quoteGet,
  quote_execute: quoteExecute,
  transaction_list: transactionList,
  transaction_get: transactionGet,
  sandbox_account_fund: sandboxAccountFund,
  sandbox_clock_get: sandboxClockGet,
  sandbox_clock_advance: sandboxClockAdvance,
  sandbox_inbox_list: sandboxInboxList,
}

/** What does each kind of due work. */
export const JOB_HANDLERS: Readonly<Record<JobKind, JobHandler>> = {
  'accounts.backfill': backfillAccounts,
  'message.deliver': deliverMessage,
  'quote.expire': expireQuote,
  'transaction.settle': settleTransaction,
}
