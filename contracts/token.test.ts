import { randomBytes } from 'node:crypto'
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  hexToNumber,
  http,
  parseAbi,
  parseEventLogs,
  parseSignature,
  slice,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainAbsent, openChain } from '../server/test/chain.testing.ts'
import { type LocalChain, TOKEN } from './local-chain.ts'

/** What a wallet knows of such tokens, written down apart from ours. */
const ABI = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function totalSupply() view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
])
const MULTICALL_ABI = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])

const AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const TYPES = {
  TransferWithAuthorization: AUTHORIZATION,
  ReceiveWithAuthorization: AUTHORIZATION,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

const HOLDER = 1
const RELAY = 2
const PAYEE = 3
const FOREVER = 2n ** 48n

interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

describe.skipIf(chainAbsent)('the test dollar', () => {
  let chain: LocalChain
  let addressOf: (account: number) => Address
  beforeAll(async () => {
    chain = await openChain()
    addressOf = (account) => chain.account(account).address
    await chain.mint(addressOf(HOLDER), 1_000_000_000n)
  })
  afterAll(() => chain.close())

  const clients = (account: number) => {
    const net = defineChain({
      id: chain.chainId,
      name: 'Local',
      nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
      rpcUrls: { default: { http: [chain.url] } },
    })
    const shared = { chain: net, transport: http() }
    return {
      reader: createPublicClient({ ...shared, pollingInterval: 20 }),
      writer: createWalletClient({ ...shared, account: chain.account(account) }),
    }
  }
  const read = (
    functionName: 'name' | 'version' | 'decimals' | 'symbol' | 'totalSupply' | 'DOMAIN_SEPARATOR',
  ) => clients(0).reader.readContract({ address: chain.token, abi: ABI, functionName })
  const balance = (account: number) => chain.balanceOf(chain.token, addressOf(account))

  const authorization = (changes: Partial<Authorization> = {}): Authorization => ({
    from: addressOf(HOLDER),
    to: addressOf(PAYEE),
    value: 5_000_000n,
    validAfter: 0n,
    validBefore: FOREVER,
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...changes,
  })
  const domain = (changes: { readonly chainId?: number; readonly version?: string } = {}) => ({
    name: TOKEN.name,
    version: TOKEN.version,
    chainId: chain.chainId,
    verifyingContract: chain.token,
    ...changes,
  })
  const sign = (
    message: Authorization,
    options: {
      readonly by?: number
      readonly primaryType?: 'TransferWithAuthorization' | 'ReceiveWithAuthorization'
      readonly domain?: ReturnType<typeof domain>
    } = {},
  ) =>
    chain.account(options.by ?? HOLDER).signTypedData({
      domain: options.domain ?? domain(),
      types: TYPES,
      primaryType: options.primaryType ?? 'TransferWithAuthorization',
      message,
    })
  const signCancel = (nonce: Hex, by = HOLDER) =>
    chain.account(by).signTypedData({
      domain: domain(),
      types: TYPES,
      primaryType: 'CancelAuthorization',
      message: { authorizer: addressOf(HOLDER), nonce },
    })

  const parts = (signature: Hex) => {
    const { r, s } = parseSignature(signature)
    return [hexToNumber(slice(signature, 64)), r, s] as const
  }
  const transferCall = ({ from, to, value, validAfter, validBefore, nonce }: Authorization, signature: Hex) =>
    ({
      address: chain.token,
      abi: ABI,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, ...parts(signature)],
    }) as const

  /** Brings it to the chain from the relaying account. Resolves to the events; rejects with the contract's reason. */
  const relay = async (call: Authorization, signature: Hex) => {
    const { reader, writer } = clients(RELAY)
    const { request } = await reader.simulateContract({
      ...transferCall(call, signature),
      account: chain.account(RELAY),
    })
    const receipt = await reader.waitForTransactionReceipt({ hash: await writer.writeContract(request) })
    expect(receipt.status).toBe('success')
    return parseEventLogs({ abi: ABI, logs: receipt.logs })
  }
  const cancel = async (nonce: Hex, signature: Hex) => {
    const { reader, writer } = clients(RELAY)
    const { request } = await reader.simulateContract({
      address: chain.token,
      abi: ABI,
      functionName: 'cancelAuthorization',
      args: [addressOf(HOLDER), nonce, ...parts(signature)],
      account: chain.account(RELAY),
    })
    const receipt = await reader.waitForTransactionReceipt({ hash: await writer.writeContract(request) })
    return parseEventLogs({ abi: ABI, logs: receipt.logs })
  }
  /** The contract's reason for refusing; none where it does not refuse. */
  const refusal = (work: Promise<unknown>): Promise<string | undefined> =>
    work.then(
      () => undefined,
      (error: unknown) => {
        const cause =
          error instanceof BaseError && error.walk((one) => one instanceof ContractFunctionRevertedError)
        return cause instanceof ContractFunctionRevertedError ? cause.reason : String(error)
      },
    )

  test('says who it is', async () => {
    expect(await read('name')).toBe(TOKEN.name)
    expect(await read('version')).toBe(TOKEN.version)
    expect(await read('symbol')).toBe('USDC')
    expect(await read('decimals')).toBe(6)
    expect(await read('totalSupply')).toBe(1_000_000_000n)
  })

  test('a signed transfer is brought by anybody, and costs the holder no gas', async () => {
    const one = authorization()
    const [held, had, coins] = [await balance(HOLDER), await balance(PAYEE), await chain.coinOf(one.from)]
    const events = await relay(one, await sign(one))
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['AuthorizationUsed', { authorizer: one.from, nonce: one.nonce }],
      ['Transfer', { from: one.from, to: one.to, value: one.value }],
    ])
    expect([await balance(HOLDER), await balance(PAYEE)]).toEqual([held - one.value, had + one.value])
    expect(await chain.coinOf(one.from)).toBe(coins)
  })

  test('the form with the signature in one piece does the same', async () => {
    const one = authorization()
    const had = await balance(PAYEE)
    const { reader, writer } = clients(RELAY)
    const { from, to, value, validAfter, validBefore, nonce } = one
    const hash = await writer.writeContract({
      address: chain.token,
      abi: ABI,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, await sign(one)],
    })
    expect((await reader.waitForTransactionReceipt({ hash })).status).toBe('success')
    expect(await balance(PAYEE)).toBe(had + value)
    expect(await refusal(relay(one, await sign(one)))).toBe('Token: the authorization was used or cancelled')
  })

  test('a nonce is used once, whatever the second one says', async () => {
    const one = authorization()
    await relay(one, await sign(one))
    const other = { ...one, value: 1n, to: addressOf(RELAY) }
    expect(await refusal(relay(one, await sign(one)))).toBe('Token: the authorization was used or cancelled')
    expect(await refusal(relay(other, await sign(other)))).toBe(
      'Token: the authorization was used or cancelled',
    )
  })

  test('two that meet in one block are paid once', async () => {
    const one = authorization()
    const signature = await sign(one)
    const had = await balance(PAYEE)
    await chain.setAutomine(false)
    const hashes = await Promise.all(
      [RELAY, PAYEE].map((account) =>
        clients(account).writer.writeContract({ ...transferCall(one, signature), gas: 200_000n }),
      ),
    )
    await chain.mine()
    await chain.setAutomine(true)
    const receipts = await Promise.all(
      hashes.map((hash) => clients(0).reader.getTransactionReceipt({ hash })),
    )
    expect(receipts.map(({ status }) => status).sort()).toEqual(['reverted', 'success'])
    expect(receipts[0]?.blockNumber).toBe(receipts[1]?.blockNumber)
    expect(await balance(PAYEE)).toBe(had + one.value)
  })

  test('an authorization holds between its two times, both excluded', async () => {
    const { timestamp } = await chain.block()
    const at = timestamp + 1000n
    const simulated = (one: Authorization, signature: Hex, time: bigint) =>
      clients(RELAY).reader.simulateContract({
        ...transferCall(one, signature),
        account: chain.account(RELAY),
        blockOverrides: { time },
      })
    const one = authorization({ validAfter: at, validBefore: at + 10n })
    const signature = await sign(one)
    const early = 'Token: the authorization is not valid yet'
    const late = 'Token: the authorization has expired'
    expect(await refusal(relay(one, signature))).toBe(early)
    expect(await refusal(simulated(one, signature, at))).toBe(early)
    await simulated(one, signature, at + 1n)
    await simulated(one, signature, at + 9n)
    expect(await refusal(simulated(one, signature, at + 10n))).toBe(late)
    const expired = authorization({ validBefore: timestamp })
    expect(await refusal(relay(expired, await sign(expired)))).toBe(late)
  })

  test('only the signature of the holder, over exactly this, moves money', async () => {
    const wrong = "Token: the signature is not the holder's"
    const one = authorization()
    const signatures = {
      ofAnother: await sign(one, { by: RELAY }),
      ofAnotherAmount: await sign({ ...one, value: one.value + 1n }),
      ofAnotherPayee: await sign({ ...one, to: addressOf(RELAY) }),
      ofAnotherKind: await sign(one, { primaryType: 'ReceiveWithAuthorization' }),
      ofAnotherChain: await sign(one, { domain: domain({ chainId: 1 }) }),
      ofAnotherVersion: await sign(one, { domain: domain({ version: '1' }) }),
    }
    for (const [name, signature] of Object.entries(signatures))
      expect([name, await refusal(relay(one, signature))]).toEqual([name, wrong])
    await relay(one, await sign(one))
  })

  test('the twin of a signature is refused', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const one = authorization()
    const signature = await sign(one)
    const { r, s } = parseSignature(signature)
    const v = hexToNumber(slice(signature, 64)) === 27 ? '1c' : '1b'
    const twin: Hex = `${r}${(order - BigInt(s)).toString(16).padStart(64, '0')}${v}`
    expect(await refusal(relay(one, twin))).toBe('Token: the signature has a large s')
  })

  test('a cancelled one is worth nothing, and only the holder cancels', async () => {
    const one = authorization()
    expect(await refusal(cancel(one.nonce, await signCancel(one.nonce, RELAY)))).toBe(
      "Token: the signature is not the holder's",
    )
    const [event] = await cancel(one.nonce, await signCancel(one.nonce))
    expect([event?.eventName, event?.args]).toEqual([
      'AuthorizationCanceled',
      { authorizer: addressOf(HOLDER), nonce: one.nonce },
    ])
    const used = 'Token: the authorization was used or cancelled'
    expect(await refusal(relay(one, await sign(one)))).toBe(used)
    const paid = authorization()
    await relay(paid, await sign(paid))
    expect(await refusal(cancel(paid.nonce, await signCancel(paid.nonce)))).toBe(used)
  })

  test('what is for the payee to bring, nobody else brings', async () => {
    const one = authorization()
    const signature = await sign(one, { primaryType: 'ReceiveWithAuthorization' })
    const { from, to, value, validAfter, validBefore, nonce } = one
    const receive = (account: number) =>
      clients(account).reader.simulateContract({
        address: chain.token,
        abi: ABI,
        functionName: 'receiveWithAuthorization',
        args: [from, to, value, validAfter, validBefore, nonce, ...parts(signature)],
        account: chain.account(account),
      })
    expect(await refusal(receive(RELAY))).toBe('Token: only the payee may receive')
    const had = await balance(PAYEE)
    const { reader, writer } = clients(PAYEE)
    const { request } = await receive(PAYEE)
    await reader.waitForTransactionReceipt({ hash: await writer.writeContract(request) })
    expect(await balance(PAYEE)).toBe(had + value)
  })

  test('a frozen account neither pays nor is paid, and its authorization stays unused', async () => {
    const one = authorization()
    const signature = await sign(one)
    for (const account of [one.from, one.to]) {
      await chain.freeze(account)
      expect(await refusal(relay(one, signature))).toBe('Token: the account is frozen')
      await expect(chain.transfer(HOLDER, one.to, 1n)).rejects.toThrow('frozen')
      await chain.unfreeze(account)
    }
    await relay(one, signature)
  })

  test('nobody pays more than there is, or to the zero address', async () => {
    const much = authorization({ value: (await balance(HOLDER)) + 1n })
    expect(await refusal(relay(much, await sign(much)))).toBe('Token: more than the balance')
    const nowhere = authorization({ to: '0x0000000000000000000000000000000000000000' })
    expect(await refusal(relay(nowhere, await sign(nowhere)))).toBe('Token: the zero address')
    await expect(chain.transfer(RELAY, addressOf(PAYEE), 1n)).rejects.toThrow('more than the balance')
  })

  test('an allowance is spent and no more', async () => {
    const { reader, writer } = clients(HOLDER)
    const token = { address: chain.token, abi: ABI } as const
    const hash = await writer.writeContract({
      ...token,
      functionName: 'approve',
      args: [addressOf(RELAY), 10n],
    })
    await reader.waitForTransactionReceipt({ hash })
    const spend = (value: bigint) =>
      reader.simulateContract({
        ...token,
        functionName: 'transferFrom',
        args: [addressOf(HOLDER), addressOf(PAYEE), value],
        account: chain.account(RELAY),
      })
    expect(await refusal(spend(11n))).toBe('Token: more than was allowed')
    const had = await balance(PAYEE)
    const { request } = await spend(4n)
    await reader.waitForTransactionReceipt({ hash: await clients(RELAY).writer.writeContract(request) })
    expect(await balance(PAYEE)).toBe(had + 4n)
    expect(await refusal(spend(7n))).toBe('Token: more than was allowed')
  })

  test('one transaction of Multicall brings several, and goes on where one fails', async () => {
    const good = [authorization(), authorization({ value: 7n })]
    const used = authorization()
    await relay(used, await sign(used))
    const had = await balance(PAYEE)
    const calls = await Promise.all(
      [good[0]!, used, good[1]!].map(async (one) => {
        const { from, to, value, validAfter, validBefore, nonce } = one
        return {
          target: chain.token,
          callData: encodeFunctionData({
            abi: ABI,
            functionName: 'transferWithAuthorization',
            args: [from, to, value, validAfter, validBefore, nonce, ...parts(await sign(one))],
          }),
        }
      }),
    )
    const { reader, writer } = clients(RELAY)
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
    expect(await balance(PAYEE)).toBe(had + good[0]!.value + good[1]!.value)
  })

  test('the plain token has no signed transfers, and counts apart', async () => {
    const { reader } = clients(0)
    await chain.mint(addressOf(RELAY), 9n, chain.plainToken)
    await chain.transfer(RELAY, addressOf(PAYEE), 4n, chain.plainToken)
    expect(await chain.balanceOf(chain.plainToken, addressOf(RELAY))).toBe(5n)
    expect(await balance(RELAY)).toBe(0n)
    const plain = { address: chain.plainToken, abi: ABI } as const
    expect(await reader.readContract({ ...plain, functionName: 'decimals' })).toBe(6)
    await expect(reader.readContract({ ...plain, functionName: 'DOMAIN_SEPARATOR' })).rejects.toThrow()
  })
})
