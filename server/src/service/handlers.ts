import { customer_create } from '@countersign/contract/customers/customers'
import { internalAccountHandlers } from '../accounts/handlers.ts'
import { walletHandlers } from '../accounts/wallet-handlers.ts'
import { agentAccessHandlers } from '../agent-actions/access-handlers.ts'
import { agentApprovalHandlers } from '../agent-actions/handlers.ts'
import { expireAgentAction, rejectWaitingActions } from '../agent-actions/jobs.ts'
import { agentHandlers } from '../agents/handlers.ts'
import { policyReplayHandlers } from '../agents/policy-replay.ts'
import { transactionApprovalHandlers } from '../approvals/handlers.ts'
import { approvalHandlers } from '../approvals/list-handlers.ts'
import { auditHandlers } from '../audit/handlers.ts'
import { requestLogHandlers } from '../audit/request-handlers.ts'
import { beneficialOwnerHandlers } from '../beneficial-owners/handlers.ts'
import { ledgerBookHandlers } from '../books/handlers.ts'
import { delegatedKeyHandlers } from '../cards/delegated-keys.ts'
import { cardHandlers } from '../cards/handlers.ts'
import {
  expireCardTransaction,
  provisionCard,
  pullCardTransaction,
  tellCardProcessor,
} from '../cards/jobs.ts'
import { cardProcessorEvent } from '../cards/processor-handlers.ts'
import { contactVerificationHandlers } from '../contact-verification/handlers.ts'
import { customerDeletionHandlers } from '../customer-deletion/handlers.ts'
import { customerImportHandlers } from '../customer-imports/handlers.ts'
import { createImportCustomers } from '../customer-imports/jobs.ts'
import { customerTokenHandlers } from '../customer-tokens/handlers.ts'
import { customerHandlers } from '../customers/handlers.ts'
import { inboxHandlers } from '../delivery/handlers.ts'
import { deliverMessage } from '../delivery/jobs.ts'
import { depositHandlers } from '../deposits/handlers.ts'
import { openDepositAccount } from '../deposits/open.ts'
import { returnDeposit } from '../deposits/return.ts'
import { sandboxDepositHandlers } from '../deposits/sandbox-handlers.ts'
import { placeScreened } from '../deposits/screened.ts'
import { documentHandlers } from '../documents/handlers.ts'
import { removeDocuments } from '../documents/jobs.ts'
import { erasureHandlers } from '../erasures/handlers.ts'
import { eraseCustomer } from '../erasures/jobs.ts'
import { exchangeRateHandlers } from '../exchange-rates/handlers.ts'
import { discoveryHandlers } from '../external-accounts/discovery-handlers.ts'
import { externalAccountHandlers } from '../external-accounts/handlers.ts'
import { checkExternalAccount } from '../external-accounts/jobs.ts'
import { feeHandlers } from '../fees/handlers.ts'
import { createParser } from '../http/parse.ts'
import type { ServedHandlers } from '../http/server.ts'
import { invitationHandlers } from '../invitations/handlers.ts'
import { expireInvitation } from '../invitations/jobs.ts'
import type { JobHandlers } from '../jobs/kinds.ts'
import { kycLinkHandlers } from '../kyc-links/handlers.ts'
import { memberHandlers } from '../members/handlers.ts'
import { memberInvitationHandlers } from '../members/invitation-handlers.ts'
import {
  memberSelfHandlers,
  memberSessionHandlers,
  sandboxConsoleHandlers,
} from '../members/session-handlers.ts'
import { overviewHandlers } from '../overview/handlers.ts'
import { backfillAccounts } from '../platforms/accounts-backfill.ts'
import { configHandlers } from '../platforms/handlers.ts'
import { positionHandlers } from '../positions/handlers.ts'
import { ledgerCheckpointHandlers } from '../proofs/handlers.ts'
import { quoteHandlers } from '../quotes/handlers.ts'
import { expireQuote, refundTransaction, settleTransaction } from '../quotes/jobs.ts'
import { pullTransaction } from '../quotes/pull.ts'
import { sandboxSendHandlers } from '../quotes/sandbox-send.ts'
import { cancellationHandlers, cancelRailPayment } from '../rail-events/cancel.ts'
import { railEventHandlers, sandboxRailEventHandlers } from '../rail-events/handlers.ts'
import { createRailEvent } from '../rail-events/receive.ts'
import { retryRailEvent } from '../rail-events/retry.ts'
import { repayFromWallet } from '../rails/wallet-debts.ts'
import { answerReceipt } from '../receipts/answers.ts'
import { expireReceipt, settleReceipt } from '../receipts/jobs.ts'
import { receiverHandlers } from '../receivers/handlers.ts'
import { bookStatement } from '../reconciliations/book.ts'
import { reconciliationHandlers } from '../reconciliations/handlers.ts'
import { compareStatement } from '../reconciliations/reconcile.ts'
import { recordStatement } from '../reconciliations/statements.ts'
import { sandboxCardHandlers } from '../sandbox/card-handlers.ts'
import { mintAtFaucet } from '../sandbox/faucet.ts'
import { sandboxHandlers } from '../sandbox/handlers.ts'
import { sandboxUmaHandlers } from '../sandbox/uma-handlers.ts'
import { screeningHandlers } from '../screenings/handlers.ts'
import { searchHandlers } from '../search/handlers.ts'
import { credentialHandlers } from '../sign-in/handlers.ts'
import { credentialRegistrationHandlers } from '../sign-in/registration-handlers.ts'
import { sessionHandlers } from '../sign-in/session-handlers.ts'
import { stablecoinAccountHandlers } from '../stablecoin-accounts/handlers.ts'
import { checkStablecoinAccount } from '../stablecoin-accounts/jobs.ts'
import { statementHandlers } from '../statements/handlers.ts'
import { clearStoredFiles, removeStoredFile } from '../stored-files/jobs.ts'
import { tokenHandlers } from '../tokens/handlers.ts'
import { transactionHandlers } from '../transactions/handlers.ts'
import { transferHandlers } from '../transfers/handlers.ts'
import { settleTransfer } from '../transfers/jobs.ts'
import { umaProviderHandlers } from '../uma/handlers.ts'
import { verificationHandlers } from '../verifications/handlers.ts'
import { checkVerification, submitVerification } from '../verifications/jobs.ts'
import { verificationProviderEvent } from '../verifications/provider-handlers.ts'
import type { AnswerRules } from '../webhooks/answers.ts'
import { createDeliver } from '../webhooks/deliver.ts'
import { eventStreamHandlers, webhookHandlers } from '../webhooks/handlers.ts'
import { createReplay } from '../webhooks/replay.ts'
import { withdrawalFeeHandlers } from '../withdrawals/handlers.ts'

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
  ...discoveryHandlers,
  ...stablecoinAccountHandlers,
  ...credentialHandlers,
  ...credentialRegistrationHandlers,
  ...sessionHandlers,
  ...customerTokenHandlers,
  ...memberHandlers,
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
  ...withdrawalFeeHandlers,
  ...transactionHandlers,
  ...transactionApprovalHandlers,
  ...cancellationHandlers,
  ...depositHandlers,
  ...screeningHandlers,
  ...railEventHandlers,
  ...reconciliationHandlers,
  ...feeHandlers,
  ...statementHandlers,
  ...ledgerBookHandlers,
  ...ledgerCheckpointHandlers,
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
  ...sandboxRailEventHandlers,
  ...sandboxUmaHandlers,
  ...inboxHandlers,
  ...webhookHandlers,
  ...eventStreamHandlers,
  ...policyReplayHandlers,
  ...approvalHandlers,
  ...overviewHandlers,
  ...searchHandlers,
  card_processor_event: cardProcessorEvent,
  verification_provider_event: verificationProviderEvent,
  rail_event: createRailEvent(recordStatement),
}

/** Interprets the platform's answers to events that ask a question. */
export const WEBHOOK_ANSWERS: AnswerRules = { 'INCOMING_PAYMENT.PENDING': answerReceipt }

/** Checks the rows of a file as a call's body is checked. */
const parseCreation = createParser(customer_create)
const importCustomers = createImportCustomers(
  async (op, body) => (await parseCreation({ params: {}, query: {}, body }, op)).body,
)

const deliverWebhook = createDeliver(WEBHOOK_ANSWERS)

/** The handler of each kind of job. */
export const JOB_HANDLERS: JobHandlers = {
  'accounts.backfill': backfillAccounts,
  'agent-action.expire': expireAgentAction,
  'agent.reject-waiting': rejectWaitingActions,
  'card.provision': provisionCard,
  'card.tell-processor': tellCardProcessor,
  'card-transaction.expire': expireCardTransaction,
  'card-transaction.pull': pullCardTransaction,
  'chain.mint': mintAtFaucet,
  'customers.import': importCustomers,
  'deposit-account.open': openDepositAccount,
  'deposit.return': returnDeposit,
  'deposit.screened': placeScreened,
  'customer.erase': eraseCustomer,
  'documents.remove': removeDocuments,
  'external-account.check': checkExternalAccount,
  'invitation.expire': expireInvitation,
  'message.deliver': deliverMessage,
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
  'transfer.settle': settleTransfer,
  'verification.check': checkVerification,
  'verification.submit': submitVerification,
  'wallet.repay': repayFromWallet,
  'webhook.ask': deliverWebhook,
  'webhook.deliver': deliverWebhook,
  'webhook.replay': createReplay(WEBHOOK_ANSWERS),
}
