import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DepositAccount } from '@countersign/contract/connectors/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../test/ports.testing.ts'
import { checkConnector } from '../check/run.ts'
import { parseSecrets, sign } from '../example-bank/signatures.ts'
import { startBridge } from '../two-cells/start.ts'

const SECRETS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((bytes) => `whsec_${bytes.toString('base64')}`)
const [NORTH = '', SOUTH = ''] = SECRETS

/** Opens an account in the south cell, as the cell's server does. */
async function openAccount(url: string): Promise<DepositAccount> {
  const id = 'InternalAccount:payee'
  const body = JSON.stringify({ id, purpose: 'ACCOUNT', currency: 'EUR', reference: 'CS1' })
  const signed = sign(parseSecrets(SOUTH), `POST /deposit-accounts ${id}`, body)
  const headers = {
    ...{ 'Content-Type': 'application/json', 'Connector-Version': '1', 'Idempotency-Key': id },
    ...signed,
  }
  return (await fetch(`${url}/deposit-accounts`, { method: 'POST', headers, body })).json()
}

test('the bridge between two cells passes the connector kit with payments to an account in the other cell', {
  tags: 'long',
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'two-cells-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const eventsPort = await freePort()
  const events = `http://127.0.0.1:${eventsPort}/rail-events/bridge`
  const bridge = await startBridge(folder, {
    north: { port: 0, events, secrets: NORTH },
    // Nothing listens at this URL, so the deposits wait.
    south: { port: 0, events: `http://127.0.0.1:${await freePort()}/rail-events/bridge`, secrets: SOUTH },
  })
  onTestFinished(bridge.close)
  const { account } = await openAccount(bridge.urls.south)
  const results = await checkConnector({
    ...{ url: bridge.urls.north, eventsPort, secrets: [NORTH], waitMs: 15_000, graceMs: 150 },
    accounts: {
      currency: 'EUR',
      delivered: { accountType: 'EUR_ACCOUNT', holderName: 'Ada Lovelace', account: { iban: account.iban } },
      fails: {
        ...{ accountType: 'EUR_ACCOUNT', holderName: 'Ada Lovelace' },
        account: { iban: 'DE89370400440532013000' },
      },
      closeDay: { request: { url: '/bridge/days/close' } },
    },
  })
  expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  expect(results.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(25)
})
