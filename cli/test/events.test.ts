import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeShop, start } from './shop.testing.ts'

let folder: string
let shop: Awaited<ReturnType<typeof makeShop>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-live-'))
  shop = await makeShop(folder, { usdb: 1n, usd: 12_345n })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: string[]) => shop.run(...args)

describe('a sandbox on the command line', () => {
  test('every listed event can be triggered by real steps', { tags: 'long' }, async () => {
    const listed = (await run('trigger', '--list')).stdout.trim().split('\n')
    expect(listed.length).toBeGreaterThan(6)
    for (const type of listed.map((line) => line.split(' ')[0]!)) {
      const { exitCode, stdout, stderr } = await run('trigger', type, '--json')
      expect([type, exitCode, stderr]).toEqual([type, 0, ''])
      const { id } = JSON.parse(stdout)
      expect(await shop.countersign.events.get(id)).toMatchObject({ id, type })
    }
  })

  test('an event that cannot be triggered says why, and an unknown event type is rejected', async () => {
    const passkey = await run('trigger', 'AUTH_CREDENTIAL.SIGN_COUNT_REGRESSED')
    expect(passkey).toMatchObject({ exitCode: 1, stdout: '' })
    expect(passkey.stderr).toContain('it needs a passkey whose counter decreases')
    expect((await run('trigger', 'NONSENSE')).stderr).toContain('"NONSENSE" is not an event type')
  })

  test('an unreachable server yields the code NO_ANSWER for a raw call too', async () => {
    const away = { baseUrl: 'http://127.0.0.1:9/2025-10-13', tokenId: 'x', clientSecret: 'y' }
    const nowhere = join(folder, 'nowhere.json')
    await writeFile(nowhere, JSON.stringify(away))
    const { exitCode, stderr } = await run('api', 'GET', '/config', '--credentials', nowhere, '--json')
    expect(exitCode).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'NO_ANSWER' })
  })

  test('the clock advances, an account is funded in its currency, and a reset needs confirmation', async () => {
    const { countersign, customer } = shop
    const before = Date.parse((await countersign.sandbox.clock()).now)
    const after = Date.parse((await run('sandbox', 'clock', '--advance', '6m')).stdout.trim())
    expect(after - before).toBeGreaterThanOrEqual(360_000)
    const { stdout } = await run('sandbox', 'fund', customer.usdId, '1.50', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ id: customer.usdId, balance: { amount: 12_495 } })
    expect((await run('sandbox', 'fund', customer.usdId, '1.505')).exitCode).toBe(1)
    expect((await run('console')).stdout).toMatch(/^https?:\/\/\S+\/console\S*\n$/)
    expect(await run('sandbox', 'reset')).toMatchObject({ exitCode: 1, stdout: '' })
    expect(await countersign.customers.get(customer.customerId)).toMatchObject({ id: customer.customerId })
  })

  test('the request log can be followed', async () => {
    const tail = start(['logs', 'tail', '--status', '4xx', '--json'], shop.env)
    const requestMissing = () => shop.countersign.customers.get(shop.customer.usdId).catch(() => {})
    // The tail starts with entries after its first query.
    const findRequestId = async () => {
      await requestMissing()
      return tail.output
    }
    await expect.poll(findRequestId, { interval: 500 }).not.toBe('')
    expect(await tail.end()).toBe(0)
    const entries = tail.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(new Set(entries.map(({ httpRequestId }) => httpRequestId)).size).toBe(entries.length)
    expect(entries[0]).toMatchObject({
      method: 'GET',
      status: expect.toSatisfy((status) => status >= 400 && status < 500),
    })
  })

  test('the doctor says what to do, and fails if something is wrong', async () => {
    const url = 'http://127.0.0.1:9/hooks'
    const { id } = await shop.countersign.webhookEndpoints.create({ url })
    await shop.countersign.webhookEndpoints.update(id, { status: 'PAUSED' })
    const well = await run('doctor')
    expect(well).toMatchObject({ exitCode: 0, stderr: '' })
    expect(well.stdout).toContain(`${url} is paused. countersign api PATCH /webhook-endpoints/${id}`)
    await shop.countersign.webhookEndpoints.delete(id)
    expect(well.stdout).toMatch(/server +http\S+ is ready/)
    expect(well.stdout).toContain('No webhookEndpoint is set')
    const away = {
      ...JSON.parse('{"tokenId":"x","clientSecret":"y"}'),
      baseUrl: 'http://127.0.0.1:9/2025-10-13',
    }
    await writeFile(join(folder, 'away.json'), JSON.stringify(away))
    const ill = await run('doctor', '--credentials', join(folder, 'away.json'))
    expect(ill.exitCode).toBe(1)
    expect(ill.stdout).toMatch(/wrong {2}server +http:\/\/127\.0\.0\.1:9 cannot be reached/)
  })
})
