import { isObject } from './decode.ts'

/** The word that the specification uses in identifiers instead of a brand (its conventions). */
export const WIRE_WORD = 'svc'

/** Describes the allowed words, for the error message `must be …`. */
export const WIRE_WORD_IN_WORDS =
  '2 to 20 lower-case letters and digits that begin with a letter, and not "platform"'

/** Request header with the stamp over `payloadToSign`. */
export const WALLET_SIGNATURE_HEADER = 'Svc-Wallet-Signature'

/** Webhook header with the signature by the server's key. */
export const WEBHOOK_SIGNATURE_HEADER = 'X-Svc-Signature'

/** Request header that requests a fault from the sandbox. In the response, the name ends in `-Applied`. */
export const SANDBOX_FAULT_HEADER = 'Svc-Sandbox-Fault'

/** The reason of a card that we have closed. */
export const CLOSED_BY_SVC = 'CLOSED_BY_SVC'

/** The code of a payment whose transfer to the receiving side fails. */
export const SWITCH_ERROR = 'SVC_SWITCH_ERROR'

/** The fields of `rateDetails` that concern our side. */
export const OWN_SIDE = {
  multiplier: 'svcApiMultiplier',
  fixedFee: 'svcApiFixedFee',
  variableFeeRate: 'svcApiVariableFeeRate',
  variableFeeAmount: 'svcApiVariableFeeAmount',
} as const

const MEMBERS: readonly string[] = Object.values(OWN_SIDE)

/**
 * All names in the API that contain the word. A test searches the contract's schemas and descriptions for
 * them.
 */
const NAMES: readonly string[] = [
  WALLET_SIGNATURE_HEADER,
  WEBHOOK_SIGNATURE_HEADER,
  SANDBOX_FAULT_HEADER,
  CLOSED_BY_SVC,
  SWITCH_ERROR,
  ...MEMBERS,
]

const ANY_NAME = new RegExp(NAMES.join('|'), 'g')

/** Fields with free-form content, which belongs to the caller and is never changed. */
const FREE_FORM: ReadonlySet<string> = new Set([
  'counterpartyInformation',
  'receiverCustomerInfo',
  'senderCustomerInfo',
])

/** `PLATFORM` is not allowed, because two card reasons would then be equal. */
export function isWireWord(text: string): boolean {
  return /^[a-z][a-z0-9]{1,19}$/.test(text) && text !== 'platform'
}

/** Replaces the word in the API's names. The rest of the code only knows the specification's word. */
export interface WireSpelling {
  /** True if nothing is replaced. */
  readonly isDefault: boolean
  readonly walletSignatureHeader: string
  readonly webhookSignatureHeader: string
  readonly sandboxFaultHeader: string
  /** Replaces the names in our own text, such as an error message. */
  text(text: string): string
  /** Replaces the names in a copy of a response's or event's JSON. */
  outward(value: unknown): unknown
  /** The reverse: restores the specification's names. */
  inward(value: unknown): unknown
}

/** Throws TypeError if the word is not allowed. With the default word, nothing is replaced or copied. */
export function createWireSpelling(word: string = WIRE_WORD): WireSpelling {
  if (!isWireWord(word)) throw new TypeError(`The wire word must be ${WIRE_WORD_IN_WORDS}, not "${word}".`)
  const spellName = (name: string) => name.replace(/svc/i, (part) => matchCase(part, word))
  const isDefault = word === WIRE_WORD
  const names = NAMES.map((name) => [name, spellName(name)] as const)
  const outwardNames = new Map(names)
  const inwardNames = new Map(names.map(([name, other]) => [other, name]))
  return {
    isDefault,
    walletSignatureHeader: spellName(WALLET_SIGNATURE_HEADER),
    webhookSignatureHeader: spellName(WEBHOOK_SIGNATURE_HEADER),
    sandboxFaultHeader: spellName(SANDBOX_FAULT_HEADER),
    text: (text) => (isDefault ? text : text.replaceAll(ANY_NAME, spellName)),
    outward: (value) => (isDefault ? value : respellNames(value, outwardNames)),
    inward: (value) => (isDefault ? value : respellNames(value, inwardNames)),
  }
}

/** Returns `word` in the letter case of `part`: `svc`, `Svc` or `SVC`. */
function matchCase(part: string, word: string): string {
  if (part === part.toUpperCase()) return word.toUpperCase()
  return part === part.toLowerCase() ? word : word.charAt(0).toUpperCase() + word.slice(1)
}

/**
 * Replaces names only where the contract has them: the keys of `rateDetails`, and the values of `stateReason`
 * and `code`.
 */
function respellNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => respellNames(item, names))
  if (!isObject(value) || 'toJSON' in value) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, respellMember(name, member, names)]),
  )
}

function respellMember(name: string, member: unknown, names: ReadonlyMap<string, string>): unknown {
  if (FREE_FORM.has(name)) return member
  if ((name === 'stateReason' || name === 'code') && typeof member === 'string')
    return names.get(member) ?? member
  if (name !== 'rateDetails' || !isObject(member)) return respellNames(member, names)
  return Object.fromEntries(Object.entries(member).map(([key, rate]) => [names.get(key) ?? key, rate]))
}
