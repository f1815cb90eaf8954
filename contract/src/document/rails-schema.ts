import { RailsFile } from '../connectors/rails-file.ts'
import { references } from './references.ts'

/**
 * The JSON Schema of RAILS_FILE, for editors and people. The build writes it to
 * `docs/connectors/rails.schema.json`.
 */
export function buildRailsFileSchema(): Record<string, unknown> {
  const { refer } = references([])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Rails of a Countersign server',
    ...withoutDiscriminators(refer(RailsFile)),
  }
}

/**
 * Removes `discriminator`, an OpenAPI keyword. In JSON Schema, each union member already contains its tag.
 */
function withoutDiscriminators(node: object): Record<string, unknown> {
  const members = Object.entries(node).filter(([name]) => name !== 'discriminator')
  return Object.fromEntries(members.map(([name, value]) => [name, convertValue(value)]))
}

function convertValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convertValue)
  return typeof value === 'object' && value !== null ? withoutDiscriminators(value) : value
}
