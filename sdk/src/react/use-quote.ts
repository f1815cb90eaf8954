import { useCallback, useEffect, useRef, useState } from 'react'
import type { Answer, BodyInput, Caller } from '../client/calls.ts'
import { signed } from '../signing/signed-retry.ts'
import { wait } from '../time/wait.ts'
import { type Transaction, waitForTransaction } from '../waiting/wait-for-transaction.ts'
import { SessionRequiredError } from '../wallet/wallet-access.ts'
import { useCountersign } from './context.ts'
import { restrictToQuote } from './hold-payment.ts'
import { useAction } from './use-action.ts'
import { useSession } from './use-session.ts'

export type Quote = Answer<'quote_get'>['body']

/** The input of a quote. If no source is given, the wallet pays. */
export type QuoteInput = Omit<BodyInput<'quote_create'>, 'source' | 'immediatelyExecute'> &
  Partial<Pick<BodyInput<'quote_create'>, 'source'>>

/** The progress of a payment. `SETTLED` and `FAILED` are final. */
export type PaymentPhase = 'NONE' | 'QUOTED' | 'UNDER_WAY' | 'SETTLED' | 'FAILED'

/** A single payment, from the quote to its final state. */
export interface QuoteControls {
  readonly quote: Quote | undefined
  readonly transaction: Transaction | undefined
  readonly phase: PaymentPhase
  readonly isBusy: boolean
  /** The error of the last step. Format it with `useErrorText`. */
  readonly error: unknown
  /** Requests a quote. No money moves. Resolves to undefined if it failed. */
  readonly create: (input: QuoteInput) => Promise<Quote | undefined>
  /**
   * Pays a quote from `create`: checks the payload against the request, asks the customer to confirm, signs
   * with the session, and follows the transaction until it is final.
   */
  readonly execute: (quote?: Quote) => Promise<void>
  readonly reset: () => void
}

const FOLLOW_TIMEOUT_MS = 60 * 60 * 1000
const RETRY_PAUSE_MS = 5_000

export function useQuote(): QuoteControls {
  const { client, accountId, refresh } = useCountersign()
  const { session } = useSession()
  const [quote, setQuote] = useState<Quote>()
  const [isPaid, setPaid] = useState(false)
  const { transaction, follow, forget } = useTransactionFollower()
  /** The input of each quote, against which its payload is checked. */
  const requests = useRef(new Map<string, QuoteInput>())

  const reset = useCallback(() => {
    forget()
    setQuote(undefined)
    setPaid(false)
  }, [forget])
  const creating = useAction(async (input: QuoteInput, onCreated: (quote: Quote) => void) => {
    reset()
    const source = input.source ?? { sourceType: 'ACCOUNT', accountId }
    const { body } = await client.call('quote_create', { body: { ...input, source } })
    requests.current.set(body.id, input)
    setQuote(body)
    onCreated(body)
  })
  const executing = useAction(async (selected: Quote | undefined) => {
    const request = selected && requests.current.get(selected.id)
    if (!selected || !request) throw new TypeError('Only a quote that was created here can be executed here.')
    if (!session) throw new SessionRequiredError('No customer is signed in.')
    const signer = restrictToQuote(session, selected, request)
    await signed(client, 'quote_execute', { params: { quoteId: selected.id } }, signer)
    setPaid(true)
    refresh()
    // Not awaited: the payment has been made even if following it fails.
    void follow(selected.transactionId)
  })

  const create = useCallback(
    async (input: QuoteInput) => {
      let created: Quote | undefined
      executing.clear()
      await creating.run(input, (quote) => {
        created = quote
      })
      return created
    },
    [creating.run, executing.clear],
  )
  const execute = useCallback(async (which = quote) => executing.run(which), [executing.run, quote])
  return {
    quote,
    transaction,
    phase: getPhase(quote, isPaid, transaction),
    isBusy: creating.isBusy || executing.isBusy,
    error: creating.error ?? executing.error,
    create,
    execute,
    reset,
  }
}

/** Follows a transaction until it is final. */
function useTransactionFollower() {
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
      const final = await waitUntilFinal(client, transactionId, stop.signal)
      if (!final) return
      setTransaction(final)
      refresh()
    },
    [client, refresh],
  )
  return { transaction, follow, forget }
}

/** Waits until a transaction is final, and keeps trying when the connection fails. Undefined once aborted. */
async function waitUntilFinal(
  client: Caller,
  id: string,
  signal: AbortSignal,
): Promise<Transaction | undefined> {
  while (!signal.aborted) {
    try {
      return await waitForTransaction(client, id, { signal, timeoutMs: FOLLOW_TIMEOUT_MS })
    } catch {
      await wait(RETRY_PAUSE_MS, signal).catch(() => {})
    }
  }
  return undefined
}

function getPhase(
  quote: Quote | undefined,
  isPaid: boolean,
  transaction: Transaction | undefined,
): PaymentPhase {
  if (!quote) return 'NONE'
  if (!isPaid) return 'QUOTED'
  if (!transaction) return 'UNDER_WAY'
  return transaction.status === 'COMPLETED' ? 'SETTLED' : 'FAILED'
}
