import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type {
  customer_create,
  customer_get,
  customer_update,
} from '@countersign/contract/customers/customers'
import { KYC_INITIAL, KYC_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import { findVerificationOutcome, takeSuffix } from '../../kernel/magic-values/magic-values.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { EventWrite } from '../../storage/commit/writes.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { findCurrencyConfig, type PlatformConfig } from '../platforms/platform-config.ts'
import { getWalletCurrencies } from '../platforms/wallet-network.ts'
import { computeContactStates, getInitialContactStates } from './contacts.ts'
import { selectCustomer } from './store.ts'

type CreateBody = BodyOf<typeof customer_create>
type UpdateBody = BodyOf<typeof customer_update>
type CustomerView = SuccessOf<typeof customer_get>['body']

const AGE_YEARS_MAX = 130
const UMA_NAME_BYTES = 8

/** Finds a customer. Throws 404 `USER_NOT_FOUND` or 410 `CUSTOMER_DELETED`, naming `field`. */
export async function findCustomer(op: Op, id: string, field = 'customerId'): Promise<CustomerRow> {
  const customer = await selectCustomer(op, id)
  if (!customer || !canSee(op, customer.id)) throw new ApiError('USER_NOT_FOUND', { details: { field } })
  if (customer.deleted_at) throw new ApiError('CUSTOMER_DELETED', { details: { field } })
  return customer
}

/** Finds a customer even if it is deleted, because old records still refer to it. */
export async function findCustomerOnRecord(op: Op, id: string): Promise<CustomerRow | undefined> {
  return selectCustomer(op, id)
}

/** A customer's display name. */
export function getCustomerName({ details, platform_customer_id }: CustomerRow): string {
  return details.fullName ?? details.businessInfo?.legalName ?? platform_customer_id
}

export async function isDeleted(op: Op, id: string): Promise<boolean> {
  return (await selectCustomer(op, id))?.deleted_at !== null
}

/**
 * Creates a customer. If omitted, the platform's id is derived from ours, and the UMA address is at the
 * platform's domain.
 */
export function makeCustomer(op: Op, config: PlatformConfig, body: CreateBody): CustomerRow {
  const id = op.newId('Customer')
  const described = {
    customer_type: body.customerType,
    region: body.region ?? null,
    email: body.email ?? null,
    details: readDetails(body),
  }
  return {
    id,
    platform_id: op.platform.id,
    platform_customer_id: body.platformCustomerId ?? id.slice('Customer:'.length),
    verification_status: decideFirstStatus(config, described),
    ...described,
    ...getInitialContactStates(described),
    currencies: body.currencies ?? null,
    uma_address: body.umaAddress ?? makeUmaAddress(op, config),
    version: 1,
    created_at: op.now,
    updated_at: op.now,
    deleted_at: null,
  }
}

/**
 * Applies a change to a customer; omitted fields keep their values. A postal address is replaced as a whole.
 */
export function changeCustomer(op: Op, customer: CustomerRow, body: UpdateBody): CustomerRow {
  if (body.customerType !== customer.customer_type)
    throw createFieldError(
      'INVALID_INPUT',
      'customerType',
      `The type of this customer is ${customer.customer_type} and cannot be changed.`,
    )
  const details = { ...customer.details, ...readDetails(body) }
  if (body.customerType === 'BUSINESS' && body.businessInfo) {
    const currentInfo = customer.details.businessInfo
    const businessInfo = { ...currentInfo, ...body.businessInfo }
    if (businessInfo.legalName === undefined)
      throw createFieldError('INVALID_INPUT', 'businessInfo.legalName', 'businessInfo.legalName is required')
    Object.assign(details, { businessInfo })
  }
  const changed = {
    ...customer,
    ...present({ currencies: body.currencies, email: body.email, uma_address: body.umaAddress }),
    details,
    updated_at: op.now,
    version: customer.version + 1,
  }
  return { ...changed, ...computeContactStates(customer, changed) }
}

function readDetails(body: CreateBody | UpdateBody): Record<string, unknown> {
  if (body.customerType === 'BUSINESS')
    return present({ phoneNumber: body.phoneNumber, address: body.address, businessInfo: body.businessInfo })
  const { phoneNumber, fullName, birthDate, nationality, address } = body
  return present({ phoneNumber, fullName, birthDate, nationality, address })
}

function makeUmaAddress(op: Op, config: PlatformConfig): string {
  return `$${Buffer.from(op.random(UMA_NAME_BYTES)).toString('hex')}@${config.umaDomain}`
}

/**
 * Decides the first verification status. A regulated platform has already verified its customers. All other
 * customers wait, unless the sandbox decides immediately by suffix (specification 4.16).
 */
function decideFirstStatus(
  config: PlatformConfig,
  described: VerificationData,
): CustomerRow['verification_status'] {
  if (config.isRegulatedFinancialInstitution) return KYC_TRANSITIONS[KYC_INITIAL].approve
  const isAutomatic = config.sandboxConfig?.verification === 'AUTOMATIC'
  return isAutomatic ? findVerificationOutcome(readVerificationSuffix(described)) : KYC_INITIAL
}

type VerificationData = Pick<CustomerRow, 'customer_type' | 'details'>

/**
 * Reads the characters that determine the sandbox's decision: the last three digits of a business's
 * registration number, or the last three characters of a person's last name.
 */
export function readVerificationSuffix({ customer_type, details }: VerificationData): string {
  if (customer_type === 'BUSINESS')
    return (details.businessInfo?.registrationNumber ?? '').replace(/\D/g, '').slice(-3)
  return takeSuffix((details.fullName ?? '').trim().split(/\s+/).at(-1) ?? '')
}

/** Throws 400 naming a date that is in the future, or too far in the past to be a date of birth. */
export function checkDates(op: Op, body: CreateBody | UpdateBody): void {
  if (body.customerType === 'BUSINESS') {
    const { incorporatedOn } = body.businessInfo ?? {}
    if (incorporatedOn !== undefined && incorporatedOn > toUtcDay(op.now))
      throw createFieldError(
        'INVALID_INPUT',
        'businessInfo.incorporatedOn',
        'businessInfo.incorporatedOn is in the future',
      )
  } else checkBirthDate(op, 'birthDate', body.birthDate)
}

/** Throws 400 naming the field if the date cannot be a living person's date of birth. */
export function checkBirthDate(op: Op, field: string, date: string | undefined): void {
  if (date === undefined) return
  const today = toUtcDay(op.now)
  const earliest = `${Number(today.slice(0, 4)) - AGE_YEARS_MAX}${today.slice(4)}`
  if (date > today) throw createFieldError('INVALID_INPUT', field, `${field} is in the future`)
  if (date < earliest)
    throw createFieldError('INVALID_INPUT', field, `${field} is more than ${AGE_YEARS_MAX} years ago`)
}

/**
 * Throws 400 naming the first currency that the platform does not support. The currency of its wallets is
 * always supported.
 */
export function checkCurrencies(config: PlatformConfig, currencies: readonly string[] = []): void {
  for (const [index, currency] of currencies.entries())
    if (!getWalletCurrencies(config).includes(currency) && !findCurrencyConfig(config, currency))
      throw createFieldError(
        'INVALID_CURRENCY',
        `currencies.${index}`,
        `The platform does not support ${currency}.`,
      )
}

/** Builds the event for a customer's verification status. Undefined if the status has no event. */
export function buildStatusEvent(op: Op, customer: CustomerRow): EventWrite | undefined {
  const { verification_status: status } = customer
  if (status === 'UNVERIFIED') return undefined
  const check = customer.customer_type === 'BUSINESS' ? 'KYB' : 'KYC'
  return event(op, `CUSTOMER.${check}_${status}`, customer.id, toCustomerView(customer))
}

/** The verification states of the customer's contacts; undefined if none is required. */
function toContactVerification({ email_verification: email, phone_verification: phone }: CustomerRow) {
  return email === null && phone === null ? undefined : present({ email, phone })
}

/** Converts a customer to its API form. */
export function toCustomerView(row: CustomerRow): CustomerView {
  const record = present({
    id: row.id,
    platformCustomerId: row.platform_customer_id,
    region: row.region,
    currencies: row.currencies,
    email: row.email,
    umaAddress: row.uma_address,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    isDeleted: row.deleted_at !== null,
    contactVerification: toContactVerification(row),
  })
  return row.customer_type === 'INDIVIDUAL'
    ? {
        customerType: 'INDIVIDUAL',
        ...record,
        ...row.details,
        kycStatus: row.verification_status,
      }
    : {
        customerType: 'BUSINESS',
        ...record,
        ...row.details,
        kybStatus: row.verification_status,
      }
}
