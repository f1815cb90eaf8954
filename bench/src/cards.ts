import { type Call, CONNECTIONS, type Figure, type Length, load, pickRandom } from './load.ts'
import { type Options, runOnServer } from './on-server.ts'
import { seedCards, seedPayers } from './seed.ts'
import { formatInteger, printTable } from './table.ts'

const CARDS = 10_000
const SHORT_CARDS = 100
const WARM_UP_SECONDS = 2
let callCount = 0

/**
 * Measures card authorizations. Each is decided, held, and stored under an idempotency key, like the events
 * of a card processor.
 */
export async function runCards(options: Options): Promise<void> {
  const { seconds, rounds, isShort } = options
  const count = isShort ? SHORT_CARDS : CARDS
  await runOnServer(
    options,
    async (db) => {
      await seedPayers(db, count)
      return seedCards(db, count)
    },
    async ({ seeded: cards, target }) => {
      const createAuthorizationSteps = (cardIds: readonly string[], length: Length) =>
        load(target, length, [() => buildAuthorizationCall(pickRandom(cardIds))])
      await createAuthorizationSteps(cards, { seconds: isShort ? 2 : WARM_UP_SECONDS })
      const spread: Figure[] = []
      const half: Figure[] = []
      const hot: Figure[] = []
      for (let n = 0; n < rounds; n++) {
        const figure = await createAuthorizationSteps(cards, { seconds })
        spread.push(figure)
        half.push(await createAuthorizationSteps(cards, { seconds, perSecond: figure.perSecond / 2 }))
        hot.push(await createAuthorizationSteps(cards.slice(0, 1), { seconds }))
      }
      printTable(
        `Authorizations of cards over HTTP: decided, held and committed. ${CONNECTIONS} connections, ${formatInteger(count)} cards,
${rounds} alternating rounds of ${seconds} s.`,
        [
          { name: 'spread', figures: spread },
          { name: 'spread, at half that rate', figures: half },
          { name: 'one card', figures: hot },
        ],
      )
    },
  )
}

/** An authorization of one cent at a coffee shop. */
export function buildAuthorizationCall(cardId: string): Call {
  return {
    path: `/sandbox/cards/${cardId}/simulate/authorization`,
    body: { amount: 1, currency: { code: 'USD' }, merchant: { descriptor: 'COFFEE SHOP', mcc: '5814' } },
    headers: { 'Idempotency-Key': `authorization-${process.pid}-${callCount++}` },
    status: 200,
  }
}
