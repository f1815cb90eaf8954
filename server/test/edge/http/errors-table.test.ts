import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_DENIALS } from '@countersign/contract/agents/agent-policy'
import { DECLINE_REASONS } from '@countersign/contract/cards/card-processor'
import { ERRORS } from '@countersign/contract/core/errors'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../../../src')

/** The source of the server without its tests, as one string. */
function readSource(): string {
  const names = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => name.endsWith('.ts') && !/\.(test|testing)\.ts$/.test(name))
  const text = sources.map((name) => readFileSync(join(SOURCE, name), 'utf8')).join('\n')
  // A lookup of a code does not raise it.
  return text.replaceAll(/[!=]== '\w+'/g, '')
}

test('the server can raise every code of the error table', () => {
  const source = readSource()
  // The contract maps rules and decline reasons to these codes, so the source does not name them.
  const mappedCodes = new Set<string>([
    ...Object.values(AGENT_DENIALS).map(({ code }) => code),
    ...DECLINE_REASONS,
  ])
  const isRaised = (code: string) => mappedCodes.has(code) || source.includes(`'${code}'`)
  expect(Object.keys(ERRORS).filter((code) => !isRaised(code))).toEqual([])
})
