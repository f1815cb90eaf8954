import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../../worlds/client.testing.ts'
import { difference, isLine, MatchingWorld } from '../../worlds/production/matches.testing.ts'
import { dateBefore, ModelBank, openProduction } from '../../worlds/production/production.testing.ts'

let at: MatchingWorld
beforeAll(async () => {
  at = await MatchingWorld.open(await openProduction())
})
afterAll(() => at.world.close())

const ACCOUNTS = ['costs', 'fx', 'receivables'] as const

const lines = fc.array(
  fc.integer({ min: -500, max: 500 }).filter((units) => units !== 0),
  { minLength: 2, maxLength: 6 },
)
const step = fc.oneof(
  fc.record({ do: fc.constant('match' as const), bits: fc.nat(63), account: fc.constantFrom(...ACCOUNTS) }),
  fc.record({ do: fc.constantFrom('undo' as const, 'close' as const), nth: fc.nat(5) }),
)

test('whatever is matched, undone and closed, the account of the rail has exactly what its matched lines sum to, and the day adds up', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.array(step, { minLength: 1, maxLength: 8 }), async (amounts, steps) => {
      const bank = new ModelBank(at.world)
      for (const amount of amounts) bank.book(dateBefore(0), { kind: 'OTHER', amount: String(amount) })
      await at.closes(bank)
      const open: { id: string; amount: number }[] = (await at.day(bank)).differences
        .filter(isLine)
        .map(({ about, amount }: Reply['body']) => ({ id: about, amount }))
      const made: { id: string; sum: number; lines: string[]; status: string }[] = []
      const isHeld = (id: string) =>
        made.some(({ lines, status }) => status !== 'UNDONE' && lines.includes(id))
      for (const one of steps) {
        if (one.do === 'match') {
          const chosen = open.filter((_, n) => (one.bits >> n) % 2 === 1)
          if (chosen.length === 0) continue
          const sum = chosen.reduce((total, { amount }) => total + amount, 0)
          const ids = chosen.map(({ id }) => id)
          const more = sum === 0 ? {} : difference(sum, one.account)
          const reply = await at.match(bank, { statementEntryIds: ids, ...more })
          // A line is in one match at most.
          expect(reply.status).toBe(ids.some(isHeld) ? 409 : 201)
          if (reply.status === 201) made.push({ id: reply.body.id, sum, lines: ids, status: 'MATCHED' })
        } else {
          const match = made[one.nth]
          if (!match) continue
          const isOpen = match.status === 'MATCHED'
          const path = `/reconciliation-matches/${match.id}/close`
          const reply = one.do === 'undo' ? await at.undo(match.id) : await at.world.client.post(path)
          expect(reply.status).toBe(isOpen ? 200 : 409)
          if (isOpen) match.status = one.do === 'undo' ? 'UNDONE' : 'CLOSED'
        }
      }
      const held = made.filter(({ status }) => status !== 'UNDONE')
      const booked = held.reduce((total, { sum }) => total + sum, 0)
      expect(Number((await at.books())[`rail:${bank.name}`] ?? 0n)).toBe(booked)
      const day = await at.day(bank)
      const left = open.filter(({ id }) => !isHeld(id))
      expect(day.differences.map(({ about }: Reply['body']) => about).sort()).toEqual(
        left.map(({ id }) => id).sort(),
      )
      expect(day.difference).toBe(left.reduce((total, { amount }) => total + amount, 0))
      // Debit and credit balances of all accounts are the same.
      const { rows } = await at.world.service.app.db.query<{ sum: bigint }>(
        `SELECT sum(CASE normal_side WHEN 'debit' THEN posted ELSE - posted END)::bigint AS sum FROM ledger_accounts`,
      )
      expect(rows[0]?.sum).toBe(0n)
    }),
    { numRuns: 12 },
  )
})
