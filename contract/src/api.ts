import { accountChanges } from './accounts/account-changes.ts'
import { accountVerifications } from './accounts/account-verifications.ts'
import { discoveries } from './accounts/discoveries.ts'
import { externalAccounts } from './accounts/external-accounts.ts'
import { internalAccounts, wallets } from './accounts/internal-accounts.ts'
import { mandates } from './accounts/mandates.ts'
import { stablecoinAccounts } from './accounts/stablecoin-accounts.ts'
import { agentAccess } from './agents/agent-access.ts'
import { agentApprovals, agents } from './agents/agents.ts'
import { approvals } from './agents/approvals.ts'
import { policyReplays } from './agents/policy-replay.ts'
import { credentialRegistration } from './auth/credential-registration.ts'
import { credentials } from './auth/credentials.ts'
import { customerTokens } from './auth/customer-tokens.ts'
import { sessions } from './auth/sessions.ts'
import { tokens } from './auth/tokens.ts'
import { chartOfAccounts } from './books/chart-of-accounts.ts'
import { ledgerCheckpoints } from './books/checkpoints.ts'
import { journal } from './books/journal.ts'
import { ledgerBooks } from './books/ledger-books.ts'
import { statements } from './books/statements.ts'
import { cards } from './cards/cards.ts'
import { delegatedKeys } from './cards/delegated-keys.ts'
import { railEvents } from './connectors/rail-events.ts'
import type { Endpoint } from './core/endpoint.ts'
import { beneficialOwners } from './customers/beneficial-owners.ts'
import { contactVerification } from './customers/contact-verification.ts'
import { customerImports } from './customers/customer-imports.ts'
import { customerDeletion, customers } from './customers/customers.ts'
import { documents } from './customers/documents.ts'
import { customerErasures } from './customers/erasures.ts'
import { kycLinks } from './customers/kyc-links.ts'
import { verifications } from './customers/verifications.ts'
import { eventStream } from './events/event-stream.ts'
import { webhookEndpoints } from './events/webhook-endpoints.ts'
import { webhookSecrets } from './events/webhook-secrets.ts'
import { webhooks } from './events/webhooks.ts'
import { auditEvents } from './operation/audit-events.ts'
import { clientMoney } from './operation/client-money.ts'
import { memberRoles } from './operation/custom-roles.ts'
import { depositCorrections } from './operation/deposit-corrections.ts'
import { overview } from './operation/overview.ts'
import { ownMoney } from './operation/own-money.ts'
import { paymentDecisions } from './operation/payment-decisions.ts'
import { reconciliationMatches } from './operation/reconciliation-matches.ts'
import { reconciliations } from './operation/reconciliations.ts'
import { requests } from './operation/request-log.ts'
import { searches } from './operation/search.ts'
import { treasury } from './operation/treasury.ts'
import { cancellations } from './payments/cancellations.ts'
import { deposits } from './payments/deposits.ts'
import { exchangeRates } from './payments/exchange-rates.ts'
import { fees } from './payments/fees.ts'
import { fundsHolds } from './payments/funds-holds.ts'
import { sandboxUma, transactionApprovals } from './payments/incoming-payments.ts'
import { invitations } from './payments/invitations.ts'
import { paymentSchedules } from './payments/payment-schedules.ts'
import { payoutBatches } from './payments/payout-batches.ts'
import { positions } from './payments/positions.ts'
import { quotes } from './payments/quotes.ts'
import { receivers } from './payments/receivers.ts'
import { screenings } from './payments/screenings.ts'
import { transactions } from './payments/transactions.ts'
import { transfers } from './payments/transfers.ts'
import { umaProviders } from './payments/uma-providers.ts'
import { withdrawalFees } from './payments/withdrawal-fees.ts'
import { config } from './platforms/config.ts'
import { memberInvitations, memberSelf } from './platforms/member-passkeys.ts'
import { memberSessions } from './platforms/member-sessions.ts'
import { members } from './platforms/members.ts'
import { inbox } from './sandbox/inbox.ts'
import { sandbox } from './sandbox/sandbox.ts'
import { sandboxCards } from './sandbox/sandbox-cards.ts'
import { sandboxConsole } from './sandbox/sandbox-console.ts'
import { sandboxDeposits } from './sandbox/sandbox-deposits.ts'
import { sandboxExampleBanks } from './sandbox/sandbox-example-banks.ts'
import { sandboxSend } from './sandbox/sandbox-send.ts'
import { sandboxTreasury } from './sandbox/sandbox-treasury.ts'

/** All endpoints by name. Handler, store function and test use the same name. */
export const API = {
  ...config,
  ...tokens,
  ...overview,
  ...approvals,
  ...searches,
  ...members,
  ...memberRoles,
  ...memberSelf,
  ...memberSessions,
  ...memberInvitations,
  ...customers,
  ...customerDeletion,
  ...customerErasures,
  ...beneficialOwners,
  ...verifications,
  ...documents,
  ...contactVerification,
  ...customerImports,
  ...kycLinks,
  ...internalAccounts,
  ...wallets,
  ...externalAccounts,
  ...accountVerifications,
  ...accountChanges,
  ...mandates,
  ...discoveries,
  ...stablecoinAccounts,
  ...credentials,
  ...credentialRegistration,
  ...sessions,
  ...customerTokens,
  ...exchangeRates,
  ...receivers,
  ...umaProviders,
  ...quotes,
  ...positions,
  ...transfers,
  ...payoutBatches,
  ...paymentSchedules,
  ...ownMoney,
  ...treasury,
  ...withdrawalFees,
  ...transactions,
  ...transactionApprovals,
  ...cancellations,
  ...paymentDecisions,
  ...depositCorrections,
  ...deposits,
  ...screenings,
  ...fundsHolds,
  ...railEvents,
  ...reconciliations,
  ...reconciliationMatches,
  ...fees,
  ...statements,
  ...ledgerBooks,
  ...ledgerCheckpoints,
  ...journal,
  ...chartOfAccounts,
  ...clientMoney,
  ...invitations,
  ...agents,
  ...policyReplays,
  ...agentApprovals,
  ...agentAccess,
  ...cards,
  ...delegatedKeys,
  ...sandbox,
  ...sandboxConsole,
  ...sandboxCards,
  ...sandboxSend,
  ...sandboxDeposits,
  ...sandboxTreasury,
  ...sandboxExampleBanks,
  ...sandboxUma,
  ...inbox,
  ...webhooks,
  ...webhookEndpoints,
  ...webhookSecrets,
  ...eventStream,
  ...auditEvents,
  ...requests,
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof API
