import { RailsFile } from '../connectors/rails-file.ts'
import { references } from './references.ts'

/** The JSON Schema of RAILS_FILE, for editors and for people. The build writes `docs/connectors/rails.schema.json`. */
export function railsFileSchema(): Record<string, unknown> {
  const { refer } = references([])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Rails of a Countersign server',
    ...withoutDiscriminators(refer(RailsFile)),
  }
}

/** The word is OpenAPI's: a JSON Schema has a union's tag in each of its members. */
function withoutDiscriminators(node: object): Record<string, unknown> {
  const members = Object.entries(node).filter(([name]) => name !== 'discriminator')
  return Object.fromEntries(members.map(([name, value]) => [name, insideOf(value)]))
}

function insideOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(insideOf)
  return typeof value === 'object' && value !== null ? withoutDiscriminators(value) : value
}
