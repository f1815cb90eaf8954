import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../../worlds/client.testing.ts'
import { difference, isLine, MatchingWorld } from '../../worlds/production/matches.testing.ts'
import { dateBefore, ModelBank, openProduction } from '../../worlds/production/production.testing.ts'

let matching: MatchingWorld
beforeAll(async () => {
  matching = await MatchingWorld.open(await openProduction())
})
afterAll(() => matching.world.close())

const ACCOUNTS = ['costs', 'fx', 'receivables'] as const

const amountLists = fc.array(
  fc.integer({ min: -500, max: 500 }).filter((units) => units !== 0),
  { minLength: 2, maxLength: 6 },
)
const anyStep = fc.oneof(
  fc.record({ do: fc.constant('match' as const), bits: fc.nat(63), account: fc.constantFrom(...ACCOUNTS) }),
  fc.record({ do: fc.constantFrom('undo' as const, 'close' as const), nth: fc.nat(5) }),
)

test('whatever is matched, undone and closed, the rail account has exactly the sum of its matched lines, and the day adds up', async () => {
  await fc.assert(
    fc.asyncProperty(
      amountLists,
      fc.array(anyStep, { minLength: 1, maxLength: 8 }),
      async (amounts, steps) => {
        const bank = new ModelBank(matching.world)
        for (const amount of amounts) bank.book(dateBefore(0), { kind: 'OTHER', amount: String(amount) })
        await matching.closes(bank)
        const openLines: { id: string; amount: number }[] = (await matching.day(bank)).differences
          .filter(isLine)
          .map(({ about, amount }: Reply['body']) => ({ id: about, amount }))
        const matches: { id: string; sum: number; lines: string[]; status: string }[] = []
        const isHeld = (id: string) =>
          matches.some(({ lines, status }) => status !== 'UNDONE' && lines.includes(id))
        for (const action of steps) {
          if (action.do === 'match') {
            const chosenLines = openLines.filter((_, n) => (action.bits >> n) % 2 === 1)
            if (chosenLines.length === 0) continue
            const sum = chosenLines.reduce((total, { amount }) => total + amount, 0)
            const ids = chosenLines.map(({ id }) => id)
            const differenceFields = sum === 0 ? {} : difference(sum, action.account)
            const reply = await matching.match(bank, { statementEntryIds: ids, ...differenceFields })
            // A line belongs to at most one match.
            expect(reply.status).toBe(ids.some(isHeld) ? 409 : 201)
            if (reply.status === 201) matches.push({ id: reply.body.id, sum, lines: ids, status: 'MATCHED' })
          } else {
            const match = matches[action.nth]
            if (!match) continue
            const isOpen = match.status === 'MATCHED'
            const path = `/reconciliation-matches/${match.id}/close`
            const reply =
              action.do === 'undo' ? await matching.undo(match.id) : await matching.world.client.post(path)
            expect(reply.status).toBe(isOpen ? 200 : 409)
            if (isOpen) match.status = action.do === 'undo' ? 'UNDONE' : 'CLOSED'
          }
        }
        const activeMatches = matches.filter(({ status }) => status !== 'UNDONE')
        const bookedSum = activeMatches.reduce((total, { sum }) => total + sum, 0)
        expect(Number((await matching.books())[`rail:${bank.name}`] ?? 0n)).toBe(bookedSum)
        const day = await matching.day(bank)
        const unmatchedLines = openLines.filter(({ id }) => !isHeld(id))
        expect(day.differences.map(({ about }: Reply['body']) => about).sort()).toEqual(
          unmatchedLines.map(({ id }) => id).sort(),
        )
        expect(day.difference).toBe(unmatchedLines.reduce((total, { amount }) => total + amount, 0))
        // The debit balances of all accounts equal their credit balances.
        const { rows } = await matching.world.service.app.db.query<{ sum: bigint }>(
          `SELECT sum(CASE normal_side WHEN 'debit' THEN posted ELSE - posted END)::bigint AS sum FROM ledger_accounts`,
        )
        expect(rows[0]?.sum).toBe(0n)
      },
    ),
    { numRuns: 12 },
  )
})
