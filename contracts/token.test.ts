import { encodeFunctionData, type Hex, hexToNumber, parseSignature, slice } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainAbsent, openChain } from '../server/test/worlds/chain/chain.testing.ts'
import { type LocalChain, TOKEN } from './local-chain.ts'
import {
  ABI,
  type Authorization,
  HOLDER,
  MULTICALL_ABI,
  PAYEE,
  parts,
  RELAY,
  refusal,
  type TokenUsers,
  tokenUsers,
} from './token.testing.ts'

describe.skipIf(chainAbsent)('the test dollar', () => {
  let chain: LocalChain
  let users: TokenUsers
  beforeAll(async () => {
    chain = await openChain()
    users = tokenUsers(chain)
    await chain.mint(users.addressOf(HOLDER), 1_000_000_000n)
  })
  afterAll(() => chain.close())

  const read = (
    functionName: 'name' | 'version' | 'decimals' | 'symbol' | 'totalSupply' | 'DOMAIN_SEPARATOR',
  ) => users.clients(0).reader.readContract({ address: chain.token, abi: ABI, functionName })
  test('says who it is', async () => {
    expect(await read('name')).toBe(TOKEN.name)
    expect(await read('version')).toBe(TOKEN.version)
    expect(await read('symbol')).toBe('USDC')
    expect(await read('decimals')).toBe(6)
    expect(await read('totalSupply')).toBe(1_000_000_000n)
  })

  test('a signed transfer is brought by anybody, and costs the holder no gas', async () => {
    const one = users.authorization()
    const [held, had, coins] = [
      await users.balance(HOLDER),
      await users.balance(PAYEE),
      await chain.coinOf(one.from),
    ]
    const events = await users.relay(one, await users.sign(one))
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['AuthorizationUsed', { authorizer: one.from, nonce: one.nonce }],
      ['Transfer', { from: one.from, to: one.to, value: one.value }],
    ])
    expect([await users.balance(HOLDER), await users.balance(PAYEE)]).toEqual([
      held - one.value,
      had + one.value,
    ])
    expect(await chain.coinOf(one.from)).toBe(coins)
  })

  test('the form with the signature in one piece does the same', async () => {
    const one = users.authorization()
    const had = await users.balance(PAYEE)
    const { reader, writer } = users.clients(RELAY)
    const { from, to, value, validAfter, validBefore, nonce } = one
    const hash = await writer.writeContract({
      address: chain.token,
      abi: ABI,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, await users.sign(one)],
    })
    expect((await reader.waitForTransactionReceipt({ hash })).status).toBe('success')
    expect(await users.balance(PAYEE)).toBe(had + value)
    expect(await refusal(users.relay(one, await users.sign(one)))).toBe(
      'Token: the authorization was used or cancelled',
    )
  })

  test('a nonce is used once, whatever the second one says', async () => {
    const one = users.authorization()
    await users.relay(one, await users.sign(one))
    const other = { ...one, value: 1n, to: users.addressOf(RELAY) }
    expect(await refusal(users.relay(one, await users.sign(one)))).toBe(
      'Token: the authorization was used or cancelled',
    )
    expect(await refusal(users.relay(other, await users.sign(other)))).toBe(
      'Token: the authorization was used or cancelled',
    )
  })

  test('two that meet in one block are paid once', async () => {
    const one = users.authorization()
    const signature = await users.sign(one)
    const had = await users.balance(PAYEE)
    await chain.setAutomine(false)
    const hashes = await Promise.all(
      [RELAY, PAYEE].map((account) =>
        users.clients(account).writer.writeContract({ ...users.transferCall(one, signature), gas: 200_000n }),
      ),
    )
    await chain.mine()
    await chain.setAutomine(true)
    const receipts = await Promise.all(
      hashes.map((hash) => users.clients(0).reader.getTransactionReceipt({ hash })),
    )
    expect(receipts.map(({ status }) => status).sort()).toEqual(['reverted', 'success'])
    expect(receipts[0]?.blockNumber).toBe(receipts[1]?.blockNumber)
    expect(await users.balance(PAYEE)).toBe(had + one.value)
  })

  test('an authorization holds between its two times, both excluded', async () => {
    const { timestamp } = await chain.block()
    const at = timestamp + 1000n
    const simulated = (one: Authorization, signature: Hex, time: bigint) =>
      users.clients(RELAY).reader.simulateContract({
        ...users.transferCall(one, signature),
        account: chain.account(RELAY),
        blockOverrides: { time },
      })
    const one = users.authorization({ validAfter: at, validBefore: at + 10n })
    const signature = await users.sign(one)
    const early = 'Token: the authorization is not valid yet'
    const late = 'Token: the authorization has expired'
    expect(await refusal(users.relay(one, signature))).toBe(early)
    expect(await refusal(simulated(one, signature, at))).toBe(early)
    await simulated(one, signature, at + 1n)
    await simulated(one, signature, at + 9n)
    expect(await refusal(simulated(one, signature, at + 10n))).toBe(late)
    const expired = users.authorization({ validBefore: timestamp })
    expect(await refusal(users.relay(expired, await users.sign(expired)))).toBe(late)
  })

  test('only the signature of the holder, over exactly this, moves money', async () => {
    const wrong = "Token: the signature is not the holder's"
    const one = users.authorization()
    const signatures = {
      ofAnother: await users.sign(one, { by: RELAY }),
      ofAnotherAmount: await users.sign({ ...one, value: one.value + 1n }),
      ofAnotherPayee: await users.sign({ ...one, to: users.addressOf(RELAY) }),
      ofAnotherKind: await users.sign(one, { primaryType: 'ReceiveWithAuthorization' }),
      ofAnotherChain: await users.sign(one, { domain: users.domain({ chainId: 1 }) }),
      ofAnotherVersion: await users.sign(one, { domain: users.domain({ version: '1' }) }),
    }
    for (const [name, signature] of Object.entries(signatures))
      expect([name, await refusal(users.relay(one, signature))]).toEqual([name, wrong])
    await users.relay(one, await users.sign(one))
  })

  test('the twin of a signature is refused', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const one = users.authorization()
    const signature = await users.sign(one)
    const { r, s } = parseSignature(signature)
    const v = hexToNumber(slice(signature, 64)) === 27 ? '1c' : '1b'
    const twin: Hex = `${r}${(order - BigInt(s)).toString(16).padStart(64, '0')}${v}`
    expect(await refusal(users.relay(one, twin))).toBe('Token: the signature has a large s')
  })

  test('a cancelled one is worth nothing, and only the holder cancels', async () => {
    const one = users.authorization()
    expect(await refusal(users.cancel(one.nonce, await users.signCancel(one.nonce, RELAY)))).toBe(
      "Token: the signature is not the holder's",
    )
    const [event] = await users.cancel(one.nonce, await users.signCancel(one.nonce))
    expect([event?.eventName, event?.args]).toEqual([
      'AuthorizationCanceled',
      { authorizer: users.addressOf(HOLDER), nonce: one.nonce },
    ])
    const used = 'Token: the authorization was used or cancelled'
    expect(await refusal(users.relay(one, await users.sign(one)))).toBe(used)
    const paid = users.authorization()
    await users.relay(paid, await users.sign(paid))
    expect(await refusal(users.cancel(paid.nonce, await users.signCancel(paid.nonce)))).toBe(used)
  })

  test('what is for the payee to bring, nobody else brings', async () => {
    const one = users.authorization()
    const signature = await users.sign(one, { primaryType: 'ReceiveWithAuthorization' })
    const { from, to, value, validAfter, validBefore, nonce } = one
    const receive = (account: number) =>
      users.clients(account).reader.simulateContract({
        address: chain.token,
        abi: ABI,
        functionName: 'receiveWithAuthorization',
        args: [from, to, value, validAfter, validBefore, nonce, ...parts(signature)],
        account: chain.account(account),
      })
    expect(await refusal(receive(RELAY))).toBe('Token: only the payee may receive')
    const had = await users.balance(PAYEE)
    const { reader, writer } = users.clients(PAYEE)
    const { request } = await receive(PAYEE)
    await reader.waitForTransactionReceipt({ hash: await writer.writeContract(request) })
    expect(await users.balance(PAYEE)).toBe(had + value)
  })

  test('a frozen account neither pays nor is paid, and its authorization stays unused', async () => {
    const one = users.authorization()
    const signature = await users.sign(one)
    for (const account of [one.from, one.to]) {
      await chain.freeze(account)
      expect(await refusal(users.relay(one, signature))).toBe('Token: the account is frozen')
      await expect(chain.transfer(HOLDER, one.to, 1n)).rejects.toThrow('frozen')
      await chain.unfreeze(account)
    }
    await users.relay(one, signature)
  })

  test('nobody pays more than there is, or to the zero address', async () => {
    const much = users.authorization({ value: (await users.balance(HOLDER)) + 1n })
    expect(await refusal(users.relay(much, await users.sign(much)))).toBe('Token: more than the balance')
    const nowhere = users.authorization({ to: '0x0000000000000000000000000000000000000000' })
    expect(await refusal(users.relay(nowhere, await users.sign(nowhere)))).toBe('Token: the zero address')
    await expect(chain.transfer(RELAY, users.addressOf(PAYEE), 1n)).rejects.toThrow('more than the balance')
  })

  test('an allowance is spent and no more', async () => {
    const { reader, writer } = users.clients(HOLDER)
    const token = { address: chain.token, abi: ABI } as const
    const hash = await writer.writeContract({
      ...token,
      functionName: 'approve',
      args: [users.addressOf(RELAY), 10n],
    })
    await reader.waitForTransactionReceipt({ hash })
    const spend = (value: bigint) =>
      reader.simulateContract({
        ...token,
        functionName: 'transferFrom',
        args: [users.addressOf(HOLDER), users.addressOf(PAYEE), value],
        account: chain.account(RELAY),
      })
    expect(await refusal(spend(11n))).toBe('Token: more than was allowed')
    const had = await users.balance(PAYEE)
    const { request } = await spend(4n)
    await reader.waitForTransactionReceipt({ hash: await users.clients(RELAY).writer.writeContract(request) })
    expect(await users.balance(PAYEE)).toBe(had + 4n)
    expect(await refusal(spend(7n))).toBe('Token: more than was allowed')
  })

  test('one transaction of Multicall brings several, and goes on where one fails', async () => {
    const good = [users.authorization(), users.authorization({ value: 7n })]
    const used = users.authorization()
    await users.relay(used, await users.sign(used))
    const had = await users.balance(PAYEE)
    const calls = await Promise.all(
      [good[0]!, used, good[1]!].map(async (one) => {
        const { from, to, value, validAfter, validBefore, nonce } = one
        return {
          target: chain.token,
          callData: encodeFunctionData({
            abi: ABI,
            functionName: 'transferWithAuthorization',
            args: [from, to, value, validAfter, validBefore, nonce, ...parts(await users.sign(one))],
          }),
        }
      }),
    )
    const { reader, writer } = users.clients(RELAY)
    const aggregate = (allowFailure: boolean) =>
      reader.simulateContract({
        address: chain.multicall,
        abi: MULTICALL_ABI,
        functionName: 'aggregate3',
        args: [calls.map((call) => ({ ...call, allowFailure }))],
        account: chain.account(RELAY),
      })
    expect(await refusal(aggregate(false))).toBe('Multicall: a call failed')
    const { request, result } = await aggregate(true)
    expect(result.map(({ success }) => success)).toEqual([true, false, true])
    await reader.waitForTransactionReceipt({ hash: await writer.writeContract(request) })
    expect(await users.balance(PAYEE)).toBe(had + good[0]!.value + good[1]!.value)
  })

  test('the plain token has no signed transfers, and counts apart', async () => {
    const { reader } = users.clients(0)
    await chain.mint(users.addressOf(RELAY), 9n, chain.plainToken)
    await chain.transfer(RELAY, users.addressOf(PAYEE), 4n, chain.plainToken)
    expect(await chain.balanceOf(chain.plainToken, users.addressOf(RELAY))).toBe(5n)
    expect(await users.balance(RELAY)).toBe(0n)
    const plain = { address: chain.plainToken, abi: ABI } as const
    expect(await reader.readContract({ ...plain, functionName: 'decimals' })).toBe(6)
    await expect(reader.readContract({ ...plain, functionName: 'DOMAIN_SEPARATOR' })).rejects.toThrow()
  })
})
