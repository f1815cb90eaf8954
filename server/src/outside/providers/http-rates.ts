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
const RESPONSE_BYTES_MAX = 256 * 1024
/** The maximum interval between requests to a failing source. */
const ATTEMPT_EVERY_MS_MAX = 10_000
/** The maximum time by which the source's clock may be ahead of ours. */
const AHEAD_MS_MAX = 60 * 1000
/** A rate that has doubled or halved since the last usable table is rejected. */
const JUMP_MAX = 2n

interface CachedTable {
  readonly table: RateTable
  readonly fetchedAtMs: number
}

/**
 * Fetches rates with `GET url`, in the format of `parseRates`, and caches them for five minutes, refreshed in
 * the background, one fetch at a time. If a fetch fails, the last good table stays in use until it is
 * `maxAgeSeconds` old; after that, `snapshot` throws 503 `UNAVAILABLE`.
 *
 * A response is accepted only as a whole: status 200 without a redirect, within 5 s and 256 KiB, with rates
 * that are neither older than the cached ones nor too old, and at most a minute ahead of our clock, none of
 * which has doubled or halved since the last usable table.
 */
export function createHttpRates(options: HttpRatesOptions): RateProvider {
  const ageMsMax = options.maxAgeSeconds * 1000
  // Rates that are usable for less than ten minutes are refreshed after half of that time.
  const tableMs = Math.min(TABLE_MS, ageMsMax / 2)
  const attemptEveryMs = Math.min(ATTEMPT_EVERY_MS_MAX, tableMs / 4)
  let cached: CachedTable | undefined
  let attemptedAtMs = Number.NEGATIVE_INFINITY
  let isFailing = false
  let fetching: Promise<void> | undefined

  const getNowMs = () => options.clock().getTime()
  // The absolute difference, so that a clock that was set back does not make a table look young.
  const measureSinceMs = (time: number) => Math.abs(getNowMs() - time)
  const isUsable = ({ updatedAt }: RateTable) => {
    const ageMs = getNowMs() - updatedAt.getTime()
    return ageMs <= ageMsMax && ageMs >= -AHEAD_MS_MAX
  }
  const findUsable = () => (cached && isUsable(cached.table) ? cached.table : undefined)

  const acceptTable = (table: RateTable): void => {
    if (!isUsable(table)) throw new RatesError('"updatedAt" is too old, or ahead of our clock')
    if (cached && table.updatedAt < cached.table.updatedAt)
      throw new RatesError('the rates are older than the current ones')
    const before = findUsable()
    const currency = before && findJump(before, table)
    if (currency) throw new RatesError(`"rates.${currency}" has doubled or halved`)
    cached = { table, fetchedAtMs: getNowMs() }
  }

  const refresh = async (): Promise<void> => {
    try {
      acceptTable(parseRates(await fetchText(options)))
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
      const ageMs = cached ? measureSinceMs(cached.fetchedAtMs) : Number.POSITIVE_INFINITY
      const isDue = ageMs >= tableMs * 0.8 || !findUsable()
      if (isDue && fetching === undefined && measureSinceMs(attemptedAtMs) >= attemptEveryMs) {
        attemptedAtMs = getNowMs()
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
      const [oldRate, newRate] = [before.usdPerUnit(code), after.usdPerUnit(code)]
      if (!oldRate || !newRate) return false
      // Compare the fractions by their cross products.
      const oldProduct = oldRate.numerator * newRate.denominator
      const newProduct = newRate.numerator * oldRate.denominator
      return oldProduct > newProduct * JUMP_MAX || newProduct > oldProduct * JUMP_MAX
    })
}

/** Throws RatesError, or what `get` throws. */
async function fetchText({ url, get, timeoutMs = TIMEOUT_MS }: HttpRatesOptions): Promise<string> {
  const { status, body, isComplete } = await get(url, { timeoutMs, bytesMax: RESPONSE_BYTES_MAX })
  if (status !== 200) throw new RatesError(`the response has status ${status}`)
  if (!isComplete) throw new RatesError('the response is too long')
  const text = textFromUtf8(body)
  if (text === undefined) throw new RatesError('the response is not UTF-8')
  return text
}
