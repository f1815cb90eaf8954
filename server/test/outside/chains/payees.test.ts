import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildEvmEntry,
  chainAbsent,
  findGasAddress,
  type OnChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { openLyingProxy } from '../../worlds/chain/lying-proxy.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'

let on: OnChain
let payer: Payer

describe.skipIf(chainAbsent)('a payee on a chain', () => {
  beforeAll(async () => {
    on = await openOnChain()
    payer = await Payer.open(on)
  })
  afterAll(() => on?.close())

  const delegationCode = `0xef0100${'12'.repeat(20)}`

  test('is refused if its address must never be paid, and the response names the field', async () => {
    const checksummed = payer.newPayee()
    const index = [...checksummed].findIndex((letter, at) => at > 1 && /[a-f]/i.test(letter))
    const letter = checksummed[index]!
    const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    for (const [label, address] of [
      ['a wrong checksum', `${checksummed.slice(0, index)}${flipped}${checksummed.slice(index + 1)}`],
      ['the zero address', `0x${'0'.repeat(40)}`],
      ['the token', on.chain.token],
      ['the token, in lower case', on.chain.token.toLowerCase()],
      ['the treasury', on.rail().chain.treasury],
      ['a gas account', findGasAddress(on.service, on.rail())],
      ['a deposit address of the platform', await payer.depositAddress(false)],
      ['a deposit address of a customer', await payer.depositAddress(true)],
      ['a contract', on.chain.multicall],
      ['too short', checksummed.slice(0, -1)],
    ] as const) {
      const { status, body } = await payer.addPayee(address)
      expect({ what: label, status, field: body.details?.field }).toEqual({
        what: label,
        status: 400,
        field: 'accountInfo.address',
      })
    }
  })

  test('may be a wallet that delegates to a contract', async () => {
    const address = payer.newPayee()
    await on.chain.rpc('anvil_setCode', [address, delegationCode])
    expect((await payer.addPayee(address)).status).toBe(201)
  })

  test('that has become a contract is refused when it is paid, and no money is held', async () => {
    const address = payer.newPayee()
    const proxy = await openLyingProxy(on.chain.url)
    try {
      // At first the server cannot tell whether the address is a contract.
      await on.setRail(buildEvmEntry(on.chain, { rpcs: [{ type: 'url', url: proxy.url }] }))
      proxy.lie('eth_getCode', 'closed')
      const payee = await payer.addPayee(address)
      expect(payee.status).toBe(201)
      proxy.honest()
      await on.chain.rpc('anvil_setCode', [address, '0x6001'])
      const before = await payer.balance()
      const { status, body } = await payer.transfer(payee.body.id, 1000n)
      expect(status).toBe(400)
      expect(body.details.field).toBe('destination.accountId')
      expect(await payer.balance()).toBe(before)
      // If the payment cannot tell either, the worker asks again before it sends anything.
      proxy.lie('eth_getCode', 'closed', 2)
      const reply = await payer.transfer(payee.body.id, 1000n)
      expect(reply.status).toBe(201)
      proxy.honest()
      expect((await payer.ended(reply.body.id)).status).toBe('FAILED')
      expect(await payer.transactionsOf(reply.body.id)).toEqual([])
      expect(await payer.balance()).toBe(before)
    } finally {
      await on.setRail(buildEvmEntry(on.chain))
      await proxy.close()
    }
  })
})
