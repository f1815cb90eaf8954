import { isObject } from './decode.ts'

/** The word that the specification writes where an identifier holds the name of a product (its conventions). */
export const WIRE_WORD = 'svc'

/** What a word may be, for a refusal: `must be …`. */
export const WIRE_WORD_IN_WORDS =
  '2 to 20 lower-case letters and digits that begin with a letter, and not "platform"'

/** The header of a signed call: the stamp over `payloadToSign`. */
export const WALLET_SIGNATURE_HEADER = 'Svc-Wallet-Signature'

/** The header of a webhook: the signature of the server's key. */
export const WEBHOOK_SIGNATURE_HEADER = 'X-Svc-Signature'

/** The header of a call that asks the sandbox for a fault. That of its answer has `-Applied` behind it. */
export const SANDBOX_FAULT_HEADER = 'Svc-Sandbox-Fault'

/** The reason of a card that we have closed. */
export const CLOSED_BY_SVC = 'CLOSED_BY_SVC'

/** The code of a payment whose switch, between us and the receiving side, fails. */
export const SWITCH_ERROR = 'SVC_SWITCH_ERROR'

/** The members of `rateDetails` that are about our side. */
export const OWN_SIDE = {
  multiplier: 'svcApiMultiplier',
  fixedFee: 'svcApiFixedFee',
  variableFeeRate: 'svcApiVariableFeeRate',
  variableFeeAmount: 'svcApiVariableFeeAmount',
} as const

const MEMBERS: readonly string[] = Object.values(OWN_SIDE)

/** Every name of the interface that holds the word. A test finds them in the contract's schemas and texts. */
const NAMES: readonly string[] = [
  WALLET_SIGNATURE_HEADER,
  WEBHOOK_SIGNATURE_HEADER,
  SANDBOX_FAULT_HEADER,
  CLOSED_BY_SVC,
  SWITCH_ERROR,
  ...MEMBERS,
]

const ANY_NAME = new RegExp(NAMES.join('|'), 'g')

/** Members that callers fill as they like. What is in them is theirs, however it is spelled. */
const FREE_FORM: ReadonlySet<string> = new Set([
  'counterpartyInformation',
  'receiverCustomerInfo',
  'senderCustomerInfo',
])

/** `PLATFORM` would make two reasons of a card one. */
export function isWireWord(text: string): boolean {
  return /^[a-z][a-z0-9]{1,19}$/.test(text) && text !== 'platform'
}

/** How the interface spells its names with one word. Everything else of the code knows the specification's word alone. */
export interface WireSpelling {
  readonly walletSignatureHeader: string
  readonly webhookSignatureHeader: string
  readonly sandboxFaultHeader: string
  /** A text of ours, such as the message of an error. */
  text(text: string): string
  /** The JSON of an answer or event. The value that is given stays as it is. */
  outward(value: unknown): unknown
  /** The way back: JSON with this word's names gets the specification's. */
  inward(value: unknown): unknown
}

/** Throws TypeError for what is no word. With the default word nothing is looked at and nothing copied. */
export function wireSpelling(word: string = WIRE_WORD): WireSpelling {
  if (!isWireWord(word)) throw new TypeError(`The wire word must be ${WIRE_WORD_IN_WORDS}, not "${word}"`)
  const spelled = (name: string) => name.replace(/svc/i, (part) => likeCase(part, word))
  const isDefault = word === WIRE_WORD
  const names = NAMES.map((name) => [name, spelled(name)] as const)
  const out = new Map(names)
  const back = new Map(names.map(([name, other]) => [other, name]))
  return {
    walletSignatureHeader: spelled(WALLET_SIGNATURE_HEADER),
    webhookSignatureHeader: spelled(WEBHOOK_SIGNATURE_HEADER),
    sandboxFaultHeader: spelled(SANDBOX_FAULT_HEADER),
    text: (text) => (isDefault ? text : text.replaceAll(ANY_NAME, spelled)),
    outward: (value) => (isDefault ? value : respelled(value, out)),
    inward: (value) => (isDefault ? value : respelled(value, back)),
  }
}

/** `word` in the case of `part`: `svc`, `Svc` or `SVC`. */
function likeCase(part: string, word: string): string {
  if (part === part.toUpperCase()) return word.toUpperCase()
  return part === part.toLowerCase() ? word : word.charAt(0).toUpperCase() + word.slice(1)
}

/** Changes the names where the contract has them: members of `rateDetails`, and the values of `stateReason` and `code`. */
function respelled(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => respelled(item, names))
  if (!isObject(value) || 'toJSON' in value) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, respelledMember(name, member, names)]),
  )
}

function respelledMember(name: string, member: unknown, names: ReadonlyMap<string, string>): unknown {
  if (FREE_FORM.has(name)) return member
  if ((name === 'stateReason' || name === 'code') && typeof member === 'string')
    return names.get(member) ?? member
  if (name !== 'rateDetails' || !isObject(member)) return respelled(member, names)
  return Object.fromEntries(Object.entries(member).map(([key, rate]) => [names.get(key) ?? key, rate]))
}
