import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CITUS_SCRIPT } from './citus.ts'

const FILE = fileURLToPath(new URL('../../../../deploy/citus.sql', import.meta.url))

test('deploy/citus.sql is what the start checks (else: npm run docs)', () => {
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, CITUS_SCRIPT)
  expect(readFileSync(FILE, 'utf8')).toBe(CITUS_SCRIPT)
})
