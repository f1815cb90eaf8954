import type { Countersign } from '../countersign.ts'
import {
  createAgent,
  createCard,
  makePurchase,
  payByAgent,
  payByQuote,
  transferOut,
} from './seed-activity.ts'
import { Choices, pickPerson } from './seed-choices.ts'
import { createCustomer, createUnverifiedCustomer, type SeededCustomer } from './seed-people.ts'

export interface SeedOptions {
  /** Called before each step with the number of completed steps, the total, and a description of the step. */
  readonly onProgress?: (progress: {
    readonly done: number
    readonly total: number
    readonly words: string
  }) => void
  /** Number of funded customers. Default: 12. */
  readonly customers?: number
  /** Number of days with payments. The sandbox clock advances through all of them. Default: 14. */
  readonly days?: number
  /** Runs with the same seed create the same names and amounts. Default: 1. */
  readonly seed?: number
}

/** The created customers and the number of simulated days. */
export interface Seeded {
  readonly customerIds: readonly string[]
  readonly days: number
}

const DAY_SECONDS = 86_400
const AGENT_NAMES = ['Bill payer', 'Travel booker']

/**
 * Fills a sandbox with realistic data: people and businesses, funded accounts and wallets, bank accounts,
 * payments (some of which fail), cards with purchases, agent actions waiting for approval, money in suspense,
 * and a pending verification. Uses only the public API, with a token that has all permissions. Advances the
 * sandbox clock, which cannot go back; if a call fails, rejects with its error and keeps the records created
 * so far.
 */
export async function seedSandbox(countersign: Countersign, options: SeedOptions = {}): Promise<Seeded> {
  const { onProgress, customers: count = 12, days = 14, seed = 1 } = options
  const choices = new Choices(seed)
  const total = count + days + 2
  let done = 0
  const step = async <T>(words: string, work: () => Promise<T>): Promise<T> => {
    onProgress?.({ done, total, words })
    const result = await work()
    done += 1
    return result
  }
  const customers: SeededCustomer[] = []
  for (let number = 0; number < count; number++)
    customers.push(
      await step(`Customer ${number + 1} of ${count}`, () => createCustomer(countersign, choices, number)),
    )
  const world = await step('Cards and agents', () => seedCardsAndAgents(countersign, customers))
  for (let day = 0; day < days; day++)
    await step(`Day ${day + 1} of ${days}`, async () => {
      await seedDay(countersign, choices, world)
      await countersign.sandbox.advanceClock({ seconds: DAY_SECONDS })
    })
  await step('Pending decisions', () => seedPendingDecisions(countersign, choices, world))
  onProgress?.({ done, total, words: 'Done' })
  return { customerIds: customers.map(({ id }) => id), days }
}

interface SeededWorld {
  readonly customers: readonly SeededCustomer[]
  readonly cardIds: readonly string[]
  readonly agents: readonly { readonly client: Countersign; readonly customer: SeededCustomer }[]
}

async function seedCardsAndAgents(
  countersign: Countersign,
  customers: readonly SeededCustomer[],
): Promise<SeededWorld> {
  const cardIds: string[] = []
  for (const customer of customers.slice(0, 3)) cardIds.push(await createCard(countersign, customer))
  const agents: SeededWorld['agents'][number][] = []
  for (const [index, name] of AGENT_NAMES.entries()) {
    const customer = customers[index]
    if (customer) agents.push({ customer, client: await createAgent(countersign, customer, name) })
  }
  // A background job issues the cards.
  await countersign.sandbox.advanceClock({ seconds: 1 })
  return { customers, cardIds, agents }
}

/** Makes one day's payments. Their number varies. */
async function seedDay(
  countersign: Countersign,
  choices: Choices,
  { customers, cardIds, agents }: SeededWorld,
): Promise<void> {
  if (customers.length === 0) return
  for (let n = choices.between(2, 6); n > 0; n--)
    await payByQuote(countersign, choices, choices.pick(customers))
  for (let n = choices.between(1, 4); n > 0; n--)
    await transferOut(countersign, choices, choices.pick(customers))
  for (const cardId of cardIds) if (choices.chance(70)) await makePurchase(countersign, choices, cardId)
  for (const { client, customer } of agents)
    if (choices.chance(60)) await payByAgent(client, customer, choices.between(2_000, 60_000))
}

/** Creates records that await a decision. */
async function seedPendingDecisions(
  countersign: Countersign,
  choices: Choices,
  { agents }: SeededWorld,
): Promise<void> {
  for (const { client, customer } of agents)
    await payByAgent(client, customer, choices.between(26_000, 39_000))
  await countersign.sandbox.deposit({
    amount: BigInt(choices.between(5_000, 90_000)),
    currency: 'USD',
    remittanceInformation: 'Invoice 2025-118',
    sender: { name: pickPerson(choices, 0).fullName, bankName: 'Bank of the Harbour' },
  })
  await createUnverifiedCustomer(countersign, choices)
}
