import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingWarnings } from './known-settings.ts'

test('an unknown variable that looks like a setting is reported, with the nearest setting', () => {
  const env = {
    COUNTERSIGN_DATADIR: '/tmp',
    COUNTERSIGN_STRANGE_THING: '1',
    COUNTERSIGN_MODE: 'sandbox',
    PATH: '',
  }
  expect(settingWarnings(env)).toEqual([
    'COUNTERSIGN_DATADIR is not a setting; did you mean COUNTERSIGN_DATA_DIR?',
    'COUNTERSIGN_STRANGE_THING is not a setting.',
  ])
})

test('every variable that docs/operations.md names is known', () => {
  const guide = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
  const names = guide.match(/\bCOUNTERSIGN_[A-Z_]+\b/g) ?? []
  expect(names.length).toBeGreaterThan(5)
  expect(settingWarnings(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([])
})
