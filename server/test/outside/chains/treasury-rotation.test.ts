import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatDecimal } from '../../../src/base/formats/decimal.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import {
  bothSides,
  buildEvmEntry,
  chainAbsent,
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
/** In wei. */
const COIN = 10n ** 18n

let on: OnChain
let payer: Payer

describe.skipIf(chainAbsent)('a new treasury key', () => {
  beforeAll(async () => {
    on = await openOnChain()
    payer = await Payer.open(on, UNBACKED / 2n)
    await on.chain.mint(on.chain.account(1).address, 10_000_000n)
    await on.chain.mine(4)
    await followed(on)
  })
  afterAll(() => on?.close())

  const findTreasury = () => on.rail().chain.treasury
  const readTokenBalance = (address: string) => on.chain.balanceOf(on.chain.token, address as Hex)
  const readCoinBalance = async (address: string) =>
    BigInt(String(await on.chain.rpc('eth_getBalance', [address, 'latest'])))
  const rotateKey = async (more: object = {}): Promise<Reply> =>
    on.client.post(KEYS, { rail: 'base', reason: 'A year is over', ...more })
  const listRotations = async (): Promise<Reply['body'][]> =>
    (await on.client.get(`${MOVEMENTS}?direction=KEY_ROTATION&limit=100`)).body.data
  const mineUntil = <T>(read: () => Promise<T>, isThere: (found: T) => boolean) =>
    until(async () => {
      await on.chain.mine(1)
      return read()
    }, isThere)
  const waitForSweep = async (from: string) => {
    await mineUntil(
      () => readTokenBalance(from),
      (left) => left === 0n,
    )
    await mineUntil(listRotations, (list) => list.every(({ status }) => status === 'COMPLETED'))
    await followed(on)
    const [books, chain] = await bothSides(on)
    expect(books).toBe(chain + UNBACKED)
  }

  test('replaces the old one, which completes what it signed, and gets all of its money', async () => {
    const oldAddress = findTreasury()
    await on.chain.setAutomine(false)
    const [signed, waiting] = [payer.newPayee(), payer.newPayee()]
    const first = await payer.pay(signed, 1_000n)
    await payer.sent([first])
    const before = await readTokenBalance(oldAddress)
    const { status, body } = await rotateKey()
    expect(status).toBe(201)
    expect(body).toMatchObject({ status: 'ACTIVE', rail: 'base', network: 'BASE' })
    const second = await payer.pay(waiting, 2_000n)
    await until(
      async () => findTreasury(),
      (address) => address === body.address.toLowerCase(),
    )
    await on.chain.setAutomine(true)
    await mineUntil(
      async () => [await payer.stateOf(first), await payer.stateOf(second)],
      (both) => both.every((payment) => payment.status === 'COMPLETED'),
    )
    expect([await readTokenBalance(signed), await readTokenBalance(waiting)]).toEqual([1_000n, 2_000n])
    await waitForSweep(oldAddress)
    expect(await readTokenBalance(findTreasury())).toBe(before - 3_000n)
    const sum = (await listRotations()).reduce((total, { amount }) => total + amount.amount, 0)
    expect(BigInt(sum)).toBeGreaterThanOrEqual(before - 3_000n)
  })

  test('leaves the old address followed, so that late deposits there are credited and forwarded', async () => {
    const [key] = (await on.client.get(`${KEYS}?status=ACTIVE`)).body.data
    const oldAddress = findTreasury()
    const next = await rotateKey()
    expect(next.body.address).not.toBe(key.address)
    expect((await on.client.get(`${KEYS}/${key.id}`)).body.status).toBe('RETIRED')
    await waitForSweep(oldAddress)
    const count = (await on.client.get('/deposits?status=CREDITED&limit=100')).body.data.length
    await on.chain.transfer(1, oldAddress, 70_000n)
    await mineUntil(
      async () => (await on.client.get('/deposits?status=CREDITED&limit=100')).body.data,
      (list) => list.length === count + 1,
    )
    await waitForSweep(oldAddress)
    expect(await readTokenBalance(findTreasury())).toBeGreaterThan(70_000n)
  })

  test('gets the coin of the old one less fees even if a reorganization removes the transfer, and the books do not count it', async () => {
    const oldAddress = findTreasury()
    const before = await on.chain.balanceOf(on.chain.token, oldAddress)
    await on.chain.setCoin(oldAddress, COIN)
    await rotateKey()
    const next = await until(
      async () => findTreasury(),
      (address) => address !== oldAddress,
    )
    await mineUntil(
      () => readCoinBalance(oldAddress),
      (left) => left < COIN / 10n,
    )
    await on.chain.reorg(1)
    await waitForSweep(oldAddress)
    await mineUntil(
      () => readCoinBalance(next),
      (has) => has > 0n,
    )
    const [oldCoin, newCoin] = [await readCoinBalance(oldAddress), await readCoinBalance(next)]
    expect(oldCoin).toBeGreaterThan(0n)
    expect(oldCoin + newCoin).toBeLessThan(COIN)
    expect(oldCoin + newCoin).toBeGreaterThan(COIN - COIN / 100n)
    expect(await readTokenBalance(next)).toBe(before)
    await on.setRail(buildEvmEntry(on.chain))
    const { watches } = await until(
      async () => (await on.client.get('/overview')).body,
      ({ watches }) => watches.some(({ subject }: Reply['body']) => subject.includes('RETIRED')),
    )
    expect(watches).toContainEqual({
      watch: 'GAS_ACCOUNT',
      subject: `base RETIRED TREASURY ${oldAddress}`,
      unit: 'ETH',
      value: formatDecimal(oldCoin, 18),
      limit: `0.${'0'.repeat(18)}`,
      isCrossed: false,
    })
  })

  test('is created once by ten parallel calls, and only one can wait for approval', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => rotateKey({ needsApproval: true })))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectError(reply, { code: 'TREASURY_KEY_ALREADY_EXISTS', field: 'rail' })
    const { id } = replies.find(({ status }) => status === 201)!.body
    const oldAddress = findTreasury()
    expect((await on.client.post(`${KEYS}/${id}/cancel`)).body.status).toBe('CANCELED')
    expectError(await on.client.post(`${KEYS}/${id}/approve`), { code: 'INVALID_STATE_TRANSITION' })
    expect(findTreasury()).toBe(oldAddress)
    expectError(await rotateKey({ rail: 'nowhere' }), { code: 'INVALID_INPUT', field: 'rail' })
  })
})
