import { accountType } from '@countersign/contract/accounts/account-types'
import { ConnectorStatement } from '@countersign/contract/connectors/events'
import {
  AccountCheck,
  Balances,
  buildConnectorMoney,
  DepositAccount,
  parseDigits,
  toEventSigningId,
} from '@countersign/contract/connectors/protocol'
import type { HttpRailValue } from '@countersign/contract/connectors/rails-file'
import { readBody } from '@countersign/contract/connectors/reader'
import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { isObject } from '@countersign/contract/core/decode'
import type { Static, TSchema } from 'typebox'
import { jsonFromUtf8 } from '../../base/crypto/encodings.ts'
import { isStandardSigned } from '../../base/crypto/standard-webhooks.ts'
import type { OpenedDepositAccount, RailPayment, RailReply } from '../../kernel/ports/rail.ts'
import { findNextOpening } from '../../money/rails/opening-hours.ts'
import type { ConfiguredRail } from '../../money/rails/registry.ts'
import { listIncomingCurrencies } from '../../money/rails/routing.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { describeRefusal, readErrorCode, toRailReply } from './outcomes.ts'
import { type Connector, type ConnectorResponse, callConnector } from './signed-call.ts'

/** A connector's response is invalid. The message is for logs and people. */
export class ConnectorError extends Error {}

/** Makes one call to a connector. */
type Call = (method: 'GET' | 'POST', path: string, body?: object, id?: string) => Promise<ConnectorResponse>

/**
 * Creates a rail of kind `http`: the operator's own service, which implements the protocol in
 * docs/connectors. `clock` is real time. If a call gets no response for any reason, the payment's outcome is
 * unknown.
 */
export function createHttpRail(
  entry: HttpRailValue,
  connector: Connector,
  clock: () => Date,
): ConfiguredRail {
  const call: Call = (method, path, body, id) => callConnector(connector, method, path, clock(), body, id)
  const { name, hours, isRetired = false, lateDeposits = 'RETURN' } = entry
  return {
    name,
    entry,
    isRetired,
    lateDeposits,
    currenciesIn: listIncomingCurrencies(entry),
    opensAt: (now) => (hours ? findNextOpening(hours, now) : now),
    send: (payment) => submitOrQuery(call, '/payments', payment, buildPaymentRequest(payment)),
    pull: (payment) => submitOrQuery(call, '/pulls', payment, buildPullRequest(payment)),
    // A connector does not know the balances of external accounts.
    pullable: async () => undefined,
    async openDepositAccount(_, { holder, ...fields }) {
      const request = { ...fields, ...(holder ? { holder } : {}) }
      const opened = readResult(
        DepositAccount,
        await call('POST', '/deposit-accounts', request, fields.id),
        'deposit',
      )
      checkSubject('account', fields.id, opened.id)
      return toOpenedAccount(opened)
    },
    async checkAccount(account) {
      const request = { ...toConnectorAccount(account), holderName: findHolderName(account) ?? '' }
      return readResult(AccountCheck, await call('POST', '/account-checks', request)).result
    },
    cancel: async (id) =>
      toRailReply(await call('POST', `/payments/${id}/cancel`, {}), id, {
        submittedAt: clock(),
        now: clock(),
      }),
    async balances() {
      const { balances } = readResult(Balances, await call('GET', '/balance'))
      return new Map(balances.map(({ currency, value }) => [currency, parseDigits(value) ?? 0n]))
    },
    async statement(date, currency) {
      const response = await call('GET', `/statements/${date}?currency=${currency}`)
      if (readErrorCode(response) === 'STATEMENT_NOT_FOUND') return undefined
      const statement = readResult(ConnectorStatement, response)
      checkSubject('statement', `${date} ${currency}`, `${statement.date} ${statement.currency}`)
      return statement
    },
    readEvent(headers, body) {
      if (!isStandardSigned(connector.secrets, headers, body, clock())) return undefined
      const event = jsonFromUtf8(body) ?? null
      return isSignedFor(name, headers['webhook-id'], event) ? event : undefined
    },
  }
}

/**
 * True if a delivery's signed id names this rail and this event. A body without an id passes here and is
 * rejected later.
 */
function isSignedFor(rail: string, signedId: string | undefined, event: unknown): boolean {
  const id = isObject(event) && typeof event.id === 'string' ? event.id : undefined
  return id === undefined
    ? signedId?.startsWith(toEventSigningId(rail, '')) === true
    : signedId === toEventSigningId(rail, id)
}

/**
 * Submits a payment or queries its status. If the connector never received it, the payment is submitted again
 * under the same id.
 */
async function submitOrQuery(
  call: Call,
  path: '/payments' | '/pulls',
  payment: RailPayment,
  request: object,
): Promise<RailReply> {
  const known = payment.alreadySubmitted ? await call('GET', `${path}/${payment.id}`) : undefined
  const response = known && !wasNeverReceived(known) ? known : await call('POST', path, request, payment.id)
  return toRailReply(response, payment.id, payment)
}

function wasNeverReceived(response: ConnectorResponse): boolean {
  const code = readErrorCode(response)
  return response.status === 404 && (code === 'PAYMENT_NOT_FOUND' || code === 'PULL_NOT_FOUND')
}

/** Reads the body of a 200 response. Throws ConnectorError for any other response. */
function readResult<T extends TSchema>(
  schema: T,
  response: ConnectorResponse,
  accounts?: 'deposit',
): Static<T> {
  if (response.why !== undefined) throw new ConnectorError(response.why)
  if (response.status !== 200) throw new ConnectorError(describeRefusal(response))
  const { value, fault } = readBody(schema, response.body, accounts)
  if (fault !== undefined) throw new ConnectorError(`The connector's response is invalid: ${fault}`)
  return value
}

/** Throws ConnectorError if a response is about something other than the call. */
function checkSubject(label: string, expected: string, actual: string): void {
  if (actual !== expected)
    throw new ConnectorError(
      `The call was about the ${label} ${expected}, but the response is about ${actual}`,
    )
}

function buildPaymentRequest(payment: RailPayment): object {
  const { returnOf, account, remittanceInformation } = payment
  return {
    ...buildCommonFields(payment),
    ...(returnOf === undefined
      ? { beneficiary: account && toParty(account) }
      : { returnOf: { depositId: returnOf } }),
    originator: { id: payment.originatorId },
    ...(remittanceInformation === null ? {} : { remittanceInformation }),
  }
}

function buildPullRequest(payment: RailPayment): object {
  return { ...buildCommonFields(payment), payer: payment.account && toParty(payment.account) }
}

function buildCommonFields({ id, amount, currency, paymentRail, reference, submittedAt }: RailPayment) {
  const decimals = isKnownCurrency(currency) ? toCurrencyRecord(currency).decimals : 0
  return {
    id,
    amount: buildConnectorMoney(amount, currency, decimals),
    ...(paymentRail === null ? {} : { rail: paymentRail }),
    reference,
    requestedAt: submittedAt.toISOString(),
  }
}

function toParty(account: AccountDetails) {
  const holderName = findHolderName(account)
  return { ...toConnectorAccount(account), ...(holderName === undefined ? {} : { holderName }) }
}

function toConnectorAccount({ accountType: type, ...account }: AccountDetails) {
  return { accountType: type, account }
}

/** The holder's full or legal name. Undefined for a wallet, which has no name. */
function findHolderName(account: AccountDetails): string | undefined {
  if (!('beneficiary' in account)) return undefined
  const { beneficiary } = account
  return beneficiary.beneficiaryType === 'INDIVIDUAL' ? beneficiary.fullName : beneficiary.legalName
}

function toOpenedAccount(opened: DepositAccount): OpenedDepositAccount {
  const { rails } = accountType(opened.accountType)
  // `readBody` has validated the fields for the account type.
  const accountInfo = {
    accountType: opened.accountType,
    ...opened.account,
    ...(rails.length > 0 ? { paymentRails: [...rails] } : {}),
  } as OpenedDepositAccount['accountInfo']
  return { railReference: opened.depositAccountId, matching: opened.matching, accountInfo }
}
