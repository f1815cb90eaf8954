import { parse } from 'csv-parse/sync'
import { beforeAll, expect, test } from 'vitest'
import { type Client, until } from '../../worlds/client.testing.ts'
import { execute, preparePayouts, sendFile } from '../../worlds/records/payouts.testing.ts'
import {
  ensureServerBuilt,
  newPlace,
  onPostgres,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

const LINES = onPostgres ? 10_000 : 2_000
const KILLS = 5
const AMOUNT = 7

const readBatch = async (client: Client, id: string) => (await client.get(`/payouts/batches/${id}`)).body

async function readRows(client: Client, path: string): Promise<Record<string, string>[]> {
  return parse(String((await client.get(path)).body), { columns: true })
}

test('a file of payouts whose server is killed five times is resumed, and pays every line once', async () => {
  const place = await newPlace()
  let server = await ServerProcess.ready(place)
  const { payee, own: payerAccount } = await preparePayouts(server.client(), LINES * AMOUNT)
  const rows = Array.from({ length: LINES }, (_, index) => `${payee},USD,${AMOUNT},salary-${index}`)
  const { id } = await sendFile(server.client(), `accountId,currency,amount,reference\n${rows.join('\n')}`)
  const restartServer = async () => {
    await server.kill('SIGKILL')
    server = await ServerProcess.ready(place)
  }
  // The first kill interrupts the check, the others interrupt sending.
  await until(
    () => readBatch(server.client(), id),
    ({ progress }) => progress.checked > LINES / 4,
  )
  await restartServer()
  const readyBatch = await until(
    () => readBatch(server.client(), id),
    ({ status }) => status === 'READY',
  )
  expect(readyBatch.progress).toMatchObject({ lines: LINES, checked: LINES, faulty: 0 })
  expect((await execute(server.client(), readyBatch)).status).toBe(200)
  for (let kill = 1; kill < KILLS; kill++) {
    const { progress } = await until(
      () => readBatch(server.client(), id),
      (batch) => batch.progress.sent >= (kill * LINES) / (KILLS + 1),
    )
    expect(progress.sent).toBeLessThan(LINES)
    await restartServer()
  }
  const completedBatch = await until(
    () => readBatch(server.client(), id),
    ({ status }) => status === 'COMPLETED',
  )
  expect(completedBatch.progress).toMatchObject({ sent: LINES, failed: 0 })
  const lines = await readRows(server.client(), `/payouts/batches/${id}/lines.csv`)
  expect(lines.map(({ line }) => Number(line))).toEqual(rows.map((_, index) => index + 1))
  expect(new Set(lines.map(({ transactionId }) => transactionId)).size).toBe(LINES)
  expect(await readRows(server.client(), '/transactions.csv')).toHaveLength(LINES)
  const accounts = (await server.client().get('/platform/internal-accounts?currency=USD')).body.data
  const account = accounts.find((one: { id: string }) => one.id === payerAccount)
  expect(account.balance.amount).toBe(0)
})
