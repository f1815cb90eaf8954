import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import { toCanonicalUmaAddress } from '@countersign/contract/core/formats'
import { getOwnValue } from '@countersign/contract/core/objects'
import { UMA_SCENARIOS } from '../../kernel/magic-values/payment-outcomes.ts'
import {
  type RequiredSenderField,
  UMA_RECEIVER_CURRENCY,
  UMA_REFUSALS,
  UMA_REQUIRED_FIELDS,
} from '../../kernel/magic-values/uma-receivers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { findCurrencyConfig, getPlatformConfig } from '../../people/platforms/platform-config.ts'
import type { Counterparty } from '../../storage/rows/stored-documents.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { checkAllowed } from './allowed-counterparties.ts'
import { SANDBOX_COUNTERPARTY, toCustomerCounterparty } from './counterparty.ts'
import { selectAccountCurrencies, selectCustomerAtUma } from './store.ts'

/** A receiver of UMA payments. */
export interface UmaReceiver {
  /** In lower case. */
  readonly address: string
  /** The currencies that it accepts, at least one. The first is the default. */
  readonly currencies: readonly KnownCurrency[]
  /** Set if the receiver is a customer of this platform. */
  readonly customerId?: string
  readonly counterparty: Counterparty
  /** The information about the sender that the receiver requires. */
  readonly requiredFields: readonly RequiredSenderField[]
}

/** Normalizes an UMA address for comparison. Throws 400 `INVALID_UMA_ADDRESS`, naming `field`. */
export function readUmaAddress(text: string, field: string): string {
  const address = toCanonicalUmaAddress(text)
  if (address === undefined)
    throw createFieldError('INVALID_UMA_ADDRESS', field, `${field} must have the form $name@host`)
  return address
}

/**
 * The receiver at an UMA address: in the sandbox a simulated receiver (specification 4.16), otherwise an
 * approved customer of this platform, with the currencies of its open accounts. No other receivers exist,
 * because this server is not connected to an UMA network. Errors, naming `field`: 400 `INVALID_UMA_ADDRESS`,
 * 403 `COUNTERPARTY_NOT_ALLOWED`, 404 `UMA_NOT_FOUND`, in the sandbox `COUNTERPARTY_ERRORS`.
 */
export async function resolveUma(op: Op, text: string, field: string): Promise<UmaReceiver> {
  const address = readUmaAddress(text, field)
  if (readSandboxName(op, address) !== undefined) checkAllowed(getPlatformConfig(op), address, field)
  const simulated = findSandboxReceiver(op, address, field)
  if (simulated) return simulated
  const customer = await findCustomerByUma(op, address)
  if (!customer) {
    checkAllowed(getPlatformConfig(op), address, field)
    throw new ApiError('UMA_NOT_FOUND', { details: { field } })
  }
  const currencies =
    customer.verification_status === 'APPROVED' ? await listReceivedCurrencies(op, customer) : []
  if (currencies.length === 0) throw new ApiError('UMA_NOT_FOUND', { details: { field } })
  const counterparty = toCustomerCounterparty(customer)
  return { address, currencies, customerId: customer.id, counterparty, requiredFields: [] }
}

/** The customer at a normalized address, approved or not. Throws 404 `UMA_NOT_FOUND`, naming `field`. */
export async function findCustomerAtUma(op: Op, address: string, field: string): Promise<CustomerRow> {
  const customer = await findCustomerByUma(op, address)
  if (!customer) throw new ApiError('UMA_NOT_FOUND', { details: { field } })
  return customer
}

/** The customer at a normalized address, approved or not; undefined if nobody has the address. */
export async function findCustomerByUma(op: Op, address: string): Promise<CustomerRow | undefined> {
  return selectCustomerAtUma(op, address)
}

/**
 * True if the platform accepts incoming payments in this currency. A currency without settings is accepted.
 */
export function mayReceive(op: Op, currency: string): boolean {
  const settings = findCurrencyConfig(getPlatformConfig(op), currency)
  return settings === undefined || settings.enabledTransactionTypes.includes('INCOMING')
}

/**
 * Rejects a simulated receiver that can be found but not quoted. Errors, naming `field`: 400
 * `QUOTE_REQUEST_FAILED`, 424 `PAYREQ_REQUEST_FAILED`, 500 `SVC_SWITCH_ERROR`.
 */
export function checkQuotes(op: Op, { address }: UmaReceiver, field: string): void {
  const refusal = UMA_REFUSALS[readSandboxName(op, address) ?? '']
  if (refusal) throw new ApiError(refusal.code, { details: { field } })
}

/** True if the address belongs to a simulated provider that does not disclose its customer. */
export function isUnknownToItsProvider(op: Op, address: string): boolean {
  return UMA_REFUSALS[readSandboxName(op, address) ?? '']?.code === 'LNURLP_REQUEST_FAILED'
}

/** The part before the `@` in the address of a simulated receiver. */
function readSandboxName(op: Op, address: string): string | undefined {
  const [name, domain] = address.split('@')
  return op.mode === 'sandbox' && domain === op.sandboxUmaDomain ? name : undefined
}

function findSandboxReceiver(op: Op, address: string, field: string): UmaReceiver | undefined {
  const name = readSandboxName(op, address) ?? ''
  const refusal = getOwnValue(UMA_REFUSALS, name)
  if (refusal?.at === 'lookup') throw new ApiError(refusal.code, { details: { field } })
  const requiredFields = getOwnValue(UMA_REQUIRED_FIELDS, name)
  const scenario = getOwnValue(UMA_SCENARIOS, name)
  const currency = scenario?.currency ?? (refusal || requiredFields ? UMA_RECEIVER_CURRENCY : undefined)
  return (
    currency && {
      address,
      currencies: [currency],
      counterparty: SANDBOX_COUNTERPARTY,
      requiredFields: requiredFields ?? [],
    }
  )
}

/**
 * The currencies that a customer can receive: its preferred ones first, then in the order of the settings,
 * and the wallet's currency last.
 */
async function listReceivedCurrencies(op: Op, customer: CustomerRow): Promise<KnownCurrency[]> {
  const accountCurrencies = (await selectAccountCurrencies(op, customer.id)).filter(isKnownCurrency)
  const settings = getPlatformConfig(op).supportedCurrencies.map(({ currencyCode }) => currencyCode)
  const order = [...new Set([...(customer.currencies ?? []), ...settings, ...accountCurrencies])]
  return accountCurrencies
    .filter((currency) => mayReceive(op, currency))
    .sort((left, right) => order.indexOf(left) - order.indexOf(right))
}
