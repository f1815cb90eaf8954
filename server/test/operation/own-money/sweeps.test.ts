import { describe, expect, test } from 'vitest'
import { type Client, fund } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balanceOf,
  newPayingPlatform,
  registered,
  withdrawals,
} from '../../worlds/records/payouts.testing.ts'

const DAY_SECONDS = 24 * 3600
const SWEEP = { source: 'OWN_CAPITAL', minimum: 400, time: '18:00', timeZone: 'Europe/Berlin' }

/** Moves the clock to the next sweep. */
async function advanceToSweep(client: Client, ownAccountId: string): Promise<string> {
  const { nextSweepAt } = (await client.get(`/platform/own-accounts/${ownAccountId}`)).body
  await client.post('/sandbox/clock/advance', { to: nextSweepAt })
  return nextSweepAt
}

async function createSweptPlatform(amount: number, sweep: object = SWEEP) {
  const { client, payee, own } = await newPayingPlatform(amount)
  const account = await registered(client, payee, { sweep })
  return { client, own, payee, account, id: String(account.id) }
}

describe('a daily sweep', () => {
  test('pays out at its time whatever exceeds the minimum, and nothing otherwise', async () => {
    const { client, own, account, id } = await createSweptPlatform(1000)
    expect(account).toMatchObject({ status: 'ACTIVE', sweep: SWEEP })
    expect(
      new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(
        new Date(account.nextSweepAt),
      ),
    ).toBe('18:00')
    const first = await advanceToSweep(client, id)
    expect(await withdrawals(client)).toMatchObject([
      { isSweep: true, status: 'SENT', source: 'OWN_CAPITAL', amount: { amount: 600 }, ownAccountId: id },
    ])
    expect(await balanceOf(client)).toBe(400)
    const second = await advanceToSweep(client, id)
    expect(Date.parse(second) - Date.parse(first)).toBeGreaterThan(22 * 3600 * 1000)
    expect(await withdrawals(client)).toHaveLength(1)
    await fund(client, own, 50)
    await client.advance(DAY_SECONDS)
    expect(await withdrawals(client)).toHaveLength(2)
    expect(await balanceOf(client)).toBe(400)
  })

  test('that is refused becomes a FAILED withdrawal with the reason, and is tried again on the next day', async () => {
    const { client, payee, id } = await createSweptPlatform(1000)
    await client.send('DELETE', `/platform/external-accounts/${payee}`)
    await advanceToSweep(client, id)
    await advanceToSweep(client, id)
    const failedWithdrawal = {
      status: 'FAILED',
      error: { code: 'ACCOUNT_NOT_FOUND' },
      amount: { amount: 600 },
    }
    expect(await withdrawals(client)).toMatchObject([failedWithdrawal, failedWithdrawal])
    const events = await client.events('&type=PLATFORM_WITHDRAWAL.FAILED')
    expect(events.map(({ data }) => data)).toMatchObject([failedWithdrawal, failedWithdrawal])
    expect(await balanceOf(client)).toBe(1000)
  })

  test('ends when its account is removed', async () => {
    const { client, id } = await createSweptPlatform(1000)
    const removalReply = await client.post(`/platform/own-accounts/${id}/remove`)
    expect(removalReply.body).toMatchObject({ status: 'REMOVED' })
    expect(removalReply.body.nextSweepAt).toBeUndefined()
    await client.advance(3 * DAY_SECONDS)
    expect(await withdrawals(client)).toEqual([])
    expectError(await client.post(`/platform/own-accounts/${id}/remove`), {
      code: 'INVALID_STATE_TRANSITION',
    })
  })

  test('requires a valid time zone, and by default sweeps everything at 18:00 UTC', async () => {
    const { client, payee } = await newPayingPlatform(1000)
    const body = { externalAccountId: payee, reason: 'Ours', sweep: { ...SWEEP, timeZone: 'Mars' } }
    expectError(await client.post('/platform/own-accounts', body), {
      code: 'INVALID_INPUT',
      field: 'sweep.timeZone',
    })
    const account = await registered(client, payee, { sweep: { source: 'ALL' } })
    expect(account).toMatchObject({
      sweep: { source: 'ALL', minimum: 0, time: '18:00', timeZone: 'UTC' },
      nextSweepAt: expect.stringMatching(/T18:00:00.000Z$/),
    })
    await advanceToSweep(client, account.id)
    expect(await balanceOf(client)).toBe(0)
  })
})
