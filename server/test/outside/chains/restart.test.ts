import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalChain } from '../../../../contracts/local-chain.ts'
import { TEST_MASTER_KEY } from '../../../../test/databases.testing.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import { openService, type Service } from '../../../src/edge/service/service.ts'
import { type EvmRail, isEvmRail } from '../../../src/outside/chains/evm-rail.ts'
import { relay } from '../../../src/outside/chains/payments/relay.ts'
import {
  buildEvmEntry,
  CHEAP_COIN,
  CONFIRMATIONS,
  chainAbsent,
  findGasAddress,
  type OnChain,
  openChain,
  waitForChain,
} from '../../worlds/chain/chain.testing.ts'
import { type LyingProxy, openLyingProxy } from '../../worlds/chain/lying-proxy.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import { Client, type Credentials, until } from '../../worlds/client.testing.ts'
import { serveRates } from '../../worlds/production/production.testing.ts'
import { onPostgres, openPlace } from '../../worlds/server-process.testing.ts'

type Server = Pick<OnChain, 'chain' | 'client' | 'rail'> & { readonly service: Service }

let chain: LocalChain
let proxy: LyingProxy
let rates: Awaited<ReturnType<typeof serveRates>>
let place: Awaited<ReturnType<typeof openPlace>>
let credentials: Credentials
let server: Server
let payer: Payer

describe.skipIf(chainAbsent)('a server that restarts while payments to a chain are in progress', () => {
  beforeAll(async () => {
    chain = await openChain()
    // The contracts exist before the server starts.
    await chain.mine(CONFIRMATIONS)
    proxy = await openLyingProxy(chain.url)
    rates = await serveRates(CHEAP_COIN)
    place = await openPlace('ready')
    server = await startServer()
    credentials = await createPlatform(server.service.app, 'Restarts')
    await restartServer()
    await waitForChain(server)
    await chain.mint(server.rail().chain.treasury, 10n ** 12n)
    await chain.sendCoin(findGasAddress(server.service, server.rail()), 10n ** 20n)
    await chain.setAutomine(false)
    payer = await Payer.open(server)
  })
  afterAll(async () => {
    await server?.service.close()
    await place?.remove()
    await rates?.close()
    await proxy?.close()
    await chain?.close()
  })

  /** Starts a server on the shared data, which reaches the chain through the proxy. */
  async function startServer(): Promise<Server> {
    const railsFile = join(place.dataDir, 'rails.json')
    const rpcs = [{ type: 'url', url: proxy.url }]
    await writeFile(railsFile, JSON.stringify({ rails: [buildEvmEntry(chain, { rpcs })] }))
    const service = await openService(
      readConfig({
        ...place.env,
        COUNTERSIGN_MODE: 'production',
        COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
        LOG_LEVEL: 'silent',
        RAILS_FILE: railsFile,
        RATES_URL: rates.url,
      }),
    )
    await service.server.listen({ host: '127.0.0.1', port: 0 })
    const client = new Client(credentials, `${service.app.origin()}/2025-10-13`)
    const rail = () => service.app.rails.list().find(isEvmRail) as EvmRail
    return { chain, service, client, rail }
  }

  /** Stops the server, runs `meanwhile` while it is down, and starts another one. */
  async function restartServer(meanwhile?: () => Promise<void> | void): Promise<void> {
    await server.service.close()
    await meanwhile?.()
    server = await startServer()
    payer?.moveTo(server)
  }

  async function expectPaidOnce(transfer: string, payee: `0x${string}`, amount: bigint): Promise<void> {
    const done = await payer.ended(transfer)
    expect(done.status).toBe('COMPLETED')
    const [row, ...others] = await payer.transactionsOf(transfer)
    expect(others).toEqual([])
    expect(done.reconciliationInstructions.transactionHash).toBe(row!.transaction_hash)
    expect(await chain.balanceOf(chain.token, payee)).toBe(amount)
  }

  test('sends the payments that were only queued', async () => {
    const payee = payer.newPayee()
    proxy.lie('eth_getTransactionCount', 'closed')
    const transfer = await payer.pay(payee, 100n)
    await payer.payment(transfer, ({ state }) => state === 'WAITING')
    await restartServer(() => proxy.honest())
    await payer.sent([transfer])
    await chain.mine(CONFIRMATIONS)
    await expectPaidOnce(transfer, payee, 100n)
  })

  test('sends the committed bytes with the same nonce if no node had received them', async () => {
    const payee = payer.newPayee()
    proxy.lie('eth_sendRawTransaction', 'closed')
    const transfer = await payer.pay(payee, 200n)
    const before = await payer.transaction(transfer, ({ state }) => state === 'OPEN')
    await restartServer(async () => {
      expect(await payer.isThere(before.attempts[0]!.hash)).toBe(false)
      proxy.honest()
    })
    const [row] = await payer.sent([transfer])
    expect(row!.attempts).toEqual(before.attempts)
    await chain.mine(CONFIRMATIONS)
    await expectPaidOnce(transfer, payee, 200n)
  })

  test('recognizes payments that it sent without receiving a response', async () => {
    const payee = payer.newPayee()
    proxy.lie('eth_sendRawTransaction', 'answer lost')
    const transfer = await payer.pay(payee, 300n)
    await payer.sent([transfer])
    await restartServer(async () => {
      proxy.honest()
      await chain.mine()
    })
    await payer.transaction(transfer, ({ state }) => state === 'MINED')
    await chain.mine(CONFIRMATIONS)
    await expectPaidOnce(transfer, payee, 300n)
  })

  test('reports payments that were confirmed while it was down', async () => {
    const payee = payer.newPayee()
    const transfer = await payer.pay(payee, 400n)
    await payer.sent([transfer])
    await chain.mine()
    await payer.transaction(transfer, ({ state }) => state === 'MINED')
    await restartServer(() => chain.mine(CONFIRMATIONS))
    await expectPaidOnce(transfer, payee, 400n)
  })

  test('can work on the same payments as other servers without claiming them, and each payment is made once', async () => {
    const others = onPostgres ? [await startServer()] : []
    try {
      const apps = [server, ...others].map(({ service, rail }) => ({ app: service.app, rail: rail() }))
      const payees = Array.from({ length: 12 }, () => payer.newPayee())
      proxy.lie('eth_estimateGas', 'server error')
      const transfers = await Promise.all(payees.map((payee) => payer.pay(payee, 500n)))
      await Promise.all(
        transfers.map((transfer) => payer.payment(transfer, ({ state }) => state === 'WAITING')),
      )
      proxy.honest()
      const workers = apps
        .flatMap((worker) => [worker, worker])
        .map((worker) => ({
          ...worker,
          platformId: credentials.platformId,
        }))
      await Promise.all(workers.map(relay))
      await payer.sent(transfers)
      await chain.mine(CONFIRMATIONS)
      for (const [index, transfer] of transfers.entries())
        await expectPaidOnce(transfer, payees[index]!, 500n)
      const nonces = await until(
        () => server.service.app.read.selectFrom('chain_transactions').select('nonce').execute(),
        (rows) => rows.length >= 16,
      )
      expect(nonces.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b)).toEqual(nonces.map((_, n) => n))
    } finally {
      for (const { service } of others) await service.close()
    }
  })
})
