import { customerInternalAccountList, platformInternalAccountList } from '../accounts/handlers.ts'
import { internalAccountExport, internalAccountUpdate } from '../accounts/wallet-handlers.ts'
import {
  agentMeActionGet,
  agentMeActionList,
  agentMeExchangeRateList,
  agentMeExternalAccountCreate,
  agentMeExternalAccountDelete,
  agentMeExternalAccountGet,
  agentMeExternalAccountList,
  agentMeGet,
  agentMeInternalAccountList,
  agentMePolicySimulate,
  agentMeQuoteCreate,
  agentMeQuoteExecute,
  agentMeQuoteGet,
  agentMeTransactionGet,
  agentMeTransactionList,
  agentMeTransferIn,
  agentMeTransferOut,
} from '../agent-actions/access-handlers.ts'
import {
  agentActionApprove,
  agentActionReject,
  agentApprovalList,
  agentDelete,
} from '../agent-actions/handlers.ts'
import { expireAgentAction, rejectWaitingActions } from '../agent-actions/jobs.ts'
import {
  agentCreate,
  agentDecisionList,
  agentDeviceCodeCreate,
  agentDeviceCodeGet,
  agentDeviceCodeRedeem,
  agentGet,
  agentList,
  agentPolicySimulate,
  agentPolicyUpdate,
  agentUpdate,
} from '../agents/handlers.ts'
import { transactionApprove, transactionReject } from '../approvals/handlers.ts'
import {
  delegatedKeyCreate,
  delegatedKeyDelete,
  delegatedKeyGet,
  delegatedKeyList,
} from '../cards/delegated-keys.ts'
import { cardCreate, cardGet, cardList, cardTransactionList, cardUpdate } from '../cards/handlers.ts'
import {
  expireCardTransaction,
  provisionCard,
  pullCardTransaction,
  tellCardProcessor,
} from '../cards/jobs.ts'
import { cardProcessorEvent } from '../cards/processor-handlers.ts'
import { customerDelete } from '../customer-deletion/handlers.ts'
import { customerCreate, customerGet, customerList, customerUpdate } from '../customers/handlers.ts'
import { sandboxInboxList } from '../delivery/handlers.ts'
import { deliverMessage } from '../delivery/jobs.ts'
import { exchangeRateList } from '../exchange-rates/handlers.ts'
import {
  customerExternalAccountCreate,
  customerExternalAccountDelete,
  customerExternalAccountGet,
  customerExternalAccountList,
  platformExternalAccountCreate,
  platformExternalAccountDelete,
  platformExternalAccountGet,
  platformExternalAccountList,
} from '../external-accounts/handlers.ts'
import { platformFeeBalanceList, platformFeeList } from '../fees/handlers.ts'
import type { ServedHandlers } from '../http/server.ts'
import type { JobHandler, JobKind } from '../jobs/kinds.ts'
import { backfillAccounts } from '../platforms/accounts-backfill.ts'
import { configGet, configUpdate } from '../platforms/handlers.ts'
import { quoteCreate, quoteExecute, quoteGet } from '../quotes/handlers.ts'
import { expireQuote, refundTransaction, settleTransaction } from '../quotes/jobs.ts'
import { pullTransaction } from '../quotes/pull.ts'
import { sandboxSend } from '../quotes/sandbox-send.ts'
import { answerReceipt } from '../receipts/answers.ts'
import { expireReceipt, settleReceipt } from '../receipts/jobs.ts'
import { receiverExternalAccountLookup, receiverUmaLookup } from '../receivers/handlers.ts'
import { sandboxCardAuthorization, sandboxCardClearing, sandboxCardReturn } from '../sandbox/card-handlers.ts'
import {
  sandboxAccountFund,
  sandboxClockAdvance,
  sandboxClockGet,
  sandboxMagicValueList,
} from '../sandbox/handlers.ts'
import { sandboxReset } from '../sandbox/reset.ts'
import { sandboxUmaReceive } from '../sandbox/uma-handlers.ts'
import { credentialChallenge, credentialList, credentialVerify } from '../sign-in/handlers.ts'
import { credentialCreate, credentialDelete } from '../sign-in/registration-handlers.ts'
import { sessionDelete, sessionList, sessionRefresh } from '../sign-in/session-handlers.ts'
import { tokenCreate, tokenDelete, tokenGet, tokenList } from '../tokens/handlers.ts'
import { transactionConfirm, transactionGet, transactionList } from '../transactions/handlers.ts'
import { transferIn, transferOut } from '../transfers/handlers.ts'
import { settleTransfer } from '../transfers/jobs.ts'
import type { AnswerRules } from '../webhooks/answers.ts'
import { createDeliver } from '../webhooks/deliver.ts'
import {
  eventGet,
  eventList,
  eventRedeliver,
  sandboxWebhookTest,
  webhookSecretCreate,
  webhookSecretList,
} from '../webhooks/handlers.ts'

/** What does each endpoint of the contract. An endpoint without a handler does not compile. */
export const HANDLERS: ServedHandlers = {
  card_processor_event: cardProcessorEvent,
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
  platform_external_account_create: platformExternalAccountCreate,
  platform_external_account_list: platformExternalAccountList,
  platform_external_account_get: platformExternalAccountGet,
  platform_external_account_delete: platformExternalAccountDelete,
  credential_list: credentialList,
  credential_challenge: credentialChallenge,
  credential_verify: credentialVerify,
  credential_create: credentialCreate,
  credential_delete: credentialDelete,
  session_list: sessionList,
  session_refresh: sessionRefresh,
  session_delete: sessionDelete,
  exchange_rate_list: exchangeRateList,
  receiver_uma_lookup: receiverUmaLookup,
  receiver_external_account_lookup: receiverExternalAccountLookup,
  quote_create: quoteCreate,
  quote_get: quoteGet,
  quote_execute: quoteExecute,
  transfer_in: transferIn,
  transfer_out: transferOut,
  transaction_list: transactionList,
  transaction_get: transactionGet,
  transaction_confirm: transactionConfirm,
  transaction_approve: transactionApprove,
  transaction_reject: transactionReject,
  platform_fee_list: platformFeeList,
  platform_fee_balance_list: platformFeeBalanceList,
  agent_create: agentCreate,
  agent_list: agentList,
  agent_get: agentGet,
  agent_update: agentUpdate,
  agent_delete: agentDelete,
  agent_policy_update: agentPolicyUpdate,
  agent_policy_simulate: agentPolicySimulate,
  agent_decision_list: agentDecisionList,
  agent_device_code_create: agentDeviceCodeCreate,
  agent_device_code_get: agentDeviceCodeGet,
  agent_device_code_redeem: agentDeviceCodeRedeem,
  agent_approval_list: agentApprovalList,
  agent_action_approve: agentActionApprove,
  agent_action_reject: agentActionReject,
  agent_me_get: agentMeGet,
  agent_me_internal_account_list: agentMeInternalAccountList,
  agent_me_external_account_list: agentMeExternalAccountList,
  agent_me_external_account_create: agentMeExternalAccountCreate,
  agent_me_external_account_get: agentMeExternalAccountGet,
  agent_me_external_account_delete: agentMeExternalAccountDelete,
  agent_me_exchange_rate_list: agentMeExchangeRateList,
  agent_me_quote_create: agentMeQuoteCreate,
  agent_me_quote_get: agentMeQuoteGet,
  agent_me_quote_execute: agentMeQuoteExecute,
  agent_me_transfer_in: agentMeTransferIn,
  agent_me_transfer_out: agentMeTransferOut,
  agent_me_transaction_list: agentMeTransactionList,
  agent_me_transaction_get: agentMeTransactionGet,
  agent_me_action_list: agentMeActionList,
  agent_me_action_get: agentMeActionGet,
  agent_me_policy_simulate: agentMePolicySimulate,
  card_create: cardCreate,
  card_list: cardList,
  card_get: cardGet,
  card_update: cardUpdate,
  card_transaction_list: cardTransactionList,
  delegated_key_create: delegatedKeyCreate,
  delegated_key_list: delegatedKeyList,
  delegated_key_get: delegatedKeyGet,
  delegated_key_delete: delegatedKeyDelete,
  sandbox_card_authorization: sandboxCardAuthorization,
  sandbox_card_clearing: sandboxCardClearing,
  sandbox_card_return: sandboxCardReturn,
  sandbox_account_fund: sandboxAccountFund,
  sandbox_send: sandboxSend,
  sandbox_uma_receive: sandboxUmaReceive,
  sandbox_clock_get: sandboxClockGet,
  sandbox_clock_advance: sandboxClockAdvance,
  sandbox_inbox_list: sandboxInboxList,
  sandbox_magic_value_list: sandboxMagicValueList,
  sandbox_reset: sandboxReset,
  event_list: eventList,
  event_get: eventGet,
  event_redeliver: eventRedeliver,
  webhook_secret_list: webhookSecretList,
  webhook_secret_create: webhookSecretCreate,
  sandbox_webhook_test: sandboxWebhookTest,
}

/** What the answers of a platform mean, for events that ask something of it. */
export const WEBHOOK_ANSWERS: AnswerRules = { 'INCOMING_PAYMENT.PENDING': answerReceipt }

const deliverWebhook = createDeliver(WEBHOOK_ANSWERS)

/** What does each kind of due work. */
export const JOB_HANDLERS: Readonly<Record<JobKind, JobHandler>> = {
  'accounts.backfill': backfillAccounts,
  'agent-action.expire': expireAgentAction,
  'agent.reject-waiting': rejectWaitingActions,
  'card.provision': provisionCard,
  'card.tell-processor': tellCardProcessor,
  'card-transaction.expire': expireCardTransaction,
  'card-transaction.pull': pullCardTransaction,
  'message.deliver': deliverMessage,
  'quote.expire': expireQuote,
  'receipt.expire': expireReceipt,
  'receipt.settle': settleReceipt,
  'transaction.pull': pullTransaction,
  'transaction.refund': refundTransaction,
  'transaction.settle': settleTransaction,
  'transfer.settle': settleTransfer,
  'webhook.ask': deliverWebhook,
  'webhook.deliver': deliverWebhook,
}
