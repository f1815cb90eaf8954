import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AddressFile, openAddressFile, parseLine } from './address-file.ts'

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7'
const SOLANA = '4Nd1m6Qkq7RfKuE5vQ9qP9Tn6H94Ueqb4xXHzsAbd8Wg'
const LINES = 1_000_000

let folder: string
let path: string
let failures: unknown[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-addresses-'))
  path = join(folder, 'addresses.txt')
  failures = []
})
afterEach(() => rm(folder, { recursive: true }))

async function openFile(text: string): Promise<AddressFile> {
  await writeFile(path, text)
  return openAddressFile(path, (cause) => failures.push(cause))
}

const checkAddress = (file: AddressFile, address: string) =>
  file.check({ network: 'BASE', address, direction: 'PAY', amount: 1n, currency: 'USDC', subject: 'X' })

describe('a line of the address file', () => {
  test.each([
    [EVM, EVM.toLowerCase(), ''],
    [`  ${EVM} , List A, 2026 \r`, EVM.toLowerCase(), 'List A, 2026'],
    [`${SOLANA} Mixer of the north`, SOLANA, 'Mixer of the north'],
    [`${SOLANA}\tMixer`, SOLANA, 'Mixer'],
    ['ada@wallet.example', 'ada@wallet.example', ''],
    [`\ufeff${SOLANA}`, SOLANA, ''],
  ])('%j is parsed into an address and its label', (line, address, label) => {
    expect(parseLine(line, 1)).toEqual({ address, label })
  })

  test.each(['', '   ', '# a comment', '  # another'])('the line %j is skipped', (line) => {
    expect(parseLine(line, 1)).toBeUndefined()
  })

  test.each([
    [', label', 'does not begin with an address'],
    ['abc', 'does not begin with an address'],
    ['addréss', 'does not begin with an address'],
    [`${EVM}0`, 'has an address with 0x but without 40 hexadecimal digits'],
    ['0xZ', 'does not begin with an address'],
    ['0xZZZZ', 'has an address with 0x but without 40 hexadecimal digits'],
    ['x'.repeat(513), 'has an address of more than 512 characters'],
    [`${EVM} ${'x'.repeat(301)}`, 'has a label of more than 300 characters'],
    [`${EVM} a\u0007b`, 'has a label with unprintable characters'],
  ])('%j is rejected with its line number', (line, why) => {
    expect(() => parseLine(line, 12)).toThrow(`SCREENING_FILE: line 12 ${why}`)
  })
})

describe('the address file', () => {
  test('the address file matches EVM addresses in any case, and other addresses exactly', async () => {
    const file = await openFile(`# list\n${EVM}, List A\n${SOLANA}\n`)
    for (const address of [EVM, EVM.toLowerCase(), `0x${EVM.slice(2).toUpperCase()}`])
      expect(await checkAddress(file, address)).toEqual({ outcome: 'HIT', list: 'file', detail: 'List A' })
    expect(await checkAddress(file, SOLANA)).toEqual({
      outcome: 'HIT',
      list: 'file',
      detail: 'The address is in SCREENING_FILE',
    })
    expect(await checkAddress(file, SOLANA.toLowerCase())).toEqual({ outcome: 'CLEAR' })
    expect(await checkAddress(file, EVM.replace('5', '6'))).toEqual({ outcome: 'CLEAR' })
  })

  test('a missing address file, or one with an invalid line, is rejected', async () => {
    await expect(openAddressFile(path, () => {})).rejects.toThrow(/^SCREENING_FILE cannot be read: ENOENT/)
    await expect(openFile(`${EVM}\n\n0x12\n`)).rejects.toThrow(
      /^SCREENING_FILE: line 3 has an address with 0x/,
    )
    await expect(openAddressFile(folder, () => {})).rejects.toThrow(/^SCREENING_FILE cannot be read/)
  })

  test('a changed address file is reloaded before the next check', async () => {
    const file = await openFile('')
    expect((await checkAddress(file, EVM)).outcome).toBe('CLEAR')
    await writeFile(path, `${EVM}\n`)
    const answers = await Promise.all(Array.from({ length: 20 }, () => checkAddress(file, EVM)))
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['HIT']))
  })

  test('an address file that becomes invalid keeps its previous addresses in use, and is reported once per change', async () => {
    const file = await openFile(`${EVM}\n`)
    await writeFile(path, '0x12\n')
    for (let attempt = 0; attempt < 3; attempt++) expect((await checkAddress(file, EVM)).outcome).toBe('HIT')
    expect(failures.map(String)).toEqual([expect.stringContaining('line 1 has an address with 0x')])
    await unlink(path)
    for (let attempt = 0; attempt < 3; attempt++) expect((await checkAddress(file, EVM)).outcome).toBe('HIT')
    expect(failures).toHaveLength(2)
    await expect(file.reload()).rejects.toThrow('SCREENING_FILE cannot be read')
    await writeFile(path, `${SOLANA}\n`)
    expect([(await checkAddress(file, EVM)).outcome, (await checkAddress(file, SOLANA)).outcome]).toEqual([
      'CLEAR',
      'HIT',
    ])
  })

  test('an address file can have a million lines', { tags: 'long' }, async () => {
    const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
    const file = await openFile(Array.from({ length: LINES }, (_, n) => address(n)).join('\n'))
    for (const n of [0, LINES / 2, LINES - 1])
      expect((await checkAddress(file, address(n))).outcome).toBe('HIT')
    expect((await checkAddress(file, address(LINES))).outcome).toBe('CLEAR')
  })
})
