import { parseJson, toJson } from '../../json/json.ts'
import { ERASED_UMA_ADDRESS } from './table-columns.ts'

/**
 * Records as JSON, such as events show them, without the person. What stays has to be named: a text in any other member is
 * erased, so one that is new is too.
 */

/** What the text of a record begins with that was erased. */
export const ERASED_MARK = '{"isErased":true'

/** Members whose text is a word of ours, a name of a payment, or a currency. */
const KEPT_TEXTS: ReadonlySet<string> = new Set([
  'accountType',
  'asset',
  'because',
  'channel',
  'code',
  'currencies',
  'currency',
  'customerType',
  'decision',
  'destinationType',
  'direction',
  'exchangeRate',
  'executionMode',
  'failureReason',
  'form',
  'kybStatus',
  'kycStatus',
  'list',
  'network',
  'outcome',
  'paymentRail',
  'paymentRails',
  'permission',
  'provider',
  'rail',
  'railReference',
  'reference',
  'rule',
  'sourceType',
  'state',
  'stateReason',
  'status',
  'transactionHash',
  'type',
  'verificationStatus',
])

/** Members that answers need not have. */
const DROPPED: ReadonlySet<string> = new Set([
  'accountHolderName',
  'accountIdentifier',
  'address',
  'bankIdentifier',
  'bankName',
  'beneficialOwners',
  'birthDate',
  'brand',
  'businessInfo',
  'contactVerification',
  'counterpartyInformation',
  'description',
  'detail',
  'documentNumber',
  'email',
  'endToEndId',
  'expMonth',
  'expYear',
  'firstName',
  'fullName',
  'last4',
  'nationality',
  'note',
  'panEmbedUrl',
  'paymentInstructions',
  'personalInfo',
  'phoneNumber',
  'region',
  'remittanceInformation',
  'requestedReceiverCustomerInfoFields',
])

/** Lists that answers have, and that may be empty. */
const EMPTIED: ReadonlySet<string> = new Set(['errors', 'fundingPaymentInstructions'])

const ID = /^[A-Z][A-Za-z]+:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const UMA = /^\$[^@\s]+@\S+$/
/** A reason that is a word of ours. */
const WORD = /^[A-Z]+(?:_[A-Z]+)*$/

/** A record without what is personal, marked as such. Throws for a text that is no JSON object. */
export function withoutPerson(text: string): string {
  if (text.startsWith(ERASED_MARK)) return text
  const rest = toJson(redacted(parseJson(text), '')).slice('{'.length)
  return ERASED_MARK + (rest === '}' ? rest : `,${rest}`)
}

function redacted(value: unknown, name: string): unknown {
  if (typeof value === 'string') return redactedText(value, name)
  if (Array.isArray(value)) return value.map((one) => redacted(one, name))
  if (typeof value !== 'object' || value === null) return value
  if ('code' in value && 'decimals' in value) return value
  // A public chain has the address for good.
  if ('destinationType' in value && value.destinationType === 'CHAIN_ADDRESS') return value
  return Object.fromEntries(
    Object.entries(value)
      // An address on a chain, which is a text, is one that answers have.
      .filter(
        ([member, inner]) => !DROPPED.has(member) || (member === 'address' && typeof inner === 'string'),
      )
      .map(([member, inner]) => [member, EMPTIED.has(member) ? [] : redacted(inner, member)]),
  )
}

function redactedText(text: string, name: string): string {
  if (KEPT_TEXTS.has(name) || ID.test(text) || TIME.test(text)) return text
  if (name === 'reason' && WORD.test(text)) return text
  return UMA.test(text) ? ERASED_UMA_ADDRESS : 'erased'
}

/** Which side of a payment of somebody else the person is. */
export type Side = 'source' | 'destination'

/** What the payer has written is shown to the payee as well. */
const WRITTEN_BY_PAYER: ReadonlySet<string> = new Set(['description', 'remittanceInformation'])

/** A payment of somebody else, without what it says of the person on this side of it. */
export function withoutSide(text: string, side: Side): string {
  const record = parseJson(text) as Readonly<Record<string, unknown>>
  const members = Object.entries(record)
    .filter(([member]) => member !== 'counterpartyInformation')
    .filter(([member]) => side === 'destination' || !WRITTEN_BY_PAYER.has(member))
    .map(([member, value]) => [member, member === side ? withoutUmaAddress(value) : value])
  return toJson(Object.fromEntries(members))
}

function withoutUmaAddress(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('umaAddress' in value)) return value
  return { ...value, umaAddress: ERASED_UMA_ADDRESS }
}

/** A record of somebody else, with another address in place of the person's. */
export function withoutAddress(text: string, umaAddress: string): string {
  return text.replaceAll(toJson(umaAddress), toJson(ERASED_UMA_ADDRESS))
}
