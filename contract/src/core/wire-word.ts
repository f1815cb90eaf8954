import { isObject } from './decode.ts'

/** The word that the specification uses in identifiers in place of a product name (its conventions). */
export const WIRE_WORD = 'svc'

/** The allowed words, for the error message `must be …`. */
export const WIRE_WORD_IN_WORDS =
  '2 to 20 lower-case letters and digits that begin with a letter, and not "platform"'

/** The header of a signed call: the stamp over `payloadToSign`. */
export const WALLET_SIGNATURE_HEADER = 'Svc-Wallet-Signature'

/** The header of a webhook: the signature of the server's key. */
export const WEBHOOK_SIGNATURE_HEADER = 'X-Svc-Signature'

/**
 * The header of a call that requests a fault from the sandbox. The response has the same name with
 * `-Applied`.
 */
export const SANDBOX_FAULT_HEADER = 'Svc-Sandbox-Fault'

/** The reason of a card that we have closed. */
export const CLOSED_BY_SVC = 'CLOSED_BY_SVC'

/** The code of a payment whose switch to the receiving side fails. */
export const SWITCH_ERROR = 'SVC_SWITCH_ERROR'

/** The fields of `rateDetails` about our side. */
export const OWN_SIDE = {
  multiplier: 'svcApiMultiplier',
  fixedFee: 'svcApiFixedFee',
  variableFeeRate: 'svcApiVariableFeeRate',
  variableFeeAmount: 'svcApiVariableFeeAmount',
} as const

const MEMBERS: readonly string[] = Object.values(OWN_SIDE)

/**
 * Every name of the API that contains the word. A test finds them in the contract's schemas and descriptions.
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

/** Fields with free-form content: it belongs to the caller and is never respelled. */
const FREE_FORM: ReadonlySet<string> = new Set([
  'counterpartyInformation',
  'receiverCustomerInfo',
  'senderCustomerInfo',
])

/** Excludes `PLATFORM`, which would make two reasons of a card equal. */
export function isWireWord(text: string): boolean {
  return /^[a-z][a-z0-9]{1,19}$/.test(text) && text !== 'platform'
}

/** Spells the names of the API with one word. The rest of the code knows only the specification's word. */
export interface WireSpelling {
  /** True if nothing is respelled. */
  readonly isDefault: boolean
  readonly walletSignatureHeader: string
  readonly webhookSignatureHeader: string
  readonly sandboxFaultHeader: string
  /** Respells our own text, such as an error message. */
  text(text: string): string
  /** Respells the JSON of a response or event into a copy. */
  outward(value: unknown): unknown
  /** The reverse: replaces this word's names by the specification's. */
  inward(value: unknown): unknown
}

/** Throws TypeError for a word that is not allowed. The default word changes and copies nothing. */
export function wireSpelling(word: string = WIRE_WORD): WireSpelling {
  if (!isWireWord(word)) throw new TypeError(`The wire word must be ${WIRE_WORD_IN_WORDS}, not "${word}"`)
  const spellName = (name: string) => name.replace(/svc/i, (part) => likeCase(part, word))
  const isDefault = word === WIRE_WORD
  const names = NAMES.map((name) => [name, spellName(name)] as const)
  const out = new Map(names)
  const back = new Map(names.map(([name, other]) => [other, name]))
  return {
    isDefault,
    walletSignatureHeader: spellName(WALLET_SIGNATURE_HEADER),
    webhookSignatureHeader: spellName(WEBHOOK_SIGNATURE_HEADER),
    sandboxFaultHeader: spellName(SANDBOX_FAULT_HEADER),
    text: (text) => (isDefault ? text : text.replaceAll(ANY_NAME, spellName)),
    outward: (value) => (isDefault ? value : respellNames(value, out)),
    inward: (value) => (isDefault ? value : respellNames(value, back)),
  }
}

/** `word` in the case of `part`: `svc`, `Svc` or `SVC`. */
function likeCase(part: string, word: string): string {
  if (part === part.toUpperCase()) return word.toUpperCase()
  return part === part.toLowerCase() ? word : word.charAt(0).toUpperCase() + word.slice(1)
}

/**
 * Changes the names at their places in the contract: keys of `rateDetails`, and the values of `stateReason`
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
