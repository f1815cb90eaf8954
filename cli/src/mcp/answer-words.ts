import { isObject } from '@countersign/contract/core/decode'
import { OWN_SIDE } from '@countersign/contract/core/wire-word'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Finds an amount's currency in the object that contains the amount or in an enclosing one. `around` lists
 * these objects, innermost first.
 */
type FindCurrency = (around: readonly Json[]) => unknown

/** Tries each path in the object that contains the amount, then in the enclosing ones. */
const at =
  (...paths: readonly string[]): FindCurrency =>
  (around) => {
    for (const object of around)
      for (const path of paths) {
        const currency = path.split('.').reduce<unknown>((value, name) => getMember(value, name), object)
        if (currency !== undefined) return currency
      }
    return undefined
  }

const LIMITS = at('currency', 'spendingLimits.currency', 'policy.spendingLimits.currency')
const USAGE = at('policy.spendingLimits.currency', 'decision.currency')
const SENDING = at('sendingCurrency', 'sentAmount.currency', 'sourceCurrency')
const RECEIVING = at('receivingCurrency', 'receivedAmount.currency', 'destinationCurrency')

/** A limit on the number of actions holds counts instead of amounts. */
const unlessCounted: FindCurrency = (around) =>
  around[0]?.rule === 'dailyTransactionLimit' ? undefined : at('currency')(around)

/** Every property that holds an amount, and how to find its currency. */
const CURRENCY_OF: Readonly<Record<string, FindCurrency>> = {
  amount: LIMITS,
  perTransactionLimit: LIMITS,
  dailyLimit: LIMITS,
  monthlyLimit: LIMITS,
  dailySpend: USAGE,
  monthlySpend: USAGE,
  asked: unlessCounted,
  left: unlessCounted,
  sendingAmount: SENDING,
  minSendingAmount: SENDING,
  maxSendingAmount: SENDING,
  fixed: SENDING,
  total: SENDING,
  totalSendingAmount: SENDING,
  feesIncluded: SENDING,
  receivingAmount: RECEIVING,
  totalReceivingAmount: RECEIVING,
  fees: (around) => (around[0]?.type === 'INCOMING' ? RECEIVING(around) : SENDING(around)),
  [OWN_SIDE.fixedFee]: SENDING,
  [OWN_SIDE.variableFeeAmount]: SENDING,
  counterpartyFixedFee: RECEIVING,
}

/** The property that holds an amount as text: `amountInWords` for `amount`. */
export const toWordsName = (name: string) => `${name}InWords`

/** True if an integer property with this name holds an amount. */
export const isAmountName = (name: string) => Object.hasOwn(CURRENCY_OF, name)

/** The property that says that an action is waiting for approval. */
export const STATUS_IN_WORDS = 'statusInWords'

/**
 * Adds text to an API response: each amount also as text (`"amount": 2500n, "amountInWords": "25.00 USD"`),
 * and a sentence in each action that is waiting for approval.
 */
export function addWords(value: unknown, around: readonly Json[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => addWords(item, around))
  if (!isObject(value)) return value
  const scope = [value, ...around]
  const members = Object.entries(value).flatMap(([name, member]) => {
    const amountText = describeAmount(name, member, scope)
    const entries = [[name, addWords(member, scope)]]
    return amountText === undefined ? entries : [...entries, [toWordsName(name), amountText]]
  })
  const sentence = describePendingAction(value)
  return Object.fromEntries([...members, ...(sentence === undefined ? [] : [[STATUS_IN_WORDS, sentence]])])
}

/** Accepts numbers as well as bigints, because error details have no schema and contain plain numbers. */
function describeAmount(name: string, amount: unknown, around: readonly Json[]): string | undefined {
  const isInteger = typeof amount === 'bigint' || (typeof amount === 'number' && Number.isSafeInteger(amount))
  if (!isAmountName(name) || !isInteger) return undefined
  const currency = CURRENCY_OF[name]!(around)
  const code = isObject(currency) ? currency.code : currency
  if (typeof code !== 'string') return undefined
  const decimals = getMember(currency, 'decimals')
  return formatAmount(BigInt(amount), typeof decimals === 'number' ? { code, decimals } : findCurrency(code))
}

/**
 * Describes a pending action in a sentence that the model can pass on to the user. Undefined for anything
 * else.
 */
export function describePendingAction(value: unknown): string | undefined {
  if (!isObject(value) || value.status !== 'PENDING_APPROVAL' || !String(value.id).startsWith('AgentAction:'))
    return undefined
  const amount = describeAmountMoved(value)
  const expiresAt = getMember(value.quote, 'expiresAt')
  const deadline =
    typeof expiresAt === 'string' ? `before ${expiresAt}, when the quote expires` : 'within 24 hours'
  return (
    `Nothing has been paid yet: ${amount ?? 'the action'} waits until a person approves it. ` +
    `Tell the user, and do not request it again. It fails if nobody decides ${deadline}. ` +
    `To learn the decision, call countersign_wait_for_decision with actionId "${value.id}".`
  )
}

function describeAmountMoved({ quote, transferDetails }: Json): string | undefined {
  const [name, details] = isObject(quote) ? ['totalSendingAmount', quote] : ['amount', transferDetails]
  if (!isObject(details)) return undefined
  return describeAmount(name, details[name], [details])
}

function getMember(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
