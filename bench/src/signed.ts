import { type Call, CONNECTIONS, cycle, type Figure, load, send, type Target } from './load.ts'
import { type Options, runOnServer } from './on-server.ts'
import { makePayers, PAYMENT, type Payer } from './payers.ts'
import { Pgbench, type TpcB } from './pgbench.ts'
import { printTable } from './table.ts'

/** Each wallet signs its own payments. */
const WALLETS = 32
const SHORT_WALLETS = 4
/** Signed payments before the measurement. Their rate determines how many to prepare. */
const WARM_UP_PAYMENTS = 2_000
const SHORT_PAYMENTS = 100

/**
 * Measures the signed call that executes a quote. The quotes, the first calls and the signatures are prepared
 * beforehand.
 */
export async function runSigned(options: Options): Promise<void> {
  const { seconds, rounds, isShort } = options
  await runOnServer(
    options,
    async () => undefined,
    async ({ target, credentials, cluster, waitUntilIdle }) => {
      const pgbench = await Pgbench.prepare(cluster, isShort)
      const payers = await makePayers(credentials, isShort ? SHORT_WALLETS : WALLETS)
      const pay = async (count: number) => {
        const calls = await prepareSignedCalls(target, payers, count)
        return load(target, { calls: count }, [() => takeCall(calls)], waitUntilIdle)
      }
      let { perSecond } = await pay(isShort ? SHORT_PAYMENTS : WARM_UP_PAYMENTS)
      const tpcB: TpcB[] = []
      const signed: Figure[] = []
      for (let n = 0; n < rounds; n++) {
        if (pgbench) tpcB.push(await pgbench.measure(seconds))
        const figure = await pay(isShort ? SHORT_PAYMENTS : Math.ceil(perSecond * seconds))
        signed.push(figure)
        perSecond = figure.perSecond
      }
      printTable(
        `The signed call of the execution of a quote${pgbench ? ', alongside pgbench (TPC-B) on the same PostgreSQL, fsync on' : ''}.
${CONNECTIONS} connections, ${payers.length} wallets, ${rounds} alternating rounds of about ${seconds} s.`,
        [
          ...(pgbench ? [{ name: 'pgbench', figures: tpcB }] : []),
          { name: 'signed payments', figures: signed },
        ],
      )
    },
  )
}

function takeCall(calls: Call[]): Call {
  const call = calls.pop()
  if (call === undefined) throw new Error('No prepared payments remain.')
  return call
}

interface Quote {
  readonly id: string
  readonly paymentInstructions: readonly {
    readonly accountOrWalletInfo: { readonly payloadToSign: string }
  }[]
}

/** Prepares quotes, and returns the signed second call that executes each of them. */
export async function prepareSignedCalls(
  target: Target,
  payers: readonly Payer[],
  count: number,
): Promise<Call[]> {
  const calls: Call[] = []
  let startedCount = 0
  const nextPayer = cycle(payers)
  const prepareCalls = async () => {
    while (startedCount++ < count) calls.push(await prepareSignedCall(target, nextPayer()))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, prepareCalls))
  return calls
}

async function prepareSignedCall(target: Target, payer: Payer): Promise<Call> {
  const quote = (await send(target, {
    path: '/quotes',
    body: {
      source: { sourceType: 'ACCOUNT', accountId: payer.walletId },
      destination: { destinationType: 'ACCOUNT', accountId: payer.bankAccountId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: Number(PAYMENT),
    },
    status: 201,
  })) as Quote
  const execution = { path: `/quotes/${quote.id}/execute`, headers: { 'Idempotency-Key': quote.id } }
  await send(target, { ...execution, status: 202 })
  const [instructions] = quote.paymentInstructions
  if (instructions === undefined) throw new Error('The quote has nothing to sign.')
  const { payloadToSign } = instructions.accountOrWalletInfo
  const { requestId } = JSON.parse(payloadToSign) as { requestId: string }
  const signature = await payer.session.key.sign(payloadToSign)
  const headers = { ...execution.headers, 'Svc-Wallet-Signature': signature, 'Request-Id': requestId }
  return { ...execution, headers, status: 200 }
}
