import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseUncompressedPublicKey, verifySignature } from '../../../src/base/crypto/p256.ts'
import { makeDueReports } from '../../../src/operation/client-money/reports.ts'
import { extendChains } from '../../../src/operation/proofs/chain.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { type Client, fund, newCustomer, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const DAY_SECONDS = 24 * 3600

let service: TestServer
beforeAll(async () => {
  service = await openServer()
})
afterAll(() => service.close())

/** Creates a platform whose customer has been owed 300.00 USD since yesterday. */
async function createDayOldPlatform() {
  const client = await service.newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 30_000)
  const now: string = (await client.get('/sandbox/clock')).body.now
  const date = now.slice(0, 10)
  // The daily job waits for ten minutes after midnight, so the platform's clock moves to noon of the next day.
  const untilNoonMs = Date.parse(`${date}T12:00:00Z`) - Date.parse(now)
  await client.advance(DAY_SECONDS + Math.ceil(untilNoonMs / 1000))
  return { client, customer, date }
}

const requestReport = (client: Client, date: string) => client.post('/client-money-reports', { date })

async function createReport(client: Client, date: string): Promise<Reply['body']> {
  const { status, body } = await requestReport(client, date)
  // 200 if the daily job of the server was faster.
  expect([200, 201]).toContain(status)
  return body
}

const findUsd = (report: Reply['body']) =>
  report.currencies.find(({ currency }: Reply['body']) => currency.code === 'USD')

describe('a client-money report', () => {
  test('shows what customers are owed and what rails hold, and ignores later movements', {
    tags: 'smoke',
  }, async () => {
    const { client, customer, date } = await createDayOldPlatform()
    await fund(client, customer.usd, 1_000)
    const report = await createReport(client, date)
    expect(findUsd(report)).toMatchObject({
      owed: 30_000,
      onHold: 0,
      held: 30_000,
      difference: 0,
      reasons: [],
      rails: [{ rail: 'rail', ledgerBalance: 30_000, held: 30_000 }],
    })
  })

  test('explains a difference with reasons that sum to it', async () => {
    const client = await service.newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 30_000)
    const [platformAccount] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
    await fund(client, platformAccount.id, 700)
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: customer.usd },
      destination: { destinationType: 'ACCOUNT', accountId: customer.eur },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: 2_500,
      immediatelyExecute: true,
    })
    expect(quote.status).toBe(201)
    await client.advance(0)
    const date = (await client.get('/sandbox/clock')).body.now.slice(0, 10)
    await client.advance(DAY_SECONDS)
    const report = await createReport(client, date)
    for (const { difference, owed, held, reasons } of report.currencies) {
      const sum = reasons.reduce((total: number, { amount }: { amount: number }) => total + amount, 0)
      expect([sum, held - owed]).toEqual([difference, difference])
    }
    const reasons = findUsd(report).reasons.map(({ reason }: { reason: string }) => reason)
    expect(reasons).toContain('PLATFORM_MONEY')
    expect(reasons).toContain('FEES_EARNED')
    expect(reasons).not.toContain('UNACCOUNTED')
  })

  test('is signed by the key that the server publishes', async () => {
    const { client, date } = await createDayOldPlatform()
    const { id, payload, signature } = await createReport(client, date)
    const key = parseUncompressedPublicKey(service.app.enclave.quorumPublicKey)
    expect(key && verifySignature(key, Buffer.from(payload), Buffer.from(signature, 'base64'))).toBe(true)
    expect(JSON.parse(payload)).toMatchObject({ id, platformId: client.credentials.platformId, date })
  })

  test('is made once per day, even for fifty parallel callers', async () => {
    const { client, date } = await createDayOldPlatform()
    const replies = await Promise.all(Array.from({ length: 50 }, () => requestReport(client, date)))
    expect(replies.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1)
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(49)
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
    expect((await client.get('/client-money-reports')).body.data).toHaveLength(1)
  })

  test('is refused for a day that has not ended, or that was before the creation of the platform', async () => {
    const { client } = await createDayOldPlatform()
    const today = (await client.get('/sandbox/clock')).body.now.slice(0, 10)
    expectError(await requestReport(client, today), { code: 'INVALID_INPUT', field: 'date' })
    expectError(await requestReport(client, '2001-01-01'), { code: 'INVALID_INPUT', field: 'date' })
  })

  test('does not exist for another platform', async () => {
    const { client, date } = await createDayOldPlatform()
    const { id } = await createReport(client, date)
    const otherClient = await service.newPlatform()
    for (const path of [`/client-money-reports/${id}`, `/client-money-reports/${id}/verification`])
      expectError(await otherClient.get(path), {
        code: 'CLIENT_MONEY_REPORT_NOT_FOUND',
        field: 'clientMoneyReportId',
      })
    expect((await otherClient.get('/client-money-reports')).body.data).toEqual([])
  })
})

describe('the verification of a client-money report', () => {
  const verifyReport = async (client: Client, id: string) =>
    (await client.get(`/client-money-reports/${id}/verification`)).body

  test('confirms an unchanged report, even days later', async () => {
    const { client, customer, date } = await createDayOldPlatform()
    const { id } = await createReport(client, date)
    await client.advance(10 * DAY_SECONDS)
    await fund(client, customer.usd, 5)
    expect(await verifyReport(client, id)).toEqual({ isSigned: true, isLedgerUnchanged: true })
  })

  test('detects a changed report and a changed ledger', async () => {
    const { client, customer, date } = await createDayOldPlatform()
    const { id } = await createReport(client, date)
    const runUnguarded = (script: string) =>
      service.app.db.script(`
        SET LOCAL session_replication_role = replica;
        ${script}`)
    const report = `WHERE id = '${extractUuid(id)}'`
    await runUnguarded(`UPDATE client_money_reports SET date = '2001-01-02' ${report}`)
    expect(await verifyReport(client, id)).toMatchObject({ isSigned: false })
    await runUnguarded(`UPDATE client_money_reports SET date = '${date}' ${report}`)
    const account = `WHERE id = '${extractUuid(customer.usd)}'`
    onTestFinished(() => runUnguarded(`UPDATE ledger_accounts SET posted = posted - 1 ${account}`))
    await runUnguarded(`UPDATE ledger_accounts SET posted = posted + 1 ${account}`)
    expect(await verifyReport(client, id)).toEqual({ isSigned: true, isLedgerUnchanged: false })
  })

  test('is backed by a database that refuses to change a report through SQL', async () => {
    const { client, date } = await createDayOldPlatform()
    const { id } = await createReport(client, date)
    await expect(
      service.app.db.query(
        `UPDATE client_money_reports SET date = '2001-01-02' WHERE id = '${extractUuid(id)}'`,
      ),
    ).rejects.toThrow(/neither changed nor removed/)
  })
})

describe('the daily job', () => {
  test('makes the reports of yesterday and of each missed day once', async () => {
    const { client, date } = await createDayOldPlatform()
    await extendChains(service.app.db, service.app.clock)
    await makeDueReports(service.app)
    const listDates = async () =>
      (await client.get('/client-money-reports')).body.data.map(
        (listedReport: Reply['body']) => listedReport.date,
      )
    expect(await listDates()).toEqual([date])
    await client.advance(3 * DAY_SECONDS)
    await makeDueReports(service.app)
    await makeDueReports(service.app)
    const reportDates = await listDates()
    expect(reportDates).toHaveLength(4)
    expect(reportDates).toEqual(reportDates.toSorted().reverse())
  })

  test('makes no report for a platform that has never moved money', async () => {
    const client = await service.newPlatform()
    await client.advance(DAY_SECONDS)
    await makeDueReports(service.app)
    expect((await client.get('/client-money-reports')).body.data).toEqual([])
  })
})

test('client-money reports are listed page by page, newest first, within a range of days', async () => {
  const { client, date } = await createDayOldPlatform()
  await extendChains(service.app.db, service.app.clock)
  await makeDueReports(service.app)
  await client.advance(4 * DAY_SECONDS)
  await makeDueReports(service.app)
  const dates: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body }: Reply = await client.get(`/client-money-reports?limit=2${cursor && `&cursor=${cursor}`}`)
    dates.push(...body.data.map((listedReport: Reply['body']) => listedReport.date))
    cursor = body.nextCursor
  }
  expect(dates).toHaveLength(5)
  expect(dates).toEqual(dates.toSorted().reverse())
  const { body } = await client.get(`/client-money-reports?endDate=${date}`)
  expect(body.data.map((listedReport: Reply['body']) => listedReport.date)).toEqual([date])
})
