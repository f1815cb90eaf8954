import { readFileSync } from 'node:fs'
import { API_VERSION, DESCRIPTION_VERSION } from '@countersign/contract/core/api-version'
import { pageQuery } from '@countersign/contract/core/schema'
import { parseJson, toJson } from '@countersign/sdk'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')

/** Returns the text of a section. */
const findSection = (title: string) => page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? ''

test('the API guide names the page limits of the contract', () => {
  const { limit, cursor } = JSON.parse(JSON.stringify(pageQuery))
  expect(findSection('Pagination')).toContain(
    `| ${limit.minimum} to ${limit.maximum}, default ${limit.default} |`,
  )
  expect(findSection('Pagination')).toContain(`at most ${cursor.maxLength.toLocaleString('en')} characters`)
})

test('the API guide names both versions and explains what may change and when', () => {
  const versions = findSection('Versions')
  for (const text of [`\`/${API_VERSION}/…\``, `\`${DESCRIPTION_VERSION}\``, 'Breaking', 'twelve months'])
    expect(versions).toContain(text)
})

test('the API guide shows how the sdk handles a bigint', () => {
  const [, amount = '', printed] =
    /toJson\(\{ amount: ([\d_]+)n \}\) \/\/ (.+)/.exec(findSection('Amounts')) ?? []
  const value = { amount: BigInt(amount.replaceAll('_', '')) }
  expect(toJson(value)).toBe(printed)
  expect(parseJson(toJson(value))).toEqual(value)
})
