import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toJson } from '@countersign/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MatchingWorld } from '../../server/test/worlds/production/matches.testing.ts'
import {
  dateBefore,
  ModelBank,
  openProduction,
} from '../../server/test/worlds/production/production.testing.ts'
import { type Run, run as runProgram } from './shop.testing.ts'

let folder: string
let at: MatchingWorld
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-matches-'))
  at = await MatchingWorld.open(await openProduction())
  const { credentials, baseUrl } = at.world.client
  await writeFile(join(folder, 'credentials.json'), toJson({ ...credentials, baseUrl }))
})
afterAll(async () => {
  await at.world.close()
  await rm(folder, { recursive: true, force: true })
})

const run = (...args: string[]): Promise<Run> =>
  runProgram(['reconciliation', ...args, '--credentials', join(folder, 'credentials.json')], {
    XDG_CONFIG_HOME: folder,
  })

test('the CLI matches suggested lines and payments after a question that names the difference', async () => {
  const bank = new ModelBank(at.world)
  const [first, second, short] = [
    await at.pays(bank, 600),
    await at.pays(bank, 400),
    await at.pays(bank, 500),
  ]
  bank.book(dateBefore(0), { kind: 'PAYMENT', id: short, amount: '-530' })
  const line = (await at.states(bank, [[-1000, 'Collective order']]))(-1000)
  const suggested = await run('suggest', '--rail', bank.name)
  for (const words of ['BATCH', 'CHARGE', '-0.30 EUR', line, first, second, short])
    expect(suggested.stdout).toContain(words)

  const batch = ['match', line, first, second, '--rail', bank.name, '--reason', 'One sum']
  const unconfirmed = await run(...batch)
  expect([unconfirmed.exitCode, unconfirmed.stdout]).toEqual([1, ''])
  expect(unconfirmed.stderr).toContain(`Match 3 records of ${bank.name}? They differ by 0.00 EUR.`)
  expect(await run(...batch, '--yes')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('is MATCHED: 1 lines, 2 payments.'),
  })
  const charge = ['match', short, '--rail', bank.name, '--reason', 'A charge of the bank', '--yes']
  expect((await run(...charge)).stderr).toContain('They differ by -0.30 EUR: choose the account with --as.')
  const { id } = JSON.parse((await run(...charge, '--as', 'costs', '--json')).stdout)
  expect(await at.day(bank)).toMatchObject({ status: 'BALANCED' })

  const listed = await run('matches', '--rail', bank.name)
  for (const words of [id, 'MATCHED', '-5.30 EUR', '-5.00 EUR', 'costs', 'A charge of the bank'])
    expect(listed.stdout).toContain(words)
  const undone = await run('unmatch', id, '--reason', 'Another charge', '--yes')
  expect(undone).toMatchObject({ exitCode: 0, stdout: `${id} is UNDONE.\n` })
  expect(await at.day(bank)).toMatchObject({ status: 'DIFFERENT', differenceCount: 1 })

  const again = JSON.parse((await run(...charge, '--as', 'costs', '--json')).stdout)
  expect((await run('close', again.id, '--yes')).stdout).toBe(`${again.id} is CLOSED.\n`)
  const refused = await run('unmatch', again.id, '--reason', 'Too late', '--yes')
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('This match is CLOSED')])
})

test('matching a record that does not differ, or on a rail without differences, is a one-line error', async () => {
  const bank = new ModelBank(at.world)
  await at.states(bank, [[-10]])
  const reason = ['--reason', 'Because', '--yes']
  const missing = await run('match', 'Transaction:none', '--rail', bank.name, ...reason)
  expect([missing.exitCode, missing.stderr]).toEqual([
    1,
    expect.stringContaining(`Transaction:none is not among the differences of ${bank.name}.`),
  ])
  const nobody = await run('suggest', '--rail', 'nobody')
  expect([nobody.exitCode, nobody.stderr]).toEqual([1, expect.stringContaining('nobody has no differences.')])
  expect((await run('matches', '--rail', bank.name)).stderr).toContain('No matches found.')
})
