import { isObject } from '@countersign/contract/core/decode'
import { OWN_SIDE } from '@countersign/contract/core/wire-word'
import { currencyOf, formatAmount } from '../terminal/amounts.ts'

type Json = Readonly<Record<string, unknown>>

/** The currency of an amount, from the object that has the amount and those around it, the nearest first. */
type FindCurrency = (around: readonly Json[]) => unknown

/** Tries each path in the object of the amount, then in the one around it, and so on. */
const at =
  (...paths: readonly string[]): FindCurrency =>
  (around) => {
    for (const object of around)
      for (const path of paths) {
        const found = path.split('.').reduce<unknown>((value, name) => memberOf(value, name), object)
        if (found !== undefined) return found
      }
    return undefined
  }

const LIMITS = at('currency', 'spendingLimits.currency', 'policy.spendingLimits.currency')
const USAGE = at('policy.spendingLimits.currency', 'decision.currency')
const SENDING = at('sendingCurrency', 'sentAmount.currency', 'sourceCurrency')
const RECEIVING = at('receivingCurrency', 'receivedAmount.currency', 'destinationCurrency')

/** A limit on the number of actions has counts in place of amounts. */
const unlessCounted: FindCurrency = (around) =>
  around[0]?.rule === 'dailyTransactionLimit' ? undefined : at('currency')(around)

/** Every property that holds an amount, and the place of its currency. */
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

/** The property with an amount in words, next to the amount: `amountInWords` next to `amount`. */
export const wordsMember = (name: string) => `${name}InWords`

/** True if a 64-bit integer under this name is an amount. */
export const isAmountName = (name: string) => Object.hasOwn(CURRENCY_OF, name)

/** The property of an action with a sentence that says that it waits. */
export const STATUS_IN_WORDS = 'statusInWords'

/**
 * A response of the API with words: next to each amount its value for a person (`"amount": 2500n,
 * "amountInWords": "25.00 USD"`), and a sentence in an action that waits for approval.
 */
export function withWords(value: unknown, around: readonly Json[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => withWords(item, around))
  if (!isObject(value)) return value
  const scope = [value, ...around]
  const members = Object.entries(value).flatMap(([name, member]) => {
    const words = amountText(name, member, scope)
    const shown = [[name, withWords(member, scope)]]
    return words === undefined ? shown : [...shown, [wordsMember(name), words]]
  })
  const sentence = pendingSentence(value)
  return Object.fromEntries([...members, ...(sentence === undefined ? [] : [[STATUS_IN_WORDS, sentence]])])
}

/** Details of a refusal have no schema, so their integers are numbers. */
function amountText(name: string, amount: unknown, around: readonly Json[]): string | undefined {
  const isInteger = typeof amount === 'bigint' || (typeof amount === 'number' && Number.isSafeInteger(amount))
  if (!isAmountName(name) || !isInteger) return undefined
  const found = CURRENCY_OF[name]!(around)
  const code = isObject(found) ? found.code : found
  if (typeof code !== 'string') return undefined
  const decimals = memberOf(found, 'decimals')
  return formatAmount(BigInt(amount), typeof decimals === 'number' ? { code, decimals } : currencyOf(code))
}

/** A sentence about an action that waits for a person, for the model to pass on. Undefined for anything else. */
export function pendingSentence(value: unknown): string | undefined {
  if (!isObject(value) || value.status !== 'PENDING_APPROVAL' || !String(value.id).startsWith('AgentAction:'))
    return undefined
  const amount = describeAmountMoved(value)
  const until = memberOf(value.quote, 'expiresAt')
  const end = typeof until === 'string' ? `before ${until}, when the quote ends` : 'within 24 hours'
  return (
    `Nothing has been paid yet: ${amount ?? 'the action'} waits until a person approves it. ` +
    `Tell the user so, and do not ask for it again. It fails if nobody decides ${end}. ` +
    `To learn the decision, call countersign_wait_for_decision with actionId "${value.id}".`
  )
}

function describeAmountMoved({ quote, transferDetails }: Json): string | undefined {
  const [name, details] = isObject(quote) ? ['totalSendingAmount', quote] : ['amount', transferDetails]
  if (!isObject(details)) return undefined
  return amountText(name, details[name], [details])
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
