import { customer_create } from '@countersign/contract/customers/customers'
import { PayoutLineRequest, payout_batch_create } from '@countersign/contract/payments/payout-batches'
import { agentAccessHandlers } from '../../agents/actions/access-handlers.ts'
import { agentApprovalHandlers } from '../../agents/actions/handlers.ts'
import { expireAgentAction, rejectWaitingActions } from '../../agents/actions/jobs.ts'
import { transactionApprovalHandlers } from '../../agents/approvals/handlers.ts'
import { approvalHandlers } from '../../agents/approvals/list-handlers.ts'
import { agentHandlers } from '../../agents/management/handlers.ts'
import { policyReplayHandlers } from '../../agents/management/policy-replay.ts'
import { internalAccountHandlers } from '../../kernel/accounts/handlers.ts'
import { walletHandlers } from '../../kernel/accounts/wallet-handlers.ts'
import { auditHandlers } from '../../kernel/audit/handlers.ts'
import { requestLogHandlers } from '../../kernel/audit/request-handlers.ts'
import { clearStoredFiles, removeStoredFile } from '../../kernel/files/jobs.ts'
import type { JobHandlers } from '../../kernel/outbox/job-kinds.ts'
import { transactionHandlers } from '../../kernel/transactions/handlers.ts'
import { delegatedKeyHandlers } from '../../money/cards/delegated-keys.ts'
import { cardHandlers } from '../../money/cards/handlers.ts'
import {
  continueCards,
  expireCardTransaction,
  notifyCardProcessor,
  provisionCard,
  pullCardTransaction,
} from '../../money/cards/jobs.ts'
import { cardProcessorEvent } from '../../money/cards/processor-handlers.ts'
import { depositHandlers } from '../../money/deposits/handlers.ts'
import { openDepositAccount } from '../../money/deposits/open-deposit-account.ts'
import { returnDeposit } from '../../money/deposits/return.ts'
import { sandboxDepositHandlers } from '../../money/deposits/sandbox-handlers.ts'
import { placeScreenedDeposit } from '../../money/deposits/screening-decision.ts'
import { accountChangeHandlers } from '../../money/external-accounts/change-handlers.ts'
import { discoveryHandlers } from '../../money/external-accounts/discovery-handlers.ts'
import { externalAccountHandlers } from '../../money/external-accounts/handlers.ts'
import { checkExternalAccount } from '../../money/external-accounts/jobs.ts'
import { mandateHandlers } from '../../money/external-accounts/mandate-handlers.ts'
import { expireReceipt, settleReceipt } from '../../money/incoming-payments/jobs.ts'
import { applyWebhookDecision } from '../../money/incoming-payments/webhook-decision.ts'
import { payoutBatchHandlers } from '../../money/payouts/handlers.ts'
import { createRunPayouts } from '../../money/payouts/jobs.ts'
import { paymentScheduleHandlers } from '../../money/payouts/schedule-handlers.ts'
import { runSchedule } from '../../money/payouts/schedule-jobs.ts'
import { exchangeRateHandlers } from '../../money/prices/exchange-rate-handlers.ts'
import { feeHandlers } from '../../money/prices/fee-handlers.ts'
import { positionHandlers } from '../../money/prices/position-handlers.ts'
import { withdrawalFeeHandlers } from '../../money/prices/withdrawal-handlers.ts'
import { quoteHandlers } from '../../money/quotes/handlers.ts'
import { expireQuote, refundTransaction, settleTransaction } from '../../money/quotes/jobs.ts'
import { pullTransaction } from '../../money/quotes/pull.ts'
import { sandboxSendHandlers } from '../../money/quotes/sandbox-send.ts'
import { cancellationHandlers, cancelRailPayment } from '../../money/rail-events/cancel-payment.ts'
import { railEventHandlers, sandboxRailEventHandlers } from '../../money/rail-events/handlers.ts'
import { createRailEvent } from '../../money/rail-events/receive-report.ts'
import { retryRailEvent } from '../../money/rail-events/retry-report.ts'
import { fundsHoldHandlers } from '../../money/rails/funds-hold-handlers.ts'
import { releaseFundsHold } from '../../money/rails/funds-holds.ts'
import { repayFromWallet } from '../../money/rails/wallet-debts.ts'
import { screeningHandlers } from '../../money/screenings/handlers.ts'
import { stablecoinAccountHandlers } from '../../money/stablecoins/handlers.ts'
import { checkStablecoinAccount } from '../../money/stablecoins/jobs.ts'
import { accountVerificationHandlers } from '../../money/transfers/account-verification-handlers.ts'
import { expireAccountVerification } from '../../money/transfers/account-verification-jobs.ts'
import { transferHandlers } from '../../money/transfers/handlers.ts'
import { createTransferSettler } from '../../money/transfers/jobs.ts'
import { umaProviderHandlers } from '../../money/uma/handlers.ts'
import { invitationHandlers } from '../../money/uma/invitation-handlers.ts'
import { expireInvitation } from '../../money/uma/invitation-jobs.ts'
import { receiverHandlers } from '../../money/uma/receiver-handlers.ts'
import { accountingHandlers } from '../../operation/accounting/handlers.ts'
import { ledgerBookHandlers } from '../../operation/books/handlers.ts'
import { statementHandlers } from '../../operation/books/statement-handlers.ts'
import { clientMoneyHandlers } from '../../operation/client-money/handlers.ts'
import { depositCorrectionHandlers } from '../../operation/deposit-corrections/handlers.ts'
import { customerDeletionHandlers } from '../../operation/erasures/customer-deletion-handlers.ts'
import { erasureHandlers } from '../../operation/erasures/handlers.ts'
import { eraseCustomer } from '../../operation/erasures/jobs.ts'
import { reconciliationMatchHandlers } from '../../operation/matches/handlers.ts'
import { sendDigest } from '../../operation/overview/digests.ts'
import { overviewHandlers } from '../../operation/overview/handlers.ts'
import { searchHandlers } from '../../operation/overview/search-handlers.ts'
import { ownMoneyHandlers } from '../../operation/own-money/handlers.ts'
import { reportWithdrawalEnd, runSweep } from '../../operation/own-money/jobs.ts'
import { paymentDecisionHandlers } from '../../operation/payment-decisions/handlers.ts'
import { ledgerCheckpointHandlers } from '../../operation/proofs/handlers.ts'
import { bookStatement } from '../../operation/reconciliations/book-statement.ts'
import { exampleBankHandlers } from '../../operation/reconciliations/example-bank-handlers.ts'
import { reconciliationHandlers } from '../../operation/reconciliations/handlers.ts'
import { compareStatement } from '../../operation/reconciliations/reconcile.ts'
import { recordStatement } from '../../operation/reconciliations/statements.ts'
import { treasuryHandlers } from '../../operation/treasury/handlers.ts'
import { settleMovement } from '../../operation/treasury/jobs.ts'
import { sandboxCardHandlers } from '../../outside/sandbox/card-handlers.ts'
import { mintAtFaucet } from '../../outside/sandbox/faucet.ts'
import { sandboxHandlers } from '../../outside/sandbox/handlers.ts'
import { sandboxTreasuryHandlers } from '../../outside/sandbox/treasury-handlers.ts'
import { sandboxUmaHandlers } from '../../outside/sandbox/uma-handlers.ts'
import { contactVerificationHandlers } from '../../people/contact-verification/handlers.ts'
import { beneficialOwnerHandlers } from '../../people/customers/beneficial-owner-handlers.ts'
import { customerHandlers } from '../../people/customers/handlers.ts'
import { customerImportHandlers } from '../../people/customers/imports/handlers.ts'
import { createImportCustomers } from '../../people/customers/imports/jobs.ts'
import { documentHandlers } from '../../people/documents/handlers.ts'
import { removeDocuments } from '../../people/documents/jobs.ts'
import { kycLinkHandlers } from '../../people/kyc/handlers.ts'
import { memberHandlers } from '../../people/members/handlers.ts'
import { memberInvitationHandlers } from '../../people/members/invitation-handlers.ts'
import { memberRoleHandlers } from '../../people/members/role-handlers.ts'
import {
  memberSelfHandlers,
  memberSessionHandlers,
  sandboxConsoleHandlers,
} from '../../people/members/session-handlers.ts'
import { deliverMessage } from '../../people/messages/deliver-message.ts'
import { inboxHandlers } from '../../people/messages/handlers.ts'
import { backfillAccounts } from '../../people/platforms/accounts-backfill.ts'
import { configHandlers } from '../../people/platforms/handlers.ts'
import { credentialHandlers } from '../../people/sign-in/handlers.ts'
import { credentialRegistrationHandlers } from '../../people/sign-in/registration-handlers.ts'
import { sessionHandlers } from '../../people/sign-in/session-handlers.ts'
import { customerTokenHandlers } from '../../people/tokens/customer-token-handlers.ts'
import { tokenHandlers } from '../../people/tokens/handlers.ts'
import { verificationHandlers } from '../../people/verifications/handlers.ts'
import { checkVerification, submitVerification } from '../../people/verifications/jobs.ts'
import { verificationProviderEvent } from '../../people/verifications/provider-handlers.ts'
import { webhookEndpointHandlers } from '../../people/webhook-endpoints/handlers.ts'
import { webhookSecretHandlers } from '../../people/webhook-endpoints/secret-handlers.ts'
import { eventStreamHandlers, webhookHandlers } from '../../people/webhooks/handlers.ts'
import type { ResponseRules } from '../../people/webhooks/response-rules.ts'
import { createParser } from '../http/request/parse.ts'
import type { ServedHandlers } from './implementations.ts'

/** The handler of each endpoint of the contract. An endpoint without a handler does not compile. */
export const HANDLERS: ServedHandlers = {
  ...configHandlers,
  ...tokenHandlers,
  ...customerHandlers,
  ...customerDeletionHandlers,
  ...erasureHandlers,
  ...beneficialOwnerHandlers,
  ...verificationHandlers,
  ...documentHandlers,
  ...contactVerificationHandlers,
  ...customerImportHandlers,
  ...kycLinkHandlers,
  ...internalAccountHandlers,
  ...walletHandlers,
  ...externalAccountHandlers,
  ...accountChangeHandlers,
  ...accountVerificationHandlers,
  ...mandateHandlers,
  ...discoveryHandlers,
  ...stablecoinAccountHandlers,
  ...credentialHandlers,
  ...credentialRegistrationHandlers,
  ...sessionHandlers,
  ...customerTokenHandlers,
  ...memberHandlers,
  ...memberRoleHandlers,
  ...auditHandlers,
  ...requestLogHandlers,
  ...memberSessionHandlers,
  ...memberSelfHandlers,
  ...memberInvitationHandlers,
  ...sandboxConsoleHandlers,
  ...exchangeRateHandlers,
  ...receiverHandlers,
  ...umaProviderHandlers,
  ...quoteHandlers,
  ...positionHandlers,
  ...transferHandlers,
  ...payoutBatchHandlers,
  ...paymentScheduleHandlers,
  ...ownMoneyHandlers,
  ...treasuryHandlers,
  ...withdrawalFeeHandlers,
  ...transactionHandlers,
  ...transactionApprovalHandlers,
  ...cancellationHandlers,
  ...depositHandlers,
  ...screeningHandlers,
  ...fundsHoldHandlers,
  ...railEventHandlers,
  ...reconciliationHandlers,
  ...exampleBankHandlers,
  ...reconciliationMatchHandlers,
  ...depositCorrectionHandlers,
  ...paymentDecisionHandlers,
  ...feeHandlers,
  ...statementHandlers,
  ...ledgerBookHandlers,
  ...ledgerCheckpointHandlers,
  ...accountingHandlers,
  ...clientMoneyHandlers,
  ...invitationHandlers,
  ...agentHandlers,
  ...agentApprovalHandlers,
  ...agentAccessHandlers,
  ...cardHandlers,
  ...delegatedKeyHandlers,
  ...sandboxHandlers,
  ...sandboxCardHandlers,
  ...sandboxSendHandlers,
  ...sandboxDepositHandlers,
  ...sandboxTreasuryHandlers,
  ...sandboxRailEventHandlers,
  ...sandboxUmaHandlers,
  ...inboxHandlers,
  ...webhookHandlers,
  ...webhookEndpointHandlers,
  ...webhookSecretHandlers,
  ...eventStreamHandlers,
  ...policyReplayHandlers,
  ...approvalHandlers,
  ...overviewHandlers,
  ...searchHandlers,
  card_processor_event: cardProcessorEvent,
  verification_provider_event: verificationProviderEvent,
  rail_event: createRailEvent(recordStatement),
}

/** Handlers for the platform's webhook responses to events that request a decision. */
export const WEBHOOK_RESPONSE_RULES: ResponseRules = { 'INCOMING_PAYMENT.PENDING': applyWebhookDecision }

/** Validates the rows of a file like request bodies. */
const parseCreation = createParser(customer_create)
const importCustomers = createImportCustomers(
  async (op, body) => (await parseCreation({ params: {}, query: {}, body }, op)).body,
)

const parsePayoutLine = createParser({ ...payout_batch_create, body: PayoutLineRequest })
const runPayouts = createRunPayouts(
  async (op, body) => (await parsePayoutLine({ params: {}, query: {}, body }, op)).body,
)

/** The handler of each kind of job. */
export const JOB_HANDLERS: JobHandlers = {
  'accounts.backfill': backfillAccounts,
  'account-verification.expire': expireAccountVerification,
  'agent-action.expire': expireAgentAction,
  'agent.reject-waiting': rejectWaitingActions,
  'card.provision': provisionCard,
  'cards.continue': continueCards,
  'card.notify-processor': notifyCardProcessor,
  'card-transaction.expire': expireCardTransaction,
  'card-transaction.pull': pullCardTransaction,
  'chain.mint': mintAtFaucet,
  'customers.import': importCustomers,
  'deposit-account.open': openDepositAccount,
  'deposit.return': returnDeposit,
  'deposit.screened': placeScreenedDeposit,
  'customer.erase': eraseCustomer,
  'documents.remove': removeDocuments,
  'external-account.check': checkExternalAccount,
  'invitation.expire': expireInvitation,
  'member.digest': sendDigest,
  'message.deliver': deliverMessage,
  'own-money.sweep': runSweep,
  'payment-schedule.run': runSchedule,
  'payouts.run': runPayouts,
  'quote.expire': expireQuote,
  'rail-event.retry': retryRailEvent,
  'receipt.expire': expireReceipt,
  'receipt.settle': settleReceipt,
  'statement.book': bookStatement,
  'statement.compare': compareStatement,
  'stored-file.remove': removeStoredFile,
  'stored-files.clear': clearStoredFiles,
  'stablecoin-account.check': checkStablecoinAccount,
  'rail-payment.cancel': cancelRailPayment,
  'transaction.pull': pullTransaction,
  'transaction.refund': refundTransaction,
  'transaction.settle': settleTransaction,
  'treasury.settle': settleMovement,
  'transfer.settle': createTransferSettler(reportWithdrawalEnd),
  'verification.check': checkVerification,
  'verification.submit': submitVerification,
  'funds-hold.release': releaseFundsHold,
  'wallet.repay': repayFromWallet,
}
