import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decimalText } from '../../../src/base/formats/decimal.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import {
  bothSides,
  chainAbsent,
  evmEntry,
  followed,
  type OnChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import type { Reply } from '../../worlds/client.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { KEYS, MOVEMENTS } from '../../worlds/records/treasury.testing.ts'

/** Money that the payer's accounts have in the books and not on the chain. */
const UNBACKED = 2_000_000n
/** Wei. */
const COIN = 10n ** 18n

let on: OnChain
let payer: Payer

describe.skipIf(chainAbsent)('a new key of the treasury', () => {
  beforeAll(async () => {
    on = await openOnChain()
    payer = await Payer.open(on, UNBACKED / 2n)
    await on.chain.mint(on.chain.account(1).address, 10_000_000n)
    await on.chain.mine(4)
    await followed(on)
  })
  afterAll(() => on?.close())

  const treasury = () => on.rail().chain.treasury
  const dollars = (address: string) => on.chain.balanceOf(on.chain.token, address as Hex)
  const coin = async (address: string) =>
    BigInt(String(await on.chain.rpc('eth_getBalance', [address, 'latest'])))
  const rotate = async (more: object = {}): Promise<Reply> =>
    on.client.post(KEYS, { rail: 'base', reason: 'A year is over', ...more })
  const rotations = async (): Promise<Reply['body'][]> =>
    (await on.client.get(`${MOVEMENTS}?direction=KEY_ROTATION&limit=100`)).body.data
  const mined = <T>(read: () => Promise<T>, isThere: (found: T) => boolean) =>
    until(async () => {
      await on.chain.mine(1)
      return read()
    }, isThere)
  const swept = async (from: string) => {
    await mined(
      () => dollars(from),
      (left) => left === 0n,
    )
    await mined(rotations, (list) => list.every(({ status }) => status === 'COMPLETED'))
    await followed(on)
    const [books, chain] = await bothSides(on)
    expect(books).toBe(chain + UNBACKED)
  }

  test('takes the place of the old one, which ends what it has signed, and gets all of its money', async () => {
    const old = treasury()
    await on.chain.setAutomine(false)
    const [signed, waiting] = [payer.newPayee(), payer.newPayee()]
    const first = await payer.pay(signed, 1_000n)
    await payer.sent([first])
    const before = await dollars(old)
    const { status, body } = await rotate()
    expect(status).toBe(201)
    expect(body).toMatchObject({ status: 'ACTIVE', rail: 'base', network: 'BASE' })
    const second = await payer.pay(waiting, 2_000n)
    await until(
      async () => treasury(),
      (address) => address === body.address.toLowerCase(),
    )
    await on.chain.setAutomine(true)
    await mined(
      async () => [await payer.stateOf(first), await payer.stateOf(second)],
      (both) => both.every((one) => one.status === 'COMPLETED'),
    )
    expect([await dollars(signed), await dollars(waiting)]).toEqual([1_000n, 2_000n])
    await swept(old)
    expect(await dollars(treasury())).toBe(before - 3_000n)
    const sum = (await rotations()).reduce((total, { amount }) => total + amount.amount, 0)
    expect(BigInt(sum)).toBeGreaterThanOrEqual(before - 3_000n)
  })

  test('leaves the old address followed: what arrives there late is credited, and sent on', async () => {
    const [key] = (await on.client.get(`${KEYS}?status=ACTIVE`)).body.data
    const old = treasury()
    const next = await rotate()
    expect(next.body.address).not.toBe(key.address)
    expect((await on.client.get(`${KEYS}/${key.id}`)).body.status).toBe('RETIRED')
    await swept(old)
    const count = (await on.client.get('/deposits?status=CREDITED&limit=100')).body.data.length
    await on.chain.transfer(1, old, 70_000n)
    await mined(
      async () => (await on.client.get('/deposits?status=CREDITED&limit=100')).body.data,
      (list) => list.length === count + 1,
    )
    await swept(old)
    expect(await dollars(treasury())).toBeGreaterThan(70_000n)
  })

  test('gets the coin of the old one, less fees, also if its block is reorganized away, and no book counts it', async () => {
    const old = treasury()
    const before = await on.chain.balanceOf(on.chain.token, old)
    await on.chain.setCoin(old, COIN)
    await rotate()
    const next = await until(
      async () => treasury(),
      (address) => address !== old,
    )
    await mined(
      () => coin(old),
      (left) => left < COIN / 10n,
    )
    await on.chain.reorg(1)
    await swept(old)
    await mined(
      () => coin(next),
      (has) => has > 0n,
    )
    const [kept, moved] = [await coin(old), await coin(next)]
    expect(kept).toBeGreaterThan(0n)
    expect(kept + moved).toBeLessThan(COIN)
    expect(kept + moved).toBeGreaterThan(COIN - COIN / 100n)
    expect(await dollars(next)).toBe(before)
    await on.setRail(evmEntry(on.chain))
    const { watches } = await until(
      async () => (await on.client.get('/overview')).body,
      ({ watches }) => watches.some(({ subject }: Reply['body']) => subject.includes('RETIRED')),
    )
    expect(watches).toContainEqual({
      watch: 'GAS_ACCOUNT',
      subject: `base RETIRED TREASURY ${old}`,
      unit: 'ETH',
      value: decimalText(kept, 18),
      limit: `0.${'0'.repeat(18)}`,
      isCrossed: false,
    })
  })

  test('is made once by ten calls, and one at a time waits for its approval', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => rotate({ needsApproval: true })))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectError(reply, { code: 'TREASURY_KEY_ALREADY_EXISTS', field: 'rail' })
    const { id } = replies.find(({ status }) => status === 201)!.body
    const old = treasury()
    expect((await on.client.post(`${KEYS}/${id}/cancel`)).body.status).toBe('CANCELED')
    expectError(await on.client.post(`${KEYS}/${id}/approve`), { code: 'INVALID_STATE_TRANSITION' })
    expect(treasury()).toBe(old)
    expectError(await rotate({ rail: 'nowhere' }), { code: 'INVALID_INPUT', field: 'rail' })
  })
})
