import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CITUS_SCRIPT } from './citus.ts'

const FILE = fileURLToPath(new URL('../../../../deploy/citus.sql', import.meta.url))

test('deploy/citus.sql contains the statements that the server checks at startup (update: npm run docs)', () => {
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, CITUS_SCRIPT)
  expect(readFileSync(FILE, 'utf8')).toBe(CITUS_SCRIPT)
})
