import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePlatform } from '../../sdk/test/platform.testing.ts'
import { run as runProgram } from './shop.testing.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-customers-'))
  await writeFile(join(folder, 'credentials.json'), JSON.stringify(await makePlatform()))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (file: string, ...args: string[]) =>
  runProgram(['customers', 'import', join(folder, file), ...args], { COUNTERSIGN_DATA_DIR: folder })

describe('countersign customers import', () => {
  test('creates the customers of a file, waits, and reports the refused rows', async () => {
    const rows = ['ada,INDIVIDUAL,', '=cmd(),INDIVIDUAL,nobody', ',BUSINESS,']
    await writeFile(join(folder, 'people.csv'), ['platformCustomerId,customerType,email', ...rows].join('\n'))
    expect(await run('people.csv', '--errors', join(folder, 'refused.csv'))).toEqual({
      exitCode: 1,
      stdout: expect.stringMatching(
        /^CustomerImport:\S+ {2}COMPLETED\n {2}3 rows: 1 imported, 2 rejected\n {2}row 3 \(=cmd\(\)\) {2}INVALID_INPUT: email must be an e-mail address\n {2}row 4 {2}INVALID_INPUT: platformCustomerId is required in a file\n$/,
      ),
      stderr: '2 of 3 rows did not create a customer.\n',
    })
    expect(await readFile(join(folder, 'refused.csv'), 'utf8')).toBe(
      'row,correlationId,code,field,message\n' +
        "3,'=cmd(),INVALID_INPUT,email,email must be an e-mail address\n" +
        '4,row_4,INVALID_INPUT,platformCustomerId,platformCustomerId is required in a file\n',
    )
  })

  test('mentions no errors if there are none, also as JSON', async () => {
    await writeFile(join(folder, 'one.csv'), 'platformCustomerId,customerType\neve,BUSINESS\n')
    const { exitCode, stdout, stderr } = await run('one.csv', '--json')
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'COMPLETED', progress: { total: 1, successful: 1 } })
  })

  test('reports an invalid customer file in one line', async () => {
    await writeFile(join(folder, 'wrong.csv'), 'platformCustomerId,customerTyp\neve,BUSINESS\n')
    const { exitCode, stdout, stderr } = await run('wrong.csv')
    expect([exitCode, stderr]).toEqual([1, 'The file could not be read.\n'])
    expect(stdout).toMatch(
      /FAILED\n[\s\S]* {2}row 1 {2}INVALID_INPUT: The column “customerTyp” is not known; did you mean customerType\?\n$/,
    )
    expect(await run('missing.csv')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `File ${join(folder, 'missing.csv')} not found.\n`,
    })
  })
})
