import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { toCanonicalJson } from '../../server/src/base/json/json.ts'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to signing computes the hash of a body exactly like the server',
  async () => {
    const guide = await readFile(new URL('../../docs/signing.md', import.meta.url), 'utf8')
    const { stdout } = await runGuide('signing.md')
    expect(guide).toContain(`\`\`\`text\n${stdout}\`\`\`\n`)
    const bodies = [{ state: 'FROZEN', fundingSources: ['InternalAccount:2', 'InternalAccount:1'] }, null]
    const hashes = bodies.map((body) => createHash('sha256').update(toCanonicalJson(body)).digest('hex'))
    expect(stdout.trim().split('\n')).toEqual(hashes)
  },
)
