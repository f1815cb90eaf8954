import { useCallback, useEffect, useRef, useState } from 'react'
import type { Answer, BodyInput, Caller } from '../client/calls.ts'
import { signed } from '../signing/signed-retry.ts'
import { wait } from '../time/wait.ts'
import { type Transaction, waitForTransaction } from '../waiting/wait-for-transaction.ts'
import { SessionRequiredError } from '../wallet/wallet-access.ts'
import { useCountersign } from './context.ts'
import { signerOf } from './hold-payment.ts'
import { useAction } from './use-action.ts'
import { useSession } from './use-session.ts'

export type Quote = Answer<'quote_get'>['body']

/** The input of a quote; the wallet pays if no source is named. */
export type QuoteInput = Omit<BodyInput<'quote_create'>, 'source' | 'immediatelyExecute'> &
  Partial<Pick<BodyInput<'quote_create'>, 'source'>>

/** The progress of a payment. `SETTLED` and `FAILED` are final. */
export type PaymentPhase = 'NONE' | 'QUOTED' | 'UNDER_WAY' | 'SETTLED' | 'FAILED'

/** One payment, from its price to its end. */
export interface QuoteControls {
  readonly quote: Quote | undefined
  readonly transaction: Transaction | undefined
  readonly phase: PaymentPhase
  readonly isBusy: boolean
  /** The error of the last step, for `useErrorText`. */
  readonly error: unknown
  /** Requests a price. No money moves. Resolves to the quote, or to undefined if it failed. */
  readonly create: (input: QuoteInput) => Promise<Quote | undefined>
  /**
   * Pays a quote of `create`: the payload is compared with the request, the customer confirms, the session
   * signs, and the transaction is followed to its end.
   */
  readonly execute: (quote?: Quote) => Promise<void>
  readonly reset: () => void
}

const LOOKED_AT_MS = 60 * 60 * 1000
const LOST_CONNECTION_MS = 5_000

export function useQuote(): QuoteControls {
  const { client, accountId, refresh } = useCountersign()
  const { session } = useSession()
  const [quote, setQuote] = useState<Quote>()
  const [isPaid, setPaid] = useState(false)
  const { transaction, follow, forget } = useFollowed()
  /** The request of each quote, to compare its payload with. */
  const requests = useRef(new Map<string, QuoteInput>())

  const reset = useCallback(() => {
    forget()
    setQuote(undefined)
    setPaid(false)
  }, [forget])
  const creating = useAction(async (input: QuoteInput, made: (quote: Quote) => void) => {
    reset()
    const source = input.source ?? { sourceType: 'ACCOUNT', accountId }
    const { body } = await client.call('quote_create', { body: { ...input, source } })
    requests.current.set(body.id, input)
    setQuote(body)
    made(body)
  })
  const executing = useAction(async (which: Quote | undefined) => {
    const request = which && requests.current.get(which.id)
    if (!which || !request) throw new TypeError('Only a quote that was created here can be executed here.')
    if (!session) throw new SessionRequiredError('No customer is signed in.')
    const signer = signerOf(session, which, request)
    await signed(client, 'quote_execute', { params: { quoteId: which.id } }, signer)
    setPaid(true)
    refresh()
    // Not awaited: the payment is made, even if following it fails.
    void follow(which.transactionId)
  })

  const create = useCallback(
    async (input: QuoteInput) => {
      let made: Quote | undefined
      executing.clear()
      await creating.run(input, (quote) => {
        made = quote
      })
      return made
    },
    [creating.run, executing.clear],
  )
  const execute = useCallback(async (which = quote) => executing.run(which), [executing.run, quote])
  return {
    quote,
    transaction,
    phase: phaseOf(quote, isPaid, transaction),
    isBusy: creating.isBusy || executing.isBusy,
    error: creating.error ?? executing.error,
    create,
    execute,
    reset,
  }
}

/** Follows a transaction until it is final. */
function useFollowed() {
  const { client, refresh } = useCountersign()
  const [transaction, setTransaction] = useState<Transaction>()
  const following = useRef<AbortController>(undefined)
  useEffect(() => () => following.current?.abort(), [])
  const forget = useCallback(() => {
    following.current?.abort()
    setTransaction(undefined)
  }, [])
  const follow = useCallback(
    async (transactionId: string) => {
      following.current?.abort()
      const stop = new AbortController()
      following.current = stop
      const ended = await untilEnded(client, transactionId, stop.signal)
      if (!ended) return
      setTransaction(ended)
      refresh()
    },
    [client, refresh],
  )
  return { transaction, follow, forget }
}

/**
 * The transaction at its end, retried through connection failures. Undefined once no component follows it.
 */
async function untilEnded(client: Caller, id: string, signal: AbortSignal): Promise<Transaction | undefined> {
  while (!signal.aborted) {
    try {
      return await waitForTransaction(client, id, { signal, timeoutMs: LOOKED_AT_MS })
    } catch {
      await wait(LOST_CONNECTION_MS, signal).catch(() => {})
    }
  }
  return undefined
}

function phaseOf(
  quote: Quote | undefined,
  isPaid: boolean,
  transaction: Transaction | undefined,
): PaymentPhase {
  if (!quote) return 'NONE'
  if (!isPaid) return 'QUOTED'
  if (!transaction) return 'UNDER_WAY'
  return transaction.status === 'COMPLETED' ? 'SETTLED' : 'FAILED'
}
