import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import { textFromUtf8 } from '../../base/crypto/encodings.ts'
import type { Get } from '../../base/http-client/send.ts'
import { type RateTable, TABLE_MS } from '../../base/pricing/ratios.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { RateProvider } from '../../kernel/ports/rates.ts'
import { parseRates, RatesError } from './rates-document.ts'

export interface HttpRatesOptions {
  readonly url: string
  /** The maximum age of usable rates, measured from their time at the source. */
  readonly maxAgeSeconds: number
  /** May reach private networks, because the operator configures the URL. */
  readonly get: Get
  /** Real time, as used by the source. */
  readonly clock: () => Date
  /** From the first packet to the last byte. Defaults to 5000. */
  readonly timeoutMs?: number
  /** Called after each failed fetch, to log it. */
  readonly onFailure?: (cause: unknown) => void
}

const TIMEOUT_MS = 5000
const ANSWER_BYTES_MAX = 256 * 1024
/** The maximum interval between requests to a failing source. */
const ATTEMPT_EVERY_MS_MAX = 10_000
/** The maximum time by which the source's clock may be ahead of ours. */
const AHEAD_MS_MAX = 60 * 1000
/** A rate that has doubled or halved since the last usable table is rejected. */
const JUMP_MAX = 2n

interface Known {
  readonly table: RateTable
  readonly fetchedAtMs: number
}

/**
 * Fetches rates with `GET url`, in the format of `parseRates`, and caches them for five minutes, refreshed in
 * the background, one fetch at a time. If a fetch fails, the last good table stays in use until it is
 * `maxAgeSeconds` old; after that there are no rates (503). A response is accepted only as a whole: status
 * 200 without a redirect, within 5 s and 256 KiB, with rates that are neither older than the cached ones nor
 * too old to use, dated at most a minute ahead of our clock, and none of which has doubled or halved since
 * the last usable table.
 */
export function createHttpRates(options: HttpRatesOptions): RateProvider {
  const maxAgeMs = options.maxAgeSeconds * 1000
  // Rates that are usable for less than ten minutes are refreshed after half of that time.
  const tableMs = Math.min(TABLE_MS, maxAgeMs / 2)
  const attemptEveryMs = Math.min(ATTEMPT_EVERY_MS_MAX, tableMs / 4)
  let known: Known | undefined
  let attemptedAtMs = Number.NEGATIVE_INFINITY
  let isFailing = false
  let fetching: Promise<void> | undefined

  const nowMs = () => options.clock().getTime()
  // The absolute difference, so that a clock that was set back does not make a table look young.
  const sinceMs = (time: number) => Math.abs(nowMs() - time)
  const isUsable = ({ updatedAt }: RateTable) => {
    const ageMs = nowMs() - updatedAt.getTime()
    return ageMs <= maxAgeMs && ageMs >= -AHEAD_MS_MAX
  }
  const findUsable = () => (known && isUsable(known.table) ? known.table : undefined)

  const take = (table: RateTable): void => {
    if (!isUsable(table)) throw new RatesError('"updatedAt" is too old, or ahead of our clock')
    if (known && table.updatedAt < known.table.updatedAt)
      throw new RatesError('the rates are older than the current ones')
    const before = findUsable()
    const jumped = before && findJump(before, table)
    if (jumped) throw new RatesError(`"rates.${jumped}" has doubled or halved`)
    known = { table, fetchedAtMs: nowMs() }
  }

  const refresh = async (): Promise<void> => {
    try {
      take(parseRates(await fetchText(options)))
      isFailing = false
    } catch (cause) {
      isFailing = true
      options.onFailure?.(cause)
    } finally {
      fetching = undefined
    }
  }

  return {
    async snapshot() {
      const ageMs = known ? sinceMs(known.fetchedAtMs) : Number.POSITIVE_INFINITY
      const isDue = ageMs >= tableMs * 0.8 || !findUsable()
      if (isDue && fetching === undefined && sinceMs(attemptedAtMs) >= attemptEveryMs) {
        attemptedAtMs = nowMs()
        fetching = refresh()
      }
      // A caller that has usable rates does not wait for a failing source.
      if (!findUsable() || (ageMs >= tableMs && !isFailing)) await fetching
      const table = findUsable()
      if (table) return table
      throw new ApiError('UNAVAILABLE', {
        message: 'No current exchange rates are available. Try again.',
        headers: { 'Retry-After': '10' },
      })
    },
  }
}

/** Finds the first currency whose rate changed by more than the factor. */
function findJump(before: RateTable, after: RateTable): string | undefined {
  return Object.keys(CURRENCIES)
    .filter(isKnownCurrency)
    .find((code) => {
      const [a, b] = [before.usdPerUnit(code), after.usdPerUnit(code)]
      if (!a || !b) return false
      const [x, y] = [a.numerator * b.denominator, b.numerator * a.denominator]
      return x > y * JUMP_MAX || y > x * JUMP_MAX
    })
}

/** Throws RatesError, or what `get` throws. */
async function fetchText({ url, get, timeoutMs = TIMEOUT_MS }: HttpRatesOptions): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  const { status, body, isWhole } = await get(url, { signal, bytesMax: ANSWER_BYTES_MAX })
  if (status !== 200) throw new RatesError(`the response has status ${status}`)
  if (!isWhole) throw new RatesError('the response is too long')
  const text = textFromUtf8(body)
  if (text === undefined) throw new RatesError('the response is not UTF-8')
  return text
}
