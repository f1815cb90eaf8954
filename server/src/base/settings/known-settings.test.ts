import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listSettingWarnings } from './known-settings.ts'

test('the warning about an unknown variable suggests the nearest setting', () => {
  const env = {
    COUNTERSIGN_DATADIR: '/tmp',
    COUNTERSIGN_STRANGE_THING: '1',
    COUNTERSIGN_MODE: 'sandbox',
    PATH: '',
  }
  expect(listSettingWarnings(env)).toEqual([
    'COUNTERSIGN_DATADIR is not a setting; did you mean COUNTERSIGN_DATA_DIR?',
    'COUNTERSIGN_STRANGE_THING is not a setting.',
  ])
})

test('every variable in docs/operations.md is a known setting', () => {
  const guide = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
  const names = guide.match(/\bCOUNTERSIGN_[A-Z_]+\b/g) ?? []
  expect(names.length).toBeGreaterThan(5)
  expect(listSettingWarnings(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([])
})
