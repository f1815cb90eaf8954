import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  ACCOUNT_TYPES,
  getExampleAccounts,
  isAccountType,
} from '@countersign/contract/accounts/account-types'
import { buildConnectorOpenApi } from '@countersign/contract/document/connector-openapi'
import { buildRailsFileSchema } from '@countersign/contract/document/rails-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'

const printed = JSON.stringify(buildConnectorOpenApi())

test('the example rails file in docs/operations.md matches the published schema', async () => {
  const guide = await readFile(fileURLToPath(new URL('../docs/operations.md', import.meta.url)), 'utf8')
  const [, example] = /```json\n(\{\n {2}"\$schema".*?)```/s.exec(guide)!
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  const matchesSchema = ajv.compile(buildRailsFileSchema())
  expect(matchesSchema(JSON.parse(example!)), JSON.stringify(matchesSchema.errors)).toBe(true)
  expect(matchesSchema({ rails: [{ name: 'a', kind: 'pigeon' }] })).toBe(false)
})

describe('the connector document', () => {
  const document = JSON.parse(printed)
  const names = Object.keys(document.components.schemas)
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
  ajv.addSchema(document, 'connector')
  const compileSchema = (name: string) => ajv.compile({ $ref: `connector#/components/schemas/${name}` })
  const matchesSchema = compileSchema('Account')

  test('refers to existing schemas only, and to every one of them', () => {
    const references = new Set(
      [...printed.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
    )
    expect([...references].filter((name) => !names.includes(name!))).toEqual([])
    expect(names.filter((name) => !references.has(name))).toEqual([])
    for (const name of names) expect(() => compileSchema(name)).not.toThrow()
  })

  test('has no custom keywords', () => {
    expect(printed).not.toMatch(/"(?:wellFormed|inWords|judgedByHandler)"/)
  })

  const types = Object.keys(ACCOUNT_TYPES).filter(isAccountType)
  test.each(types.filter((name) => getExampleAccounts(name).length > 0))(
    'checks the fields of an account by its type: %s',
    (name) => {
      for (const { accountType, ...account } of getExampleAccounts(name)) {
        expect(matchesSchema({ accountType, account })).toBe(true)
        const member = Object.keys(account)[0]!
        expect(matchesSchema({ accountType, account: { ...account, [member]: 7 } })).toBe(false)
      }
    },
  )
})
